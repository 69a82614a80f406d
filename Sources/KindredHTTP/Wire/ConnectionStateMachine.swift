/// Decides what happens on a connection, and in which order (RFC 9112 §9).
///
/// It does no I/O: the connection reports what it received and sent, and carries out the returned actions.
struct ConnectionStateMachine: Sendable {
  /// What to do next.
  enum Action: Sendable {
    /// Read more bytes.
    case read
    /// Check whether the head alone decides the response. If so, call `reject`, send the response with `framing`, then
    /// call `outputSent`; otherwise call `takeContent`.
    case consider(HTTPRequestHead)
    /// Store a part of content that is too long for memory.
    case keep([UInt8])
    /// Send 100 (Continue), then call `outputSent`.
    case sendContinue
    /// Answer the request with `framing`, then call `outputSent`; `content` follows the parts that were kept.
    case respond(HTTPRequestHead, content: [UInt8])
    /// Answer the error with `framing`, then call `outputSent`.
    case refuse(HTTPError)
    /// Close the sending direction, and go on reading (RFC 9112 §9.6).
    case linger
    /// Close the connection.
    case close
  }

  /// What a connection waits for.
  enum Waiting: Hashable, Sendable {
    /// The first byte of a request.
    case forRequest
    /// The first request of a new connection, which may be on its way, while the server shuts down.
    case forLastRequest
    /// The rest of a header section.
    case forHead
    /// The rest of a request's content.
    case forContent
    /// Room to send a response.
    case forOutput
    /// More of a response from the server itself, not for the client.
    case forBody
    /// The client to close the connection.
    case forEnd
  }

  private enum State {
    /// This error must be answered before anything else is read.
    case refused(HTTPError)
    case head
    case content(HTTPRequestHead)
    /// The request is nil if it could not be parsed.
    case answering(Answered?, isPersistent: Bool)
    case lingering(drained: Int)
    case closed
  }

  /// What the framing of a response depends on.
  private struct Answered {
    let isHead: Bool
    let version: HTTPVersion

    init(_ head: HTTPRequestHead) {
      isHead = head.method == .head
      version = head.version
    }
  }

  /// How many bytes are read and discarded before a connection is closed (RFC 9112 §9.6).
  static let maxDrained = 1 << 24

  private var parser: HTTPRequestParser
  private var state = State.head
  private var hasInputEnded = false
  /// Whether the client is waiting for 100 (Continue).
  private var owesContinue = false
  /// Whether the request in progress is the last.
  private(set) var isShuttingDown = false
  /// Whether no request has been received yet.
  private var isNew = true

  /// Creates the state of a new connection.
  init(limits: HTTPLimits) {
    parser = HTTPRequestParser(limits: limits)
  }

  /// Stops reading requests: the next action is to answer this error.
  mutating func refuse(_ error: HTTPError) {
    owesContinue = false
    state = .refused(error)
  }

  /// What the connection is waiting for.
  var waiting: Waiting {
    switch state {
    case .head where !parser.isBetweenRequests: .forHead
    case .head: isShuttingDown && isNew ? .forLastRequest : .forRequest
    case .content: .forContent
    case .refused, .answering: .forOutput
    case .lingering, .closed: .forEnd
    }
  }

  /// The number of bytes of a content in memory that is still being received.
  var contentLength: Int { parser.contentLength }

  /// Whether an answer other than 100 (Continue) is being sent.
  var isAnswering: Bool { if case .answering = state { true } else { false } }

  /// Consumes received bytes, and returns the next action.
  mutating func receive(_ input: UnsafeRawBufferPointer) -> (consumed: Int, action: Action) {
    var consumed = 0
    while true {
      switch state {
      case .refused(let error):
        state = .answering(nil, isPersistent: false)
        return (consumed, .refuse(error))
      case .head, .content:
        if owesContinue {
          owesContinue = false
          // RFC 9110 §10.1.1: a server may omit 100 (Continue) if content has already arrived.
          if consumed == input.count { return (consumed, .sendContinue) }
        }
        do throws(HTTPError) {
          let rest = UnsafeRawBufferPointer(rebasing: input[consumed...])
          let (count, event) = try parser.parse(rest)
          consumed += count
          // RFC 9112 §8: an incomplete request isn't answered once its client has stopped sending.
          guard let event else { return (consumed, hasInputEnded ? close() : .read) }
          if let action = take(event) { return (consumed, action) }
        } catch {
          state = .answering(nil, isPersistent: false)
          return (consumed, .refuse(error))
        }
      case .lingering(let drained):
        let total = drained + input.count - consumed
        state = .lingering(drained: total)
        return (input.count, hasInputEnded || total > Self.maxDrained ? close() : .read)
      case .answering, .closed:
        return (consumed, .close)
      }
    }
  }

  private mutating func take(_ event: consuming HTTPRequestParser.Event) -> Action? {
    isNew = false
    switch consume event {
    case .head(let head):
      state = .content(head)
      guard head.framing != .length(0) else { return nil }
      // RFC 9110 §10.1.1: a final status is due if the head alone decides it, as it does where content has no meaning
      // (§9.3.1, §9.3.2, §9.3.5).
      if head.expectsContinue, [.get, .head, .delete].contains(head.method) {
        state = .answering(Answered(head), isPersistent: false)
        return .respond(head, content: [])
      }
      owesContinue = head.expectsContinue
      return .consider(head)
    case .part(let content):
      guard case .content = state else { return close() }
      return .keep(content)
    case .content(let content):
      guard case .content(let head) = state else { return close() }
      state = .answering(Answered(head), isPersistent: head.isPersistent)
      return .respond(head, content: content)
    }
  }

  /// Receives the content of the request under consideration, or refuses it if it is too long.
  mutating func takeContent(isLong: Bool) {
    do throws(HTTPError) {
      try parser.limitContent(isLong: isLong)
    } catch {
      refuse(error)
    }
  }

  /// Answers the request under consideration without its content and then closes the connection: reading the content
  /// only to find the next request may cost more than a new connection.
  mutating func reject() {
    guard case .content(let head) = state else { return }
    owesContinue = false
    state = .answering(Answered(head), isPersistent: false)
  }

  /// Whether the connection should be closed when there is nothing to read.
  var isDone: Bool { isShuttingDown && waiting == .forRequest }

  /// Notes that the client has closed its sending direction.
  ///
  /// Requests received before are still answered.
  mutating func inputEnded() { hasInputEnded = true }

  /// Returns how the response is framed.
  ///
  /// Call it once for each `respond` and `refuse`.
  mutating func framing(for response: HTTPResponse) -> ResponseFraming {
    guard case .answering(let request, var isPersistent) = state else {
      return ResponseFraming(
        content: .none, sendsContent: false, isPersistent: false, announcesKeepAlive: false)
    }
    let content = Self.content(of: response, to: request)
    let saysClose =
      response.headers.withBytes(of: "Connection") { $0[...].equalsIgnoringCase("close") } ?? false
    isPersistent = isPersistent && !isShuttingDown && !saysClose && content != .untilClose
    state = .answering(request, isPersistent: isPersistent)
    return ResponseFraming(
      content: content, sendsContent: content != .none && !(request?.isHead ?? false),
      isPersistent: isPersistent, announcesKeepAlive: isPersistent && request?.version == .http1_0)
  }

  private static func content(
    of response: HTTPResponse, to request: Answered?
  ) -> ResponseFraming.Content {
    // RFC 9110 §8.6 and RFC 9112 §6.1: neither length nor chunks with 1xx and 204; 304 has no content (§15.4.5).
    if response.status.forbidsContent { return .none }
    switch response.body {
    case .none: return .length(0)
    case .bytes(let bytes): return .length(bytes.count)
    case .stream(_, let length?): return .length(length)
    // RFC 9112 §6.1: no chunks to a client that doesn't support HTTP/1.1.
    case .stream(_, nil): return request?.version == .http1_0 ? .untilClose : .chunked
    }
  }

  /// Notes that all output has been sent.
  mutating func outputSent() -> Action? {
    guard case .answering(_, let isPersistent) = state else { return nil }
    if isPersistent {
      state = .head
      return nil
    }
    state = .lingering(drained: 0)
    return .linger
  }

  /// Notes that the current wait has timed out.
  mutating func timedOut() -> Action {
    switch waiting {
    case .forHead, .forContent:
      // RFC 9110 §15.5.9.
      state = .answering(nil, isPersistent: false)
      return .refuse(HTTPError(.requestTimeout, "The request did not arrive in time."))
    case .forRequest, .forLastRequest, .forOutput, .forBody, .forEnd:
      return close()
    }
  }

  /// Notes that the server shuts down: the request in progress is the last.
  mutating func shutDown() { isShuttingDown = true }

  /// Closes the connection after the current response.
  mutating func endAfterAnswer() {
    guard case .answering(let request, _) = state else { return }
    state = .answering(request, isPersistent: false)
  }

  private mutating func close() -> Action {
    state = .closed
    return .close
  }
}
