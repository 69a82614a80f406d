import KindredModel
import KindredBackend
import KindredClock
import KindredCryptography
import KindredHTTP
import KindredRequests
import KindredSQLSyntax
import Synchronization
import KindredSpooling

/// Keeps the answers to requests with a key, so that a repeated request gets the same answer and nothing is done twice.
///
/// An answer is stored in the database, in the transaction of the write, so that either both or neither are committed.
final class IdempotencyKeys: Sendable {
  /// The key of a client, whose answer shows what the client's rights allowed: with other rights, it isn't given.
  struct Identity: Hashable, Sendable {
    let principal: String
    let key: IdempotencyKey
    /// The digest of what the client's rights follow from.
    let grants: [UInt8]

    init(_ key: IdempotencyKey, of principal: Principal) {
      self.principal = principal.identity.hexadecimal
      grants = principal.grantsDigest
      self.key = key
    }

    /// What is kept of the request: first its content, then the rights.
    var fingerprint: [UInt8] { key.fingerprint.bytes + grants }
  }

  /// The keys whose first request is waiting or running.
  private let underWay = Mutex<Set<[ExactText]>>([])

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
    let isNew = underWay.withLock { $0.insert([identity.principal, identity.key.text].exactTexts).inserted }
    guard isNew else { throw Problem.underWay }
  }

  /// Ends a request that has been answered.
  func end(_ identity: Identity) {
    underWay.withLock { _ = $0.remove([identity.principal, identity.key.text].exactTexts) }
  }

  /// Returns the kept answer, or else the result of `body`, which is kept.
  ///
  /// - Parameter isKept: Whether to keep the result.
  /// - Throws: `Problem`: 422 if the key was used with other content, 409 if the client had other rights then;
  ///   `RequestError` if the result is too long to be kept.
  func once(
    _ identity: Identity, in transaction: any WriteTransaction, isKept: Bool, _ body: () throws -> WriteResult
  ) throws -> WriteResult {
    let now = Self.now
    let key = KeptAnswer.Key(principal: identity.principal, text: identity.key.text)
    let fingerprint = identity.fingerprint
    if let known = try transaction.keptAnswer(key, since: now - Self.lifetime) {
      guard known.fingerprint.starts(with: identity.key.fingerprint.bytes) else { throw Problem.otherContent }
      guard known.fingerprint == fingerprint else { throw Problem.otherRights }
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

  /// 409: the client had other rights when it used a key.
  static var otherRights: Problem {
    Problem(
      .conflict,
      "your roles or claims have changed since this `Idempotency-Key` was used, so its answer may not be yours; use a new key"
    )
  }

  /// 422: a key was used with another request.
  static var otherContent: Problem {
    Problem(.otherContent, "this `Idempotency-Key` was used for another request before; use a new one")
  }
}

/// The key that identifies a request, so that it is executed once however often it is sent.
struct IdempotencyKey: Hashable, Sendable {
  /// The unquoted text.
  let text: String
  /// The hash of the request's content.
  let fingerprint: ContentHash.Digest

  private static let maximumLength = 255

  /// - Throws: `RequestError` if a request has a key although its method makes no use of it.
  static func check(_ request: HTTPRequest) throws {
    guard request.method != .post, request.method != .patch, request.headers["Idempotency-Key"] != nil else {
      return
    }
    throw RequestError(
      .invalidValue,
      "`Idempotency-Key` is for POST and PATCH; leave it out, since \(request.method.token) can be repeated")
  }

  /// Parses the key of a request; returns nil if it has none.
  ///
  /// - Throws: `RequestError` if the field isn't a quoted string (RFC 9651 §3.3.3).
  init?(_ request: HTTPRequest) throws {
    let fields = request.headers.values(for: "Idempotency-Key")
    guard let field = fields.first else { return nil }
    guard fields.count == 1, let text = Self.text(of: field.trimmed), !text.isEmpty,
      text.utf8.count <= Self.maximumLength
    else {
      throw RequestError(
        .invalidValue,
        "`Idempotency-Key` must be a single string in quotes, of at most \(Self.maximumLength) characters")
    }
    self.text = text
    var hash = ContentHash()
    for part in [
      request.method.token, request.target, request.headers["Content-Type"] ?? "",
      request.headers["Prefer"] ?? "",
    ] {
      hash.update("\(part.utf8.count) \(part)")
    }
    request.body.withUnsafeBytes { hash.update($0) }
    if let file = request.longBody { Self.update(&hash, with: file) }
    fingerprint = hash.finish()
  }

  private static func text(of field: Substring) -> String? {
    guard field.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    guard field.first == "\"" else { return field.contains("\"") ? nil : String(field) }
    var text = ""
    var isEscaped = false
    var rest = field.dropFirst()
    while let character = rest.popFirst() {
      switch character {
      case "\"" where !isEscaped: return rest.isEmpty ? text : nil
      case "\\" where !isEscaped: isEscaped = true
      case "\"", "\\":
        text.append(character)
        isEscaped = false
      default:
        if isEscaped { return nil }
        text.append(character)
      }
    }
    return nil
  }

  private static func update(_ hash: inout ContentHash, with file: ContentFile) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { memory.deallocate() }
    var offset = 0
    while let count = file.read(into: memory, from: offset), count > 0 {
      hash.update(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      offset += count
    }
  }
}
