import KindredExecution
import KindredHTTP
import KindredSQLite

/// A reading connection in a transaction, from the first statement of a request to the last byte of its answer.
final class Reading {
  let connection: Connection
  private let pool: ConnectionPool
  private let cancellation: HTTPCancellation?
  private var isClosed = false

  /// - Parameters:
  ///   - cancellation: ends the statements when the client has gone.
  ///   - seconds: how long the request may take; nil for ever.
  init(_ pool: ConnectionPool, cancellation: HTTPCancellation?, seconds: Double?) throws {
    self.pool = pool
    self.cancellation = cancellation
    connection = try pool.reader()
    if let seconds {
      connection.setDeadline(MonotonicTime.now() + UInt64(seconds * 1e9))
    }
    let handle = connection.interruptHandle
    cancellation?.onCancel { handle.interrupt() }
    do {
      try connection.beginRead()
    } catch {
      close()
      throw error
    }
  }

  /// Ends the transaction and gives the connection back.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    cancellation?.onCancel(nil)
    // Not a rollback: that would take back the transient tables as well.
    _ = try? connection.commit()
    pool.release(connection)
  }
}
