import Dispatch
import Synchronization

/// The file of a database that is open for long: it may be moved, deleted or replaced meanwhile.
///
/// The connections that are open then go on with the file that they have opened; new ones would open another.
public final class ServedFile: Sendable {
  /// What is at the path.
  public enum Standing: Hashable, Sendable {
    /// The file that connections have opened.
    case inPlace
    /// Nothing.
    case missing
    /// Another file.
    case replaced
    /// The file that connections have opened, but without the WAL file or the shared memory that belongs to it.
    case withoutLog
  }

  private struct State {
    /// Nil before the file was opened.
    var identity: FileIdentity?
    /// The files next to it in WAL mode, by their paths; none if it is only read.
    var logs: [(path: String, identity: FileIdentity)] = []
    var number = 0
    var access: Connection.Access
    var isWatched = false
  }

  /// The path as it was given.
  public let path: String
  private let state: Mutex<State>
  /// The same as in the state, to be read without a lock.
  private let latestNumber = Atomic(0)
  private let watch = DispatchQueue(label: "kindred.file")

  /// How often the path is looked at.
  private static let interval = DispatchTimeInterval.milliseconds(500)

  init(path: String, access: Connection.Access) {
    self.path = path
    state = Mutex(State(access: access))
  }

  /// The number of the file that is served: how many others were served at this path before.
  public var number: Int { latestNumber.load(ordering: .acquiring) }

  /// The access of connections that read.
  public var access: Connection.Access { state.withLock(\.access) }

  /// What is at the path now.
  public var standing: Standing {
    let (identity, logs) = state.withLock { ($0.identity, $0.logs) }
    let standing = standing(of: identity)
    guard standing == .inPlace else { return standing }
    let isWhole = logs.allSatisfy { log in
      switch FileIdentity.find(log.path) {
      case .file(let found): found == log.identity
      case .nothing: false
      case .unknown: true
      }
    }
    return isWhole ? .inPlace : .withoutLog
  }

  private func standing(of identity: FileIdentity?) -> Standing {
    guard let identity else { return .inPlace }
    return switch FileIdentity.find(path) {
    case .file(let found): found == identity ? .inPlace : .replaced
    case .nothing: .missing
    case .unknown: .inPlace
    }
  }

  /// The bytes that are free in its file system; nil if that can't be determined.
  public var freeSpace: UInt64? { FileStatus.freeSpace(besides: path) }

  /// The size of the file in bytes; nil if that can't be determined.
  public var size: Int? { FileStatus.size(FileStatus.resolved(path)) }

  /// - Throws: `OpenError` if the file is no longer at its path, or its WAL file isn't next to it.
  func check() throws { if let failure { throw failure } }

  /// The error of requests while the file isn't the one that was opened; nil while it is.
  public var failure: OpenError? {
    switch standing {
    case .inPlace: nil
    case .missing, .replaced: OpenError(.moved, path: path)
    case .withoutLog: OpenError(.withoutLog, path: path)
    }
  }

  /// Takes the file that was just opened for the one that is served.
  ///
  /// - Parameter isWritten: Whether a connection is open that writes; then the files next to it belong to it until it
  ///   is closed (<https://www.sqlite.org/howtocorrupt.html>, §1.4).
  func note(isWritten: Bool) {
    guard case .file(let identity) = FileIdentity.find(path) else { return }
    let name = FileStatus.resolved(path)
    let logs = (isWritten ? ["-wal", "-shm"] : []).compactMap { end in
      if case .file(let identity) = FileIdentity.find(name + end) {
        (path: name + end, identity: identity)
      } else {
        nil
      }
    }
    state.withLock { ($0.identity, $0.logs) = (identity, logs) }
  }

  /// Opens a connection.
  ///
  /// - Parameter deadline: Until when it waits for locks at most, in nanoseconds of `MonotonicTime`.
  /// - Throws: `OpenError`; its reason is `moved` if another file is at the path, or none.
  func open(
    _ access: Connection.Access? = nil, _ configuration: ConnectionConfiguration,
    before deadline: UInt64? = nil
  ) throws -> Connection {
    let (number, identity, readerAccess) = state.withLock { ($0.number, $0.identity, $0.access) }
    let connection = Result {
      try Connection(
        path: path, access: access ?? readerAccess, configuration: configuration, fileNumber: number,
        deadline: deadline)
    }
    // Looked at afterwards, because it is the file that was opened which counts.
    guard standing(of: identity) == .inPlace else { throw OpenError(.moved, path: path) }
    return try connection.get()
  }

  /// Serves the file that is at the path now, for reading.
  ///
  /// - Throws: `OpenError` if it can't be read; then the previous one is served as before.
  func renew(_ configuration: ConnectionConfiguration) throws {
    guard case .file(let identity) = FileIdentity.find(path) else { throw OpenError(.missing, path: path) }
    let access = try ReadOnlyAccess.choose(path: path, configuration: configuration)
    state.withLock { state in
      state.identity = identity
      state.access = access
      state.number += 1
      latestNumber.store(state.number, ordering: .releasing)
    }
  }

  // MARK: Watching

  /// Calls `body` twice a second, on a queue of this object, until ``stopWatching()``.
  public func startWatching(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.isWatched = true }
    scheduleLook(body)
  }

  private func scheduleLook(_ body: @escaping @Sendable () -> Void) {
    watch.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
      guard let self, state.withLock(\.isWatched) else { return }
      body()
      scheduleLook(body)
    }
  }

  /// Stops watching, and waits for a call of the body to return.
  public func stopWatching() {
    state.withLock { $0.isWatched = false }
    watch.sync {}
  }
}
