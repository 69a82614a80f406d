/// A request that clients listen to: what runs after a commit, once for all of them.
///
/// Invariant: `lastID`, and `event` where it is kept, are of the result that the database had in the state `version`, and
/// that a listener has been given or will be. A request without a result is in no feed: it has nothing to show to those
/// who come later.
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
  private(set) var version: Int64?
  private(set) var lastID: String
  /// For clients that come later; nil where it would take too much memory.
  private(set) var event: LiveEvent?
  var listeners: [ObjectIdentifier: LiveListener] = [:]
  /// When a commit made the result doubtful, in nanoseconds; nil while it is not.
  private(set) var doubtfulSince: UInt64?
  private(set) var isRunning = false
  /// The number of the run that was begun last.
  private(set) var run = 0
  /// The run after which all listeners have been given the same.
  private var lastUnevenRun = 0
  /// How long the query took last, in nanoseconds.
  private(set) var duration: UInt64

  /// Events that are longer aren't kept for clients to come.
  private static let keptLength = 65536

  /// - Parameters:
  ///   - version: a state of the database that is as old as the event's, or older; nil where it can't be told.
  ///   - duration: how long the query took, in nanoseconds.
  init(
    _ key: Key, _ event: LiveEvent, version: Int64?, duration: UInt64, refresh: @escaping Refresh
  ) {
    self.key = key
    self.refresh = refresh
    self.duration = duration
    self.version = version
    lastID = event.id
    self.event = Self.kept(event)
  }

  /// Where it stands in the queue: long queries let shorter ones pass, though not for ever.
  var rank: UInt64 { (doubtfulSince ?? 0) &+ 4 &* duration }

  /// Whether it waits to be run.
  var isWaiting: Bool { doubtfulSince != nil && !isRunning }

  /// The first run whose result is no older than what somebody has been given now.
  var nextRun: Int { run + 1 }

  /// Notes that a commit may have changed the result.
  func doubt(at now: UInt64) { doubtfulSince = doubtfulSince ?? now }

  /// Notes that a listener has been given an event that others may not have been given, or not yet: the next run tells
  /// all of them the same.
  func divide(at now: UInt64) {
    lastUnevenRun = nextRun
    doubt(at: now)
  }

  func begin() {
    isRunning = true
    doubtfulSince = nil
    run += 1
  }

  /// Notes what a run has shown; says whether listeners are to be told.
  func finish(_ event: LiveEvent, version: Int64?, duration: UInt64) -> Bool {
    isRunning = false
    self.version = version
    self.duration = duration
    let isNews = event.id != lastID
    lastID = event.id
    self.event = Self.kept(event)
    return isNews || run <= lastUnevenRun
  }

  private static func kept(_ event: LiveEvent) -> LiveEvent? {
    event.bytes.count <= keptLength ? event : nil
  }
}
