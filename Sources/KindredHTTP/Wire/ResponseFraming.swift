/// How a response is framed (RFC 9112 §6).
struct ResponseFraming: Hashable, Sendable {
  /// How the client finds the end of the content.
  enum Content: Hashable, Sendable {
    /// There is no content, whatever the fields say (RFC 9112 §6.3, 1).
    case none
    /// `Content-Length`.
    case length(Int)
    /// `Transfer-Encoding: chunked`.
    case chunked
    /// The end of the connection, for HTTP/1.0, which has no chunks.
    case untilClose
  }

  var content: Content
  /// Whether content is sent: false for HEAD.
  var sendsContent: Bool
  /// Whether the connection persists.
  var isPersistent: Bool
  /// Whether persistence must be announced: to an HTTP/1.0 client that requested it (RFC 9112 §9.3).
  var announcesKeepAlive: Bool
}
