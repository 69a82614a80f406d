/// A request without its content.
public struct HTTPRequestHead: Sendable {
  /// How the length of the content is determined (RFC 9112 §6.3).
  public enum Framing: Hashable, Sendable {
    /// By `Content-Length`; 0 without any framing field.
    case length(Int)
    /// By the chunked transfer coding.
    case chunked
  }

  /// The method.
  public internal(set) var method: HTTPMethod
  /// The target in origin-form, or `*`.
  public internal(set) var target: String
  /// Whether the target is an `https` URL.
  public internal(set) var isForHTTPS: Bool
  /// The protocol version.
  public internal(set) var version: HTTPVersion
  /// The header fields; `Host` is taken from the target if that was in absolute-form.
  public internal(set) var headers: HTTPHeaders
  /// The content's framing.
  public internal(set) var framing: Framing
  /// Whether the client waits for 100 (Continue) before it sends the content (RFC 9110 §10.1.1).
  public internal(set) var expectsContinue: Bool
  /// Whether the client lets the connection persist (RFC 9112 §9.3).
  public internal(set) var isPersistent: Bool
}
