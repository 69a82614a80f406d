import KindredAssociations

/// A database that is served: where requests are read from and written to.
///
/// All that is above knows of the database is this protocol and those beside it. It is crossed once per request and
/// per part of a result, never per row.
///
/// Whatever throws may throw a ``BackendError``; where a `RequestError` is thrown as well, it says so.
public protocol Backend: ReaderPool {
  /// Whether there is a connection that writes.
  var isWritable: Bool { get }

  /// The number of the present state of the database, whoever wrote it; nil where it can't be told.
  ///
  /// Different states have different numbers as long as the program runs. What is read after this was asked is this
  /// state or a later one.
  var stateNumber: Int64? { get }

  /// Has the database answer anything, to see whether it does; that it is busy is an answer.
  func probe() throws

  /// Runs `body` with the schema as it is now, without a connection of the pool; `body` must be short.
  func withSchema<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result

  /// Opens connections for reading that are none of this pool's.
  func readers(_ count: Int) throws -> any ReaderPool

  /// Has `body` run in a transaction that writes, in the order of coming, as if it were alone.
  ///
  /// - Parameters:
  ///   - body: may run more than once, so it has no effect but on the database.
  ///   - completion: gets the result after the commit; it runs on the thread that writes, and has to be short.
  func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  )

  /// What has been counted so far.
  var statistics: BackendStatistics { get }
}

/// Connections for reading.
public protocol ReaderPool: Sendable {
  /// Begins to read: takes a connection, and a snapshot.
  ///
  /// - Parameters:
  ///   - source: where the connection comes from.
  ///   - role: whom the statements run as, where the database has roles; nil for the user of the connection.
  ///   - cancellation: interrupts the statements.
  ///   - seconds: how long the statements may take together; nil for ever. The time in which the transaction is
  ///     paused doesn't count.
  /// - Throws: ``ReaderSource/NoneFree``.
  func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction

  /// Queues for a connection: they are given out in the order of coming.
  ///
  /// `onGrant` is called once, on any thread, and has to be short.
  func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket

  /// Closes the connections: those in use when they are released.
  func close()
}

/// How a request gets a connection for reading.
public enum ReaderSource: Sendable {
  /// It blocks its thread until one is free, or the pool's time-out is over.
  case waiting
  /// It takes one that is free, or none.
  case free
  /// It has waited for its turn in the queue.
  case queued(ReaderTicket)

  /// No connection is free: the request must be queued.
  public struct NoneFree: Error {
    /// An error without details.
    public init() {}
  }
}

/// A place in the queue for a connection.
///
/// It has to be used by ``ReaderPool/read(_:cancellation:seconds:)`` or withdrawn.
public struct ReaderTicket: Sendable {
  /// What the pool knows it by.
  public let number: UInt64
  private let leave: @Sendable (UInt64) -> Void

  /// - Parameter leave: gives up the place of this number, or the turn; it does nothing where that was used.
  public init(number: UInt64, leave: @escaping @Sendable (UInt64) -> Void) {
    self.number = number
    self.leave = leave
  }

  /// Leaves the queue, or gives up the turn.
  public func withdraw() { leave(number) }
}

/// Tells that an answer isn't wanted any more.
public protocol Cancellation: Sendable {
  /// Whether it isn't; it never becomes false again.
  var isCancelled: Bool { get }

  /// Has `action` called on cancellation, at once where that has been; it replaces the one before.
  ///
  /// `nil` clears it: when this returns, the action neither runs nor will. The action has to be short.
  func onCancel(_ action: (@Sendable () -> Void)?)
}
