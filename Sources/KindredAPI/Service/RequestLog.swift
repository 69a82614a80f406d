import KindredHTTP

/// A log of the requests.
///
/// Apart from the log of messages: what is noted of each request is always the same, and may cost but a fraction of a
/// short answer.
public protocol RequestLog: Sendable {
  /// Notes a request, once the last byte of its answer has been made.
  func note(_ request: AnsweredRequest)
  /// Notes what was refused before it was a request.
  func noteRefusal(_ status: HTTPStatus)
}

/// What is noted of a request.
public struct AnsweredRequest: Sendable {
  /// What was to be done with it.
  public let method: HTTPMethod
  /// Without the query, which holds values; as it was received, and so with bytes in it that no URL has.
  public let path: Substring
  /// The same as a URL has it: no control character, space or quote in it can forge a line.
  public var encodedPath: String { URLCoding.encodeUnsafe(String(path)) }
  /// How it went.
  public let status: HTTPStatus
  /// How many bytes the content has, as it was sent.
  public let byteCount: Int
  /// From the request to the last byte of its answer.
  public let nanoseconds: UInt64
  /// The client's address and port; nil where they aren't known.
  public let peer: String?
}
