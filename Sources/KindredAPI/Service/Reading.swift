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
    connection.rollback()
    pool.release(connection)
  }
}

/// A result that is sent as it is read.
final class ResultBody: HTTPBodyStream {
  private let reading: Reading
  private let reader: ResultReader
  /// What was read before the head could be written.
  private var first: UnsafeRawBufferPointer?

  init(_ reading: Reading, _ reader: ResultReader, first: UnsafeRawBufferPointer?) {
    self.reading = reading
    self.reader = reader
    self.first = first
  }

  func next() throws -> UnsafeRawBufferPointer? {
    if let first {
      self.first = nil
      return first
    }
    return try reader.next()
  }

  func close() {
    reader.close()
    reading.close()
  }
}
