import KindredSpooling

/// A complete request.
public struct HTTPRequest: Sendable {
  /// The method.
  public var method: HTTPMethod

  /// The target in origin-form, percent-encoded as received (RFC 9112 §3.2.1): `/books?limit=3`.
  ///
  /// An absolute-form is reduced to it, its authority being in `Host`. The asterisk-form of `OPTIONS` is `*`.
  public var target: String { didSet { (path, query) = Self.parts(of: target) } }

  /// The target up to its `?`, percent-encoded as received.
  public private(set) var path: Substring

  /// The target after its first `?`, percent-encoded as received, or nil if there is none.
  public private(set) var query: Substring?

  /// The protocol version.
  public var version: HTTPVersion

  /// The header fields; trailer fields are not among them (RFC 9110 §6.5.1).
  public var headers: HTTPHeaders

  /// The content, without its framing.
  public var body: [UInt8]

  /// The content, in place of `body`, if it is too long for memory (`HTTPDecision.receive`).
  public var longBody: ContentFile?

  /// Whether the request has content.
  public var hasContent: Bool { !body.isEmpty || longBody != nil }

  /// The numeric address and port of the client, or nil if unknown.
  public var peer: String?

  /// The owner of the client's address; nil for a request that comes from no connection.
  public var client: ClientAddress?

  /// Whether a trusted proxy passed it on with `X-Forwarded-For`, which is ignored, and without `Forwarded`.
  public var isOfUnnamedClient = false

  /// Whether the request came over TLS.
  public var isSecure: Bool

  /// Whether the client requested an `https` URL, in absolute-form.
  public var isForHTTPS = false

  /// Set once the answer is no longer wanted.
  public let cancellation: HTTPCancellation

  /// Creates a request that comes from no connection, for in-process calls and tests.
  public init(
    method: HTTPMethod, target: String, version: HTTPVersion = .http1_1, headers: HTTPHeaders = [:],
    body: [UInt8] = [], longBody: ContentFile? = nil, peer: String? = nil, isSecure: Bool = false,
    cancellation: HTTPCancellation = HTTPCancellation()
  ) {
    let parts = Self.parts(of: target)
    self.method = method
    self.target = target
    path = parts.path
    query = parts.query
    self.version = version
    self.headers = headers
    self.body = body
    self.longBody = longBody
    self.peer = peer
    client = nil
    self.isSecure = isSecure
    self.cancellation = cancellation
  }

  /// Returns what precedes and follows the first `?`.
  private static func parts(of target: String) -> (path: Substring, query: Substring?) {
    let offset = target.utf8.withContiguousStorageIfAvailable { $0.firstIndex(of: .questionMark) }
    let mark =
      if let offset {
        offset.map { target.utf8.index(target.startIndex, offsetBy: $0) }
      } else {
        target.utf8.firstIndex(of: .questionMark)
      }
    guard let mark else { return (target[...], nil) }
    return (target[..<mark], target[target.utf8.index(after: mark)...])
  }
}
