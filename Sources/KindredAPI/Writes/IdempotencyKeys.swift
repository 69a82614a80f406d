import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite
import KindredSQLSyntax
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What was answered to requests with a key, so that it is answered again and nothing is done twice.
///
/// It is kept in the database, in the transaction of the write: both are there, or neither.
final class IdempotencyKeys: Sendable {
  /// Keys are one client's own.
  struct Identity: Hashable, Sendable {
    let principal: String
    let key: IdempotencyKey
  }

  /// The keys whose first request waits or runs.
  private let underWay = Mutex<Set<[String]>>([])

  /// In seconds.
  private static let lifetime: Int64 = 24 * 60 * 60

  /// Begins a request; to be followed by `end`.
  ///
  /// - Throws: `Problem` (409) while another one of the same key is under way.
  func begin(_ identity: Identity) throws {
    let isNew = underWay.withLock { $0.insert([identity.principal, identity.key.text]).inserted }
    guard isNew else { throw Problem.underWay }
  }

  /// The request is answered.
  func end(_ identity: Identity) {
    underWay.withLock { _ = $0.remove([identity.principal, identity.key.text]) }
  }

  /// What was answered before; otherwise what `body` comes to, which is kept.
  ///
  /// - Parameter isKept: whether there will be something to keep.
  /// - Throws: `Problem` (422) where the key came with other content.
  func once(
    _ identity: Identity, on connection: Connection, isKept: Bool, _ body: () throws -> WriteResult
  ) throws -> WriteResult {
    let now = Int64(time(nil))
    if try BookkeepingTable.idempotency.exists(on: connection),
      let known = try find(identity, now, connection)
    {
      guard known.fingerprint == .blob(identity.key.fingerprint.bytes) else { throw Problem.otherContent }
      return known.result
    }
    let result = try body()
    guard isKept else { return result }
    try BookkeepingTable.idempotency.create(on: connection)
    try removeExpired(now, on: connection)
    try connection.withStatement(
      """
      INSERT INTO kindred_idempotency
        (principal, key, fingerprint, time, status, location, total, preferences, tag, content)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """
    ) { statement in
      try statement.bind(
        [
          .text(identity.principal), .text(identity.key.text), .blob(identity.key.fingerprint.bytes),
          .integer(now),
          .integer(Int64(result.status.code)), result.location.map { .text($0) } ?? .null,
          result.count.map { .integer(Int64($0)) } ?? .null,
          result.appliedPreferences.map { .text($0) } ?? .null, result.tag.map { .blob($0.bytes) } ?? .null,
          result.content.map { .blob($0) } ?? .null,
        ])
      _ = try statement.step()
    }
    return result
  }

  /// Removes what is too old to be answered again.
  func removeExpired(on connection: Connection) throws {
    guard try BookkeepingTable.idempotency.exists(on: connection) else { return }
    try removeExpired(Int64(time(nil)), on: connection)
  }

  private func removeExpired(_ now: Int64, on connection: Connection) throws {
    try connection.withStatement("DELETE FROM kindred_idempotency WHERE time <= ?1") { statement in
      try statement.bind([.integer(now - Self.lifetime)])
      _ = try statement.step()
    }
  }

  private func find(_ identity: Identity, _ now: Int64, _ connection: Connection) throws -> (
    fingerprint: SQLValue, result: WriteResult
  )? {
    try connection.withStatement(
      """
      SELECT fingerprint, status, location, total, preferences, tag, content FROM kindred_idempotency
      WHERE principal = ?1 AND key = ?2 AND time > ?3
      """
    ) { statement in
      try statement.bind(
        [.text(identity.principal), .text(identity.key.text), .integer(now - Self.lifetime)])
      guard try statement.step() else { return nil }
      let row = statement.row
      var result = WriteResult(status: HTTPStatus(code: Int(statement.int64(1))) ?? .ok)
      if case .text(let location) = row[2] { result.location = location }
      if case .integer(let total) = row[3] { result.count = Int(total) }
      if case .text(let preferences) = row[4] { result.appliedPreferences = preferences }
      if case .blob(let tag) = row[5] { result.tag = ContentHash.Digest(bytes: tag) }
      if case .blob(let content) = row[6] { result.content = content }
      return (row[0], result)
    }
  }
}

extension ContentHash.Digest {
  /// The 16 bytes, the first of `high` first.
  var bytes: [UInt8] {
    [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(bytes[..<8]), low: word(bytes[8...]))
  }
}

extension Problem {
  /// 409: the first request with a key isn't answered yet.
  static var underWay: Problem {
    Problem(
      .conflict, "the first request with this `Idempotency-Key` is under way: try again",
      headers: [("Retry-After", "1")])
  }

  /// 422: a key came with another request.
  static var otherContent: Problem {
    Problem(.otherContent, "this `Idempotency-Key` came with another request before: use a new one")
  }
}
