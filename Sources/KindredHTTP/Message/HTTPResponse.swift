/// An answer.
public struct HTTPResponse {
  /// The status.
  public var status: HTTPStatus

  /// The header fields.
  ///
  /// `Content-Length`, `Transfer-Encoding` and `Date` are the server's to write: they are ignored here.
  /// `Connection: close` closes the connection after the answer.
  public var headers: HTTPHeaders

  /// The content.
  ///
  /// The answer to HEAD is given as for GET; the server leaves its content out.
  public var body: HTTPBody

  /// An answer.
  public init(status: HTTPStatus, headers: HTTPHeaders = [:], body: HTTPBody = .none) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The content of an answer.
public enum HTTPBody {
  /// No content.
  case none
  /// Content in memory.
  case bytes([UInt8])
  /// Content that is read while it is sent. `length` is the number of bytes where it is known; a stream that
  /// gives more or less ends the connection.
  case stream(any HTTPBodyStream, length: Int?)
}

/// A body that is read as it is sent.
///
/// Called on one thread at a time, and never while the handler that made it still runs.
public protocol HTTPBodyStream: AnyObject {
  /// Whether the stream may have nothing at the moment, such as a stream of events.
  ///
  /// `next` of a live stream never waits: it gives an empty part for now. While the stream has nothing it costs no
  /// thread; the server's shutdown and the client's leaving end it. Its parts stay valid until the next `next` or
  /// `close`. A stream around another forwards this.
  var isLive: Bool { get }

  /// Called once, before the first `next`, with what has the connection look at the stream again.
  ///
  /// `wake` may be called at any time, on any thread, also after `close`: the connection then calls ``yield()`` and,
  /// once the client has taken what there is, `next`. A stream around another forwards this.
  func onReady(_ wake: @escaping @Sendable () -> Void)

  /// The next part, valid until the next call of any function; nil at the end.
  ///
  /// It is asked for when the client has taken what came before. An error ends the connection without the
  /// final chunk, so that the client sees the answer as incomplete (RFC 9112 §8).
  func next() throws -> UnsafeRawBufferPointer?

  /// Called some time after each `wake`, also while the client has yet to take the last part: the occasion to release
  /// what others wait for.
  ///
  /// An error ends the connection, as one of `next` does. A stream around another forwards this.
  func yield() throws

  /// Called exactly once, when no further part will be asked for: the body ended, the client has gone, an
  /// error was thrown, or the request was HEAD.
  func close()
}

extension HTTPBodyStream {
  /// Has something at any time.
  public var isLive: Bool { false }

  /// Wakes nobody.
  public func onReady(_ wake: @escaping @Sendable () -> Void) {}

  /// Holds nothing that others wait for.
  public func yield() throws {}
}
