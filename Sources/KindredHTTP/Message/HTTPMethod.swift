/// A request method (RFC 9110 §9): a case-sensitive token.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
  /// The token as received.
  public let token: String

  /// Creates a method; returns nil if `token` isn't a token (RFC 9110 §5.6.2).
  public init?(_ token: String) {
    guard !token.isEmpty, token.utf8.allSatisfy(\.isTokenCharacter) else { return nil }
    self.token = token
  }

  /// Creates a method from bytes that the parser has validated as a token.
  init(validated bytes: Slice<UnsafeRawBufferPointer>) {
    token = String(decoding: bytes, as: UTF8.self)
  }

  private init(known token: String) { self.token = token }

  /// `GET` (RFC 9110 §9.3.1).
  public static let get = HTTPMethod(known: "GET")
  /// `HEAD` (RFC 9110 §9.3.2).
  public static let head = HTTPMethod(known: "HEAD")
  /// `POST` (RFC 9110 §9.3.3).
  public static let post = HTTPMethod(known: "POST")
  /// `PUT` (RFC 9110 §9.3.4).
  public static let put = HTTPMethod(known: "PUT")
  /// `DELETE` (RFC 9110 §9.3.5).
  public static let delete = HTTPMethod(known: "DELETE")
  /// `OPTIONS` (RFC 9110 §9.3.7).
  public static let options = HTTPMethod(known: "OPTIONS")
  /// `PATCH` (RFC 5789).
  public static let patch = HTTPMethod(known: "PATCH")

  /// `QUERY` (RFC 10008): a safe request whose content is the query.
  public static let query = HTTPMethod(known: "QUERY")

  /// The token.
  public var description: String { token }
}
