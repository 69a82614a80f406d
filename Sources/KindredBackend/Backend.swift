import KindredPlanning

/// A database that the server reads from and writes to.
///
/// This protocol and its neighbors are all that the layers above know about a database. They are called once per
/// request and per part of a result, never per row.
///
/// Every method that throws may throw a ``BackendError``; methods that also throw a `RequestError` document it.
public protocol Backend: ReaderPool {
  /// Whether writes are allowed.
  var isWritable: Bool { get }

  /// A number of the current state of the database, including commits of other processes; nil if it is unknown.
  ///
  /// While the program runs, a later state has a greater number. A read that begins afterwards sees this state or
  /// a later one.
  var stateNumber: Int64? { get }

  /// Whether ``stateNumber`` takes a round trip to a server, so that requests should share it; false by default.
  var asksForState: Bool { get }

  /// Whether a write can't be committed before the read transactions that are open have ended; false by default.
  var hasWaitingWriter: Bool { get }

  /// Returns the tables that were changed between the states of two numbers, in lower case; nil if that is unknown, or
  /// if others than this process have committed in between.
  func tablesChanged(since earlier: Int64, until later: Int64) -> Set<String>?

  /// Checks that the database can be read and, where it is writable, written; it may be busy.
  func probe() throws

  /// Whether the schema is read by ``withSchema(_:)`` alone, and not in the transactions of requests, which may then use
  /// the model of the schema before it for a moment; false by default.
  var readsSchemaApart: Bool { get }

  /// Runs `body` with the current schema, without taking a connection from the pool; `body` must be short.
  func withSchema<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result

  /// Opens a separate pool of connections for reading.
  func readers(_ count: Int) throws -> any ReaderPool

  /// Runs `body` in a write transaction, in order of arrival and isolated from other writes.
  ///
  /// - Parameters:
  ///   - body: changes the database; it may run more than once, so it must have no other effects.
  ///   - completion: receives the result after the commit, and how far the changes have come then, if that is known; it
  ///     runs on the writing thread and must be short.
  func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>, Position?) -> Void
  )

  /// The name and version of the engine, where that is a separate server; nil by default.
  var engine: String? { get }

  /// The counters and gauges for metrics.
  var statistics: BackendStatistics { get }

  /// The copies of the database that answer reads; nil, the default, without any.
  var replication: (any Replication)? { get }

  /// How far the changes have come that the state of the last ``stateNumber`` shows; nil, the default, if that is unknown.
  var lastPosition: Position? { get }
}

extension Backend {
  /// Nil: the engine is a part of the program.
  public var engine: String? { nil }

  /// False: the state is known at once.
  public var asksForState: Bool { false }

  /// False: readers and writers don't wait for one another.
  public var hasWaitingWriter: Bool { false }

  /// False: reading the schema never waits for long.
  public var readsSchemaApart: Bool { false }

  /// Nil: there are no copies.
  public var replication: (any Replication)? { nil }

  /// Nil: there are no copies to compare with.
  public var lastPosition: Position? { nil }
}

/// Something that the operator should know about the database while it is served.
public enum BackendNotice: Hashable, Sendable {
  /// It can't be served as before.
  case failure(String)
  /// Its state has changed.
  case change(String)
}

/// A pool of connections for reading.
public protocol ReaderPool: Sendable {
  /// Begins a read transaction with a snapshot on a connection of the pool.
  ///
  /// - Parameters:
  ///   - source: how the connection is obtained.
  ///   - role: the role with which the statements run, if the database has roles; nil for the user of the connection.
  ///   - cancellation: interrupts the statements.
  ///   - seconds: the time that all statements together may take, without pauses; nil for no limit.
  /// - Throws: ``ReaderSource/NoneFree`` if `source` is `free` and no connection is. A result may throw it too when it
  ///   turns out to be long, unless `source` is `waiting`.
  func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction

  /// Queues for a connection; connections are granted in order of arrival.
  ///
  /// `onGrant` is called once, on any thread, and must be short.
  ///
  /// - Parameter isLong: Whether the client may take an unlimited time to read the result, for which a pool may have fewer
  ///   connections.
  func queueForReader(ofLongResult isLong: Bool, _ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket

  /// Closes the connections; those in use are closed when they are released.
  func close()
}

/// How a request obtains a connection for reading.
public enum ReaderSource: Sendable {
  /// Blocks the thread until a connection is free or the pool's timeout has passed.
  case waiting
  /// Takes a connection only if one is free now.
  case free
  /// Takes the connection that was granted to a ticket.
  case queued(ReaderTicket)

  /// Whether the request can queue if there is no connection.
  public var mayQueue: Bool {
    switch self {
    case .waiting: false
    case .free, .queued: true
    }
  }

  /// No connection is free, so the request must queue.
  public struct NoneFree: Error {
    /// The number of the database in whose queue the request should wait: 0, or that of a copy.
    public var database = 0
    /// Whether it must queue for one of the connections for long results.
    public let isForLongResult: Bool

    /// Creates the error of a database's own pool.
    public init(forLongResult isLong: Bool = false) { isForLongResult = isLong }
  }
}

/// A place in the queue for a connection.
///
/// It must either be used by ``ReaderPool/read(_:as:cancellation:seconds:)`` or be withdrawn.
public struct ReaderTicket: Sendable {
  /// The number that identifies it to the pool.
  public let number: UInt64
  /// The number of the database whose queue it is: 0, or that of a copy.
  public var database = 0
  private let leave: @Sendable (_ number: UInt64, _ isOverdue: Bool) -> Void

  /// - Parameter leave: gives up the place or the granted connection of a number; has no effect after it was used.
  public init(number: UInt64, leave: @escaping @Sendable (_ number: UInt64, _ isOverdue: Bool) -> Void) {
    self.number = number
    self.leave = leave
  }

  /// Leaves the queue, or returns the connection that was granted.
  ///
  /// - Parameter isOverdue: Whether the time of the request is up.
  public func withdraw(isOverdue: Bool = false) { leave(number, isOverdue) }
}

/// Signals that an answer is no longer wanted.
public protocol Cancellation: AnyObject, Sendable {
  /// Whether the request was cancelled; once true, it stays true.
  var isCancelled: Bool { get }

  /// Sets the action to call on cancellation; it is called at once if that has already happened.
  ///
  /// The action replaces the previous one and must be short. Passing `nil` clears it: after that call, the action is
  /// neither running nor will it run.
  func onCancel(_ action: (@Sendable () -> Void)?)
}
