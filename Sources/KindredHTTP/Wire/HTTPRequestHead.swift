/// What stands before a request's content.
public struct HTTPRequestHead: Sendable {
  /// How the end of the content is found (RFC 9112 §6.3).
  public enum Framing: Hashable, Sendable {
    /// This many bytes; 0 where the request says nothing.
    case length(Int)
    /// By the last chunk.
    case chunked
  }

  /// The method.
  public internal(set) var method: HTTPMethod
  /// The target in origin-form, or `*`.
  public internal(set) var target: String
  /// The protocol version.
  public internal(set) var version: HTTPVersion
  /// The fields; `Host` is that of the target where it was in absolute-form.
  public internal(set) var headers: HTTPHeaders
  /// The content's framing.
  public internal(set) var framing: Framing
  /// Whether the client waits for a 100 before it sends the content (RFC 9110 §10.1.1).
  public internal(set) var expectsContinue: Bool
  /// Whether the client lets the connection persist (RFC 9112 §9.3).
  public internal(set) var isPersistent: Bool
}
