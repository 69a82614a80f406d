/// A place in the queue for a reading connection.
///
/// Either `take` or `withdraw` has to be called once.
public struct ReaderTicket: Sendable {
  let slots: ConnectionSlots
  /// What the pool knows it by.
  public let number: UInt64

  /// The connection, once it is this ticket's turn; to be given back by `ConnectionPool.release`.
  ///
  /// - Throws: `DatabaseError`, misuse, before; `OpenError`.
  public func take() throws -> sending Connection { try slots.take(number) }

  /// Leaves the queue, or gives up the turn.
  public func withdraw() { slots.withdraw(number) }
}

extension ConnectionPool {
  /// Takes a reading connection, to be given back by `release`; nil where none is free, or others wait for one.
  ///
  /// - Throws: `OpenError`.
  public func readerIfFree() throws -> sending Connection? { try readers.checkOutIfFree() }

  /// Queues for a reading connection, which are given out in the order in which they were asked for.
  ///
  /// `onGrant` is called once, on any thread, when it is this one's turn. It must be short.
  public func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket {
    ReaderTicket(slots: readers, number: readers.enqueue(onGrant))
  }

  /// The ticket of a number that was given out.
  public func ticket(_ number: UInt64) -> ReaderTicket { ReaderTicket(slots: readers, number: number) }
}
