import KindredModel
import KindredCryptography
import Synchronization

/// Encodes cursors as text for URLs: sealed, so that they reveal nothing and can't be forged, and bound to their
/// request.
///
///     what follows (1 for a digest, 2 for a time), passed (varint), time (varint), digest (16 bytes),
///     values (kind, then 8 bytes or length and bytes), padding (kind, random bytes, zeros)
package struct CursorCoding: Sendable {
  private let seal: Seal
  private let sealed = SealedCursors()
  /// A text that other keys don't have, and that doesn't reveal the key.
  package let keyName: String

  /// - Parameter key: ``Seal/keyLength`` bytes; random by default, so that cursors of another run are refused.
  package init?(key: [UInt8]? = nil) {
    guard let seal = Seal(key: key ?? .random(count: Seal.keyLength)),
      let name = seal.seal([0], with: Array("key".utf8))
    else { return nil }
    self.seal = seal
    keyName = Base64.encodeForURL(name)
  }

  /// Returns the cursor as text for the next page of a request.
  ///
  /// - Parameters:
  ///   - isHidden: Whether not even the length and the equality of values may show.
  ///   - request: The data that must be the same when the cursor is decoded.
  /// - Returns: The text, or nil if OpenSSL fails.
  package func encode(_ cursor: Cursor, isHidden: Bool, for request: [UInt8]) -> String? {
    var bytes: [UInt8] = [
      (cursor.digest == nil ? 0 : Self.digestFlag) | (cursor.time == nil ? 0 : Self.timeFlag)
    ]
    bytes.append(varint: UInt64(bitPattern: cursor.passed))
    if let time = cursor.time { bytes.append(varint: UInt64(bitPattern: time)) }
    bytes += cursor.digest ?? []
    for value in cursor.values { bytes.append(value) }
    guard isHidden else { return sealed.text(of: bytes, for: request) { seal(bytes, with: request) } }
    // Equal values differ, and the length depends on nothing but the number of terms.
    bytes.append(Self.padding)
    bytes += [UInt8].random(count: Self.randomLength)
    let length = Self.unvaluedLength + cursor.values.count * Self.hiddenValueLength
    bytes += [UInt8](repeating: 0, count: max(0, length - bytes.count))
    return seal(bytes, with: request)
  }

  /// Seals bytes as text for a URL that only the same key opens; returns nil if OpenSSL fails.
  ///
  /// - Parameter associated: The data that must be the same when the text is opened.
  func seal(_ bytes: [UInt8], with associated: [UInt8]) -> String? {
    seal.seal(bytes, with: associated).map(Base64.encodeForURL)
  }

  /// Returns the bytes that were sealed, or nil for any other text.
  func open(_ text: String, with associated: [UInt8]) -> [UInt8]? {
    guard let sealed = Base64.decode(text), Base64.encodeForURL(sealed) == text else { return nil }
    return seal.open(sealed, with: associated)
  }

  /// - Parameter parameter: The parameter that contains the text.
  /// - Throws: `RequestError` for a text that no page of such a request contained.
  package func decode(_ text: String, in parameter: String, for request: [UInt8]) throws -> Cursor {
    guard let bytes = open(text, with: request), let cursor = Self.cursor(bytes[...]) else {
      throw RequestError(
        .invalidValue,
        "the cursor is damaged, or belongs to another request or another run of the server; use the one in `Link`",
        at: Origin(parameter: parameter))
    }
    return cursor
  }

  private static let digestFlag: UInt8 = 1
  private static let timeFlag: UInt8 = 2
  private static let digestLength = 16
  /// The kind of what follows the values.
  private static let padding: UInt8 = 0xFF
  private static let randomLength = 16
  /// The maximum length of everything but the values: the flags, two varints, the digest and the start of the padding.
  private static let unvaluedLength = 1 + 2 * 10 + digestLength + 1 + randomLength
  /// The maximum length of a value that is hidden, with its kind and its length.
  private static let hiddenValueLength = 2 + Cursor.hiddenValueSize

  private static func cursor(_ bytes: ArraySlice<UInt8>) -> Cursor? {
    var bytes = bytes
    guard let flags = bytes.popFirst(), let passed = bytes.takeVarint() else { return nil }
    var cursor = Cursor(values: [])
    cursor.passed = Int64(bitPattern: passed)
    if flags & timeFlag != 0 {
      guard let time = bytes.takeVarint() else { return nil }
      cursor.time = Int64(bitPattern: time)
    }
    if flags & digestFlag != 0 {
      guard let digest = bytes.take(digestLength) else { return nil }
      cursor.digest = digest
    }
    while let kind = bytes.first, kind != padding {
      guard let value = bytes.takeValue() else { return nil }
      cursor.values.append(value)
    }
    return cursor
  }
}

extension [UInt8] {
  fileprivate mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  fileprivate mutating func append(_ value: Cursor.Value) {
    func append(_ kind: UInt8, _ word: UInt64) {
      self.append(kind)
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        self.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    func append(_ kind: UInt8, _ bytes: [UInt8]) {
      self.append(kind)
      self.append(varint: UInt64(bytes.count))
      self += bytes
    }
    switch value {
    case .null: self.append(0)
    case .integer(let value): append(1, UInt64(bitPattern: value))
    case .real(let bits): append(2, bits)
    case .text(let bytes): append(3, bytes)
    case .blob(let bytes): append(4, bytes)
    case .textBeginning(let bytes): append(5, bytes)
    case .blobBeginning(let bytes): append(6, bytes)
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func take(_ count: Int) -> [UInt8]? {
    guard count <= self.count else { return nil }
    defer { self = dropFirst(count) }
    return Array(prefix(count))
  }

  fileprivate mutating func takeVarint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  fileprivate mutating func takeValue() -> Cursor.Value? {
    func word() -> UInt64? { take(8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    func bytes() -> [UInt8]? { takeVarint().flatMap { take(Int(clamping: $0)) } }
    switch popFirst() {
    case 0: return .null
    case 1: return word().map { .integer(Int64(bitPattern: $0)) }
    case 2: return word().map { .real($0) }
    case 3: return bytes().map { .text($0) }
    case 4: return bytes().map { .blob($0) }
    case 5: return bytes().map { .textBeginning($0) }
    case 6: return bytes().map { .blobBeginning($0) }
    default: return nil
    }
  }
}

/// Thrown if cursors can't be sealed: the key isn't 32 bytes long, or OpenSSL lacks AES-SIV.
public struct CursorKeyError: Error, CustomStringConvertible {
  package init() {}

  /// A sentence that explains the error.
  public var description: String {
    "page cursors can't be encrypted; the key must have 32 bytes, and OpenSSL must be version 3 or later"
  }
}

/// Remembers the latest sealed cursors: the same pages are requested again and again, and sealing takes longer than
/// writing the fields of a response.
///
/// Equal cursors of equal requests have equal sealed forms, so that no entry is ever outdated. An entry's slot follows
/// from its content, and a newer entry replaces an older one: memory is bounded.
private final class SealedCursors: Sendable {
  private struct Entry {
    let cursor: [UInt8]
    let request: [UInt8]
    let text: String
  }

  /// A power of two.
  private static let capacity = 256
  /// The length of the longest cursors and requests that are remembered, in bytes.
  private static let maximumLength = 512
  private let entries = Mutex([Entry?](repeating: nil, count: capacity))

  /// Returns the sealed form of a cursor, calling `seal` unless it is remembered.
  ///
  /// - Parameters:
  ///   - cursor: The bytes of the cursor.
  ///   - request: The data that the cursor is bound to.
  func text(of cursor: [UInt8], for request: [UInt8], _ seal: () -> String?) -> String? {
    guard cursor.count <= Self.maximumLength, request.count <= Self.maximumLength else { return seal() }
    var hasher = Hasher()
    cursor.withUnsafeBytes { hasher.combine(bytes: $0) }
    request.withUnsafeBytes { hasher.combine(bytes: $0) }
    let slot = hasher.finalize() & (Self.capacity - 1)
    if let entry = entries.withLock({ $0[slot] }), entry.cursor == cursor, entry.request == request {
      return entry.text
    }
    // Outside the lock, because it takes long.
    guard let text = seal() else { return nil }
    entries.withLock { $0[slot] = Entry(cursor: cursor, request: request, text: text) }
    return text
  }
}
