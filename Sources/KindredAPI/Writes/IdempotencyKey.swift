import KindredModel
import KindredHTTP
import KindredRequests
import KindredSpooling

/// The key that identifies a request, so that it is executed once however often it is sent.
struct IdempotencyKey: Hashable, Sendable {
  /// The unquoted text.
  let text: String
  /// The hash of the request's content.
  let fingerprint: ContentHash.Digest

  private static let maximumLength = 255

  /// - Throws: `RequestError` if a request has a key although its method makes no use of it.
  static func check(_ request: HTTPRequest) throws {
    guard request.method != .post, request.headers["Idempotency-Key"] != nil else { return }
    throw RequestError(
      .invalidValue,
      "`Idempotency-Key` is for POST; leave it out, since \(request.method.token) can be repeated")
  }

  /// Parses the key of a POST; returns nil if it has none.
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
    for part in [request.target, request.headers["Content-Type"] ?? "", request.headers["Prefer"] ?? ""] {
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
