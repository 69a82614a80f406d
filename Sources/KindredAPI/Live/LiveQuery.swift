import KindredRequests
import KindredSQLSyntax

/// A request that clients listen to, which runs after a commit once for all of them.
///
/// Invariant: `lastID`, and `event` if kept, belong to the result in the database state `version`, which a listener has
/// been given or will be. A request without a result is in no feed, because it has nothing to show to later clients.
final class LiveQuery {
  /// Identifies a request: listeners with equal keys share a query.
  struct Key: ExactKey {
    let request: RequestKey
    /// The rights of the principal: equal rights give equal events.
    let rights: [UInt8]
  }

  /// The result of running the query again.
  enum Outcome: Sendable {
    case result(LiveResult)
    /// The limit is exceeded: the query runs again with a longer one.
    case late
    /// The database doesn't respond in time: the query runs again after a pause.
    case failure
    /// The result no longer exists, or the client may not see it any more.
    case end
  }

  /// Runs the query within so many nanoseconds; nil for the time of any request.
  typealias Refresh = @Sendable (_ limit: UInt64?) -> Outcome

  let key: Key
  let refresh: Refresh
  private(set) var version: Int64?
  /// The tables whose changes may outdate the result; nil if any commit may.
  private(set) var tables: Set<String>?
  private(set) var lastID: String
  /// The last event, kept for later clients; nil if it is too large to keep.
  private var keptEvent: LiveEvent?
  /// The last event as long as a client is being sent it, whatever its length.
  private weak var sharedEvent: LiveEvent?
  var listeners: [ObjectIdentifier: LiveListener] = [:]
  /// When a commit may have outdated the result, in nanoseconds; nil if none has.
  private(set) var doubtfulSince: UInt64?
  private(set) var isRunning = false
  /// The end of the pause after a run that failed, in nanoseconds; nil if it isn't paused.
  private(set) var pauseEnd: UInt64?
  /// The number of runs that have failed one after the other.
  private var failures = 0
  /// The number of the latest run.
  private(set) var run = 0
  /// The duration of the last run in nanoseconds.
  private(set) var duration: UInt64

  /// The length in bytes up to which events are kept for later clients.
  private static let keptLength = 65536

  /// - Parameters:
  ///   - version: A state of the database that is not newer than the event's; nil if unknown.
  ///   - duration: The duration of the query in nanoseconds.
  init(
    _ key: Key, _ result: LiveResult, version: Int64?, duration: UInt64, refresh: @escaping Refresh
  ) {
    self.key = key
    self.refresh = refresh
    self.duration = duration
    self.version = result.isOfWatchedServer ? version : nil
    tables = result.tables
    lastID = result.event.id
    keep(result.event)
  }

  /// The last event; nil if it is in memory for nobody.
  var event: LiveEvent? { keptEvent ?? sharedEvent }

  /// The lane that the next run belongs to.
  var lane: LiveLane { LiveLane(after: duration) }

  /// Since when it has been waiting to run, in nanoseconds.
  var waitingSince: UInt64 { doubtfulSince ?? 0 }

  /// Whether it is waiting to run.
  var isWaiting: Bool { doubtfulSince != nil && !isRunning && pauseEnd == nil }

  /// The latest run whose result is known.
  var lastResult: Int { isRunning ? run - 1 : run }

  /// Notes that a commit may have changed the result.
  func doubt(at now: UInt64) { doubtfulSince = doubtfulSince ?? now }

  /// Notes that the result may be another one in any state of the database.
  func outdate(at now: UInt64) {
    version = nil
    forgetEvent()
    doubt(at: now)
  }

  /// Notes a later state of the database, and returns whether the result may be outdated in it.
  ///
  /// - Parameter changed: The tables that were changed since `version`; nil if it may be any.
  func follow(to version: Int64?, changed: Set<String>?, at now: UInt64) -> Bool {
    // The result of a doubtful query is still that of an earlier state.
    if doubtfulSince == nil, let tables, let changed, changed.isDisjoint(with: tables) {
      self.version = version
    } else {
      doubt(at: now)
    }
    return doubtfulSince != nil
  }

  func begin() {
    isRunning = true
    doubtfulSince = nil
    run += 1
  }

  /// Records that a run has exceeded its limit.
  func exceed(at now: UInt64, duration: UInt64) {
    isRunning = false
    self.duration = duration
    doubt(at: now)
  }

  /// Records that a run has failed; it is paused for a second at first, and then for longer and longer.
  func fail(at now: UInt64, duration: UInt64) {
    isRunning = false
    self.duration = duration
    doubt(at: now)
    pauseEnd = now &+ min(1_000_000_000 << UInt64(min(failures, 10)), Self.longestPause)
    failures += 1
  }

  /// Ends the pause if its time is up, or if the database responds again.
  func resume(at now: UInt64, isBack: Bool) {
    if let pauseEnd, isBack || now >= pauseEnd { self.pauseEnd = nil }
    if isBack { failures = 0 }
  }

  /// The longest pause after a run that failed, in nanoseconds.
  private static let longestPause: UInt64 = 10_000_000_000

  /// Records the result of a run.
  func finish(_ result: LiveResult, version: Int64?, duration: UInt64) {
    isRunning = false
    failures = 0
    self.version = result.isOfWatchedServer ? version : nil
    self.duration = duration
    tables = result.tables
    lastID = result.event.id
    keep(result.event)
  }

  /// Forgets the event that is kept for later clients, for which the query runs again.
  func forgetEvent() { (keptEvent, sharedEvent) = (nil, nil) }

  private func keep(_ event: LiveEvent) {
    keptEvent = event.bytes.count <= Self.keptLength ? event : nil
    sharedEvent = event
  }
}
