/// A request that clients listen to: what runs after a commit, once for all of them.
final class LiveQuery {
  /// What tells requests apart: listeners that agree in it share their queries.
  struct Key: Hashable, Sendable {
    let target: String
    /// Of the principal: those with equal rights get equal events.
    let rights: [UInt8]
  }

  /// Runs the query again; nil where there is no such result any more.
  typealias Refresh = @Sendable () -> LiveEvent?

  let key: Key
  let refresh: Refresh
  /// A state of the database that is as old as what the last event shows, or older; nil where it can't be told.
  var version: Int64?
  var lastID: String
  /// The last event, for clients that come later; nil where it would take too much memory.
  var event: LiveEvent?
  var listeners: [ObjectIdentifier: LiveListener] = [:]
  /// When a commit made the result doubtful, in nanoseconds; nil while it is not.
  var doubtfulSince: UInt64?
  var isRunning = false
  /// How long the query took last, in nanoseconds.
  var duration: UInt64 = 0

  /// Events that are longer aren't kept for clients to come.
  private static let keptLength = 65536

  init(
    _ key: Key, _ event: LiveEvent, version: Int64?, duration: UInt64, refresh: @escaping Refresh
  ) {
    self.key = key
    self.refresh = refresh
    self.version = version
    self.duration = duration
    lastID = event.id
    keep(event)
  }

  /// Where it stands in the queue: long queries let shorter ones pass, though not for ever.
  var rank: UInt64 { (doubtfulSince ?? 0) &+ 4 &* duration }

  func keep(_ event: LiveEvent) {
    lastID = event.id
    self.event = event.bytes.count <= Self.keptLength ? event : nil
  }
}
