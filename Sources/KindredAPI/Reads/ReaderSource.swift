import KindredSQLite

/// How a request comes by a reading connection.
enum ReaderSource {
  /// It waits for one, on its thread, as long as the pool says: for callers that have a thread to spare.
  case waiting
  /// It takes one that is free, or none.
  case free
  /// It has waited for its turn in the queue.
  case queued(ReaderTicket)

  /// No reading connection is free: the request must be queued.
  struct NoneFree: Error {}

  /// - Throws: `NoneFree`, `DatabaseError`, `OpenError`.
  func reader(of pool: ConnectionPool) throws -> sending Connection {
    switch self {
    case .waiting: return try pool.reader()
    case .free:
      guard let reader = try pool.readerIfFree() else { throw NoneFree() }
      return reader
    case .queued(let ticket): return try ticket.take()
    }
  }
}
