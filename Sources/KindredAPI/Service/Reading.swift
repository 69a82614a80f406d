import KindredExecution
import KindredHTTP
import KindredSQLite

/// A reading connection in a transaction, from the first statement of a request to the last byte of its answer.
final class Reading {
  let connection: Connection
  /// That of the snapshot.
  private(set) var schemaVersion: Int64 = 0
  private let pool: ConnectionPool
  private let cancellation: HTTPCancellation?
  private var isClosed = false
  /// Nanoseconds that the statements may still take; nil for any number.
  private var timeLeft: UInt64?
  private var start: UInt64 = 0

  /// - Parameters:
  ///   - source: where the connection comes from.
  ///   - cancellation: ends the statements when the client has gone.
  ///   - seconds: how long the statements may take; nil for ever. The time that the client takes to read the
  ///     answer does not count.
  init(
    _ pool: ConnectionPool, _ source: ReaderSource = .waiting, cancellation: HTTPCancellation?,
    seconds: Double?
  ) throws {
    self.pool = pool
    self.cancellation = cancellation
    connection = try source.reader(of: pool)
    timeLeft = seconds.map { UInt64($0 * 1e9) }
    connection.beginAccounting()
    resume()
    let handle = connection.interruptHandle
    cancellation?.onCancel { handle.interrupt() }
    do {
      schemaVersion = try connection.beginRead()
    } catch {
      close()
      throw error
    }
  }

  /// Takes a new snapshot; nothing may have been read from the present one.
  func renew() throws {
    try connection.commit()
    schemaVersion = try connection.beginRead()
  }

  /// Lets the time of the statements run, and charges what they hold.
  func resume() {
    connection.enterAccount()
    guard let timeLeft else { return }
    start = MonotonicTime.now()
    connection.setDeadline(start + timeLeft)
  }

  /// Stops the time of the statements: what follows is the client's.
  func pause() {
    connection.leaveAccount()
    guard let timeLeft else { return }
    let spent = MonotonicTime.now() - start
    self.timeLeft = timeLeft > spent ? timeLeft - spent : 0
    connection.setDeadline(nil)
  }

  /// Ends the transaction and gives the connection back.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    cancellation?.onCancel(nil)
    // Not a rollback: that would take back the transient tables as well.
    _ = try? connection.commit()
    connection.leaveAccount()
    pool.release(connection)
  }
}
