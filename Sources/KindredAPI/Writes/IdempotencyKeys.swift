import KindredAssociations
import KindredBackend
import KindredClock
import KindredCryptography
import KindredHTTP
import Synchronization

/// What was answered to requests with a key, so that it is answered again and nothing is done twice.
///
/// It is kept in the database, in the transaction of the write: both are there, or neither.
final class IdempotencyKeys: Sendable {
  /// Keys are one client's own, with the rights that it had: an answer shows what these allowed.
  struct Identity: Hashable, Sendable {
    let principal: String
    let key: IdempotencyKey

    init(_ key: IdempotencyKey, of principal: Principal) {
      self.principal = principal.identity.hexadecimal + principal.standing.hexadecimal
      self.key = key
    }
  }

  /// The keys whose first request waits or runs.
  private let underWay = Mutex<Set<[String]>>([])

  /// In seconds since 1970.
  private static var now: Int64 { Int64(CalendarTime.now().secondsSince1970) }

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
    _ identity: Identity, in transaction: any WriteTransaction, isKept: Bool, _ body: () throws -> WriteResult
  ) throws -> WriteResult {
    let now = Self.now
    let key = KeptAnswer.Key(principal: identity.principal, text: identity.key.text)
    let fingerprint = identity.key.fingerprint.bytes
    if let known = try transaction.keptAnswer(key, since: now - Self.lifetime) {
      guard known.fingerprint == fingerprint else { throw Problem.otherContent }
      return WriteResult(known)
    }
    let result = try body()
    guard isKept else { return result }
    try transaction.removeKeptAnswers(until: now - Self.lifetime)
    try transaction.keep(result.kept(fingerprint, at: now), under: key)
    return result
  }

  /// Removes what is too old to be answered again.
  func removeExpired(in transaction: any WriteTransaction) throws {
    try transaction.removeKeptAnswers(until: Self.now - Self.lifetime)
  }
}

extension WriteResult {
  /// The result that was kept.
  fileprivate init(_ answer: KeptAnswer) {
    self.init(status: HTTPStatus(code: answer.status) ?? .ok)
    location = answer.location
    count = answer.total.map { Int($0) }
    appliedPreferences = answer.preferences
    tag = answer.tag.flatMap(ContentHash.Digest.init(bytes:))
    content = answer.content
  }

  fileprivate func kept(_ fingerprint: [UInt8], at time: Int64) -> KeptAnswer {
    var answer = KeptAnswer(fingerprint: fingerprint, time: time, status: status.code)
    answer.location = location
    answer.total = count.map { Int64($0) }
    answer.preferences = appliedPreferences
    answer.tag = tag?.bytes
    answer.content = content
    return answer
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
