/// How an answer goes over the wire (RFC 9112 §6).
struct ResponseFraming: Hashable, Sendable {
  /// How the client finds the end of the content.
  enum Content: Hashable, Sendable {
    /// There is none, whatever the fields say (RFC 9112 §6.3, 1).
    case none
    /// `Content-Length`.
    case length(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// The end of the connection: for HTTP/1.0, which has no chunks.
    case untilClose
  }

  var content: Content
  /// Whether content is sent: not to HEAD.
  var sendsContent: Bool
  /// Whether the connection persists.
  var isPersistent: Bool
  /// Whether persistence must be said: to a client of HTTP/1.0 that asked for it (RFC 9112 §9.3).
  var announcesKeepAlive: Bool
}
