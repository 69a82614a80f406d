/// A place in the queue for a reading connection.
///
/// Either `take()` or `withdraw()` must be called once.
public struct ReaderTicket: Sendable {
  let slots: ConnectionSlots
  /// The number by which the pool identifies the ticket.
  public let number: UInt64

  /// Takes the connection after `onGrant` was called; return it by `ConnectionPool.release(_:)`.
  ///
  /// - Parameters:
  ///   - withSnapshot: Whether it may have a snapshot that was kept for the next holder, who then has to begin by
  ///     ``Connection/takeSnapshot()``.
  ///   - deadline: When it must be open, in nanoseconds of `MonotonicTime`.
  /// - Throws: `DatabaseError` (misuse) if the connection has not been granted; `OpenError`.
  public func take(
    withSnapshot: Bool = false, before deadline: UInt64? = nil
  ) throws -> sending Connection {
    try slots.take(number, withSnapshot: withSnapshot, before: deadline)
  }

  /// Leaves the queue, or returns the granted connection.
  ///
  /// - Parameter isOverdue: Whether the time of the request is up.
  public func withdraw(isOverdue: Bool = false) { slots.withdraw(number, isOverdue: isOverdue) }
}

extension ConnectionPool {
  /// Takes a reading connection, which must be returned by `release(_:)`; nil if none is free, or others are
  /// waiting.
  ///
  /// The parameters are those of ``reader(withSnapshot:before:)``.
  ///
  /// - Throws: `OpenError`.
  public func readerIfFree(
    withSnapshot: Bool = false, before deadline: UInt64? = nil
  ) throws -> sending Connection? {
    try readers.checkOutIfFree(withSnapshot: withSnapshot, before: deadline)
  }

  /// Queues for a reading connection; requests are served in the order in which they arrive.
  ///
  /// `onGrant` is called once, on any thread, when the connection can be taken. It must return quickly.
  public func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket {
    ReaderTicket(slots: readers, number: readers.enqueue(onGrant))
  }

  /// Returns the ticket with a number.
  public func ticket(_ number: UInt64) -> ReaderTicket { ReaderTicket(slots: readers, number: number) }
}
