import KindredModel
import KindredBackend
import KindredClock
import KindredCryptography
import KindredHTTP
import KindredRequests
import Synchronization

/// Keeps the answers to requests with a key, so that a repeated request gets the same answer and nothing is done twice.
///
/// An answer is stored in the database, in the transaction of the write, so that either both or neither are committed.
final class IdempotencyKeys: Sendable {
  /// A key belongs to a client with certain rights, because the answer shows what these allowed.
  struct Identity: Hashable, Sendable {
    let principal: String
    let key: IdempotencyKey

    init(_ key: IdempotencyKey, of principal: Principal) {
      self.principal = principal.identity.hexadecimal + principal.standing.hexadecimal
      self.key = key
    }
  }

  /// The keys whose first request is waiting or running.
  private let underWay = Mutex<Set<[String]>>([])

  /// The current time in seconds since 1970.
  private static var now: Int64 { Int64(CalendarTime.now().secondsSince1970) }

  /// The length in bytes of the longest content that is kept.
  private static let maximumLength = 64 << 10

  /// How long an answer is kept, in seconds.
  private static let lifetime: Int64 = 24 * 60 * 60

  /// Begins a request; call `end` afterwards.
  ///
  /// - Throws: `Problem` (409) while another request with the same key is under way.
  func begin(_ identity: Identity) throws {
    let isNew = underWay.withLock { $0.insert([identity.principal, identity.key.text]).inserted }
    guard isNew else { throw Problem.underWay }
  }

  /// Ends a request that has been answered.
  func end(_ identity: Identity) {
    underWay.withLock { _ = $0.remove([identity.principal, identity.key.text]) }
  }

  /// Returns the kept answer, or else the result of `body`, which is kept.
  ///
  /// - Parameter isKept: Whether to keep the result.
  /// - Throws: `Problem` (422) if the key was used with other content; `RequestError` if the result is too long to be
  ///   kept.
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
    guard (result.content?.count ?? 0) <= Self.maximumLength else {
      throw RequestError(
        .limitExceeded,
        "with `Idempotency-Key` the answer may have at most \(Self.maximumLength >> 10) KiB; send `Prefer: return=minimal`"
      )
    }
    try transaction.removeKeptAnswers(until: now - Self.lifetime)
    try transaction.keep(result.kept(fingerprint, at: now), under: key)
    return result
  }

  /// Removes expired answers.
  func removeExpired(in transaction: any WriteTransaction) throws {
    try transaction.removeKeptAnswers(until: Self.now - Self.lifetime)
  }
}

extension WriteResult {
  /// Creates a result from a kept answer.
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
  /// The 16 bytes in big-endian order, `high` first.
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
  /// 409: the first request with a key hasn't been answered yet.
  static var underWay: Problem {
    Problem(
      .conflict, "the first request with this `Idempotency-Key` is still running; try again",
      headers: [("Retry-After", "1")])
  }

  /// 422: a key was used with another request.
  static var otherContent: Problem {
    Problem(.otherContent, "this `Idempotency-Key` was used for another request before; use a new one")
  }
}
