/// A supported protocol version: any `HTTP/1.x` except 1.0 is treated as 1.1 (RFC 9110 §2.5).
public enum HTTPVersion: Hashable, Sendable {
  /// HTTP/1.0: no chunked coding, and a connection persists only if both ends say so.
  case http1_0
  /// HTTP/1.1, and any later minor version.
  case http1_1
}
