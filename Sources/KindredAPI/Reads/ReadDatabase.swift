import KindredBackend

/// A database that answers reads, the one that is served or a copy of it, with what is known about its state.
final class ReadDatabase: Sendable {
  /// 0, or the number of the copy.
  let number: Int
  let backend: any Backend
  let snapshots: HeldSnapshots
  let queue: ReaderQueue
  let tableStates: TableStates
  let currentState: CurrentState
  /// Notifies listeners of commits; nil if live results are disabled.
  let changeFeed: ChangeFeed?
  /// The service that runs the queries of listeners.
  let liveServices = LiveServices()

  init(_ number: Int, _ backend: any Backend, _ options: KindredService.Options) throws {
    self.number = number
    self.backend = backend
    snapshots = HeldSnapshots(of: backend, age: options.snapshotAge)
    queue = ReaderQueue(pool: backend, snapshots)
    tableStates = TableStates(backend)
    currentState = CurrentState(of: backend)
    changeFeed = try options.live.map { try ChangeFeed(backend, $0) }
  }

  /// Returns a database and its copies, by their numbers.
  ///
  /// The streams of a copy end when it stops to answer, so that their clients connect again, to another one.
  static func all(of backend: any Backend, _ options: KindredService.Options) throws -> [ReadDatabase] {
    let backends = [backend] + (backend.replication?.copies ?? [])
    let databases = try backends.enumerated().map { try ReadDatabase($0.offset, $0.element, options) }
    let feeds = databases.map(\.changeFeed)
    backend.replication?.whenOneLeaves { feeds[$0]?.endStreams() }
    return databases
  }
}
