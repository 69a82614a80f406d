/// A response.
public struct HTTPResponse {
  /// The status.
  public var status: HTTPStatus

  /// The header fields.
  ///
  /// `Content-Length`, `Transfer-Encoding` and `Date` are ignored here: the server writes them. `Connection: close`
  /// closes the connection after the response.
  public var headers: HTTPHeaders

  /// The content.
  ///
  /// The response to HEAD is the same as to GET; the server omits its content.
  public var body: HTTPBody

  /// Creates a response.
  public init(status: HTTPStatus, headers: HTTPHeaders = [:], body: HTTPBody = .none) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The content of a response.
public enum HTTPBody {
  /// No content.
  case none
  /// Content in memory.
  case bytes([UInt8])
  /// Content that is read while it is sent. `length` is its number of bytes, if known; a stream that yields more or
  /// fewer ends the connection.
  case stream(any HTTPBodyStream, length: Int?)
}

/// Content that is read while it is sent.
///
/// It is called on one thread at a time, and only after the handler that created it has returned.
public protocol HTTPBodyStream: AnyObject {
  /// Whether the stream may temporarily have nothing, as a stream of events does.
  ///
  /// The `next` of a live stream never blocks: it returns an empty part if there is nothing at the moment. Meanwhile
  /// the stream occupies no thread; it ends when the server shuts down or the client disconnects. Its parts stay valid
  /// until the next call of `next` or `close`. A stream that wraps another forwards this.
  var isLive: Bool { get }

  /// Whether the next call of `next` may wait for something other than the processor, so that everything before should
  /// be sent first; false by default.
  ///
  /// A stream that wraps another forwards this.
  var mayWait: Bool { get }

  /// Called once, before the first `next`, with a closure that makes the connection look at the stream again.
  ///
  /// `wake` may be called at any time, on any thread, even after `close`. The connection then calls ``yield()`` and,
  /// once everything before has been sent, `next`. A stream that wraps another forwards this.
  func onReady(_ wake: @escaping @Sendable () -> Void)

  /// Returns the next part, valid until the next call of any function; nil at the end.
  ///
  /// It is called once everything before has been sent. An error ends the connection without the final chunk, so that
  /// the client sees an incomplete response (RFC 9112 §8).
  func next() throws -> UnsafeRawBufferPointer?

  /// The part that `next` has returned, as a chunk (RFC 9112 §7.1); nil, as by default, if the connection has to make it.
  ///
  /// A stream that wraps another and returns the same parts forwards this.
  var chunk: UnsafeRawBufferPointer? { get }

  /// Called some time after each `wake`, even before the last part has been sent, so that the stream can release
  /// resources that others wait for.
  ///
  /// An error ends the connection, as one of `next` does. A stream that wraps another forwards this.
  func yield() throws

  /// Called exactly once, when no further part is needed: the content ended, the client disconnected, an error was
  /// thrown, or the request was HEAD.
  func close()
}

extension HTTPBodyStream {
  /// False: the stream always has something until its end.
  public var isLive: Bool { false }

  /// False: nothing has to be sent first.
  public var mayWait: Bool { false }

  /// Nil: parts aren't shared.
  public var chunk: UnsafeRawBufferPointer? { nil }

  /// Ignores `wake`.
  public func onReady(_ wake: @escaping @Sendable () -> Void) {}

  /// Does nothing.
  public func yield() throws {}
}
