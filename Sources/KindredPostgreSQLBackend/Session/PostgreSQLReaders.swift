import KindredBackend
import KindredClock
import KindredPostgreSQL

/// The reading connections of a pool.
struct PostgreSQLReaders: ReaderPool {
  let backend: PostgreSQLBackend
  let pool: PostgreSQLPool
  /// Whether the schema is never older than the changes that have been noticed.
  var seesLatestSchema = false

  func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    let start = MonotonicTime.now()
    // Checked before a connection is taken, which other requests can use meanwhile.
    let schemaVersion = try backend.checkSchemaVersion(isLatest: seesLatestSchema)
    let deadline = seconds.map { MonotonicTime.after($0, from: start) }
    let (connection, hold) = try connection(from: source, until: deadline)
    // The time that it took to get one is part of the request's.
    let waited = Double(MonotonicTime.now() - start) / 1e9
    return PostgreSQLReadTransaction(
      connection, of: backend, pool, counted: hold, as: role, schemaVersion: schemaVersion,
      cancellation: cancellation, seconds: seconds.map { max(0, $0 - waited) }, mayQueue: source.mayQueue)
  }

  private func connection(
    from source: ReaderSource, until deadline: UInt64?
  ) throws -> (PostgreSQLConnection, PostgreSQLPool.LongHold?) {
    switch source {
    case .waiting: return (try pool.take(until: deadline), nil)
    case .free:
      guard let connection = try pool.takeIfFree(until: deadline) else { throw ReaderSource.NoneFree() }
      return (connection, nil)
    case .queued(let ticket):
      let hold = pool.longHold(of: ticket.number)
      return (try pool.take(ticket.number, after: hold, until: deadline), hold)
    }
  }

  func queueForReader(ofLongResult isLong: Bool, _ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket {
    ReaderTicket(number: pool.enqueue(isLong: isLong) { _ in onGrant() }) { [pool] in
      pool.withdraw($0, isOverdue: $1)
    }
  }

  func close() { pool.close() }
}
