/// Parses requests from the bytes of a connection (RFC 9112).
///
/// It does no I/O: it takes bytes and returns events.
///
/// The caller keeps the bytes, and presents those not yet consumed again together with new ones. The events don't
/// depend on how the bytes are split.
public struct HTTPRequestParser: Sendable {
  /// A part of a request.
  public enum Event: Sendable {
    /// A valid head; its content follows.
    case head(HTTPRequestHead)
    /// The next part of content that is too long for memory, without its framing.
    case part([UInt8])
    /// The whole content without its framing, or the rest of it after parts. The next request follows.
    case content([UInt8])
  }

  private enum State {
    case requestLine
    case fields
    case length(remaining: Int)
    case chunked(ChunkedDecoder)
  }

  private let limits: HTTPLimits
  private var state = State.requestLine
  private var lines = LineScanner()
  private var head: RequestHeadParser
  private var headerLength = 0
  private var hasSkippedEmptyLine = false
  private var content: [UInt8] = []
  /// The largest length of the content.
  ///
  /// `partedLength` is how much of it has been returned in parts.
  private var maxContentLength: Int
  private var isContentLong = false
  private var partedLength = 0

  /// Long content is returned in parts of about this many bytes.
  private static let partLength = 1 << 16

  /// Creates a parser for a new connection.
  public init(limits: HTTPLimits) {
    self.limits = limits.bounded
    maxContentLength = limits.bounded.maxBodyLength
    head = RequestHeadParser(limits: limits.bounded)
  }

  /// Whether no byte of the next request has been seen.
  public var isBetweenRequests: Bool {
    if case .requestLine = state { lines.scanned == 0 } else { false }
  }

  /// The number of bytes of content in memory.
  var contentLength: Int { content.count }

  /// Sets, after the head, whether the content may have up to `maxLongBodyLength` bytes.
  public mutating func limitContent(isLong: Bool) throws(HTTPError) {
    isContentLong = isLong
    maxContentLength = isLong ? limits.maxLongBodyLength : limits.maxBodyLength
    if case .length(let length) = state, length > maxContentLength {
      throw .contentTooLarge(maxContentLength)
    }
  }

  /// Parses up to the next event, and returns how many bytes of `input` have been consumed.
  ///
  /// If there is no event, more bytes are needed. After an error nothing more can be parsed.
  public mutating func parse(
    _ input: UnsafeRawBufferPointer
  ) throws(HTTPError) -> (consumed: Int, event: Event?) {
    var position = 0
    while true {
      switch state {
      case .requestLine:
        guard let line = try requestLine(input, from: position) else { return (position, nil) }
        position = line.endIndex + 2
        if line.isEmpty {
          hasSkippedEmptyLine = true
        } else {
          try head.parseRequestLine(line)
          state = .fields
        }
      case .fields:
        let limit = limits.maxHeaderLength - headerLength
        guard
          let line = try lines.next(
            in: input, from: position, limit: limit, tooLong: .headersTooLarge(limits))
        else { return (position, nil) }
        position = line.endIndex + 2
        guard line.isEmpty else {
          headerLength += line.count
          try head.parseField(line)
          continue
        }
        let head = try head.finish()
        begin(head.framing)
        return (position, .head(head))
      case .length(let remaining):
        let count = min(remaining, input.count - position)
        content.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[position..<(position + count)]))
        position += count
        state = .length(remaining: remaining - count)
        return (position, count == remaining ? finishContent() : takePart())
      case .chunked(var decoder):
        let (end, isAtEnd) = try decoder.decode(
          input, from: position, into: &content, taken: partedLength, maxLength: maxContentLength)
        state = .chunked(decoder)
        return (end, isAtEnd ? finishContent() : takePart())
      }
    }
  }

  private mutating func requestLine(
    _ input: UnsafeRawBufferPointer, from position: Int
  ) throws(HTTPError) -> Slice<UnsafeRawBufferPointer>? {
    // Refuse input that isn't HTTP, such as a TLS handshake, at its first byte, instead of waiting for a line.
    if position < input.count {
      let first = input[position]
      guard first.isTokenCharacter || (first == .carriageReturn && !hasSkippedEmptyLine) else {
        throw .malformed("The request does not begin with a method.")
      }
    }
    return try lines.next(
      in: input, from: position,
      limit: limits.maxTargetLength + RequestHeadParser.maxRequestLineOverhead,
      tooLong: .targetTooLong(limits))
  }

  private mutating func begin(_ framing: HTTPRequestHead.Framing) {
    headerLength = 0
    hasSkippedEmptyLine = false
    switch framing {
    case .length(let length):
      // Don't allocate what the client has only announced.
      content.reserveCapacity(min(length, 1 << 16))
      state = .length(remaining: length)
    case .chunked:
      state = .chunked(ChunkedDecoder(limits: limits))
    }
    maxContentLength = limits.maxBodyLength
    isContentLong = false
  }

  /// Returns the received part of long content once it is large enough.
  private mutating func takePart() -> Event? {
    guard isContentLong, content.count >= Self.partLength else { return nil }
    defer { content = [] }
    partedLength += content.count
    return .part(content)
  }

  private mutating func finishContent() -> Event {
    state = .requestLine
    partedLength = 0
    defer { content = [] }
    return .content(content)
  }
}
