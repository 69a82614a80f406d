import KindredBackend
import Logging

/// What services of the same database share, each of which answers with another model or other credentials.
struct ServiceParts: Sendable {
  let backend: any Backend
  let cursors: CursorCoding
  let metrics = ServiceMetrics()
  let planCounts = PlanCounts()
  let snapshots: HeldSnapshots
  let readerQueue: ReaderQueue
  let tableStates: TableStates
  /// Notifies listeners of commits; nil if live results are disabled.
  let changeFeed: ChangeFeed?
  /// The service that runs the queries of listeners.
  let liveServices = LiveServices()
  let logger: Logger

  init(_ backend: any Backend, _ options: KindredService.Options, logger: Logger) throws {
    guard let cursors = CursorCoding(key: options.cursorKey) else { throw CursorKeyError() }
    self.backend = backend
    self.cursors = cursors
    self.logger = logger
    snapshots = HeldSnapshots(of: backend, age: options.snapshotAge)
    readerQueue = ReaderQueue(pool: backend, snapshots)
    tableStates = TableStates(backend)
    changeFeed = try options.live.map { try ChangeFeed(backend, $0) }
  }
}
