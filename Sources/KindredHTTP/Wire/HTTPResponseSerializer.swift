/// Serialises a response, part by part.
///
/// It does no I/O: it returns the bytes to send, and the caller reports how many were sent.
///
/// Small parts are gathered with the head in one buffer, because copying them costs less than a system call; large ones
/// are sent from their own memory.
struct HTTPResponseSerializer: ~Copyable {
  private enum Part {
    case none
    /// A stream's memory, valid until the stream is called again.
    case borrowed(UnsafeRawBufferPointer)
    case owned(ArraySlice<UInt8>)
  }

  /// Thrown if a stream's content doesn't have the announced length.
  struct LengthMismatch: Error {}

  /// Parts below this are copied.
  private static let gatheredPartLength = 8192
  /// Parts of a live stream below this are copied.
  private static let gatheredEventLength = 512
  /// No more parts are gathered beyond this length.
  private static let gatheredLength = 32768

  private var gathered = ByteBuffer(capacity: 1024)
  private var part = Part.none
  /// The bytes after `part`: the CRLF after a chunk's data.
  private var partEnd = UnsafeRawBufferPointer(start: nil, count: 0)
  private var stream: (any HTTPBodyStream)?
  /// Whether the stream has been read from: its first part is sent together with the head.
  private var isStarted = false
  private var isChunked = false
  private var remaining: Int?
  private var date = HTTPDate()

  private static let lineEnd: StaticString = "\r\n"

  deinit { stream?.close() }

  /// Whether a response hasn't been sent completely yet.
  var isActive: Bool { stream != nil || hasPending }

  /// Whether there are bytes to send.
  var hasPending: Bool {
    if case .none = part { !gathered.isEmpty || !partEnd.isEmpty } else { true }
  }

  /// Whether `fill` must be called to get more from the stream.
  var needsFilling: Bool {
    guard stream != nil, case .none = part, partEnd.isEmpty else { return false }
    return gathered.isEmpty || !isStarted
  }

  /// Queues `HTTP/1.1 100 Continue` (RFC 9110 §15.2.1).
  mutating func beginContinue() {
    gathered.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  /// Queues a response.
  mutating func begin(_ response: HTTPResponse, framing: ResponseFraming) {
    appendHead(response, framing)
    switch response.body {
    case .none: break
    case .bytes(let bytes):
      guard framing.sendsContent else { break }
      if bytes.count < Self.gatheredPartLength {
        bytes.withUnsafeBytes { gathered.append($0) }
      } else {
        part = .owned(bytes[...])
      }
    case .stream(let stream, let length):
      guard framing.sendsContent else {
        stream.close()
        break
      }
      self.stream = stream
      isStarted = false
      isChunked = framing.content == .chunked
      remaining = length
    }
  }

  private mutating func appendHead(_ response: HTTPResponse, _ framing: ResponseFraming) {
    gathered.append("HTTP/1.1 ")
    gathered.append(response.status.code)
    gathered.append(" ")
    gathered.append(response.status.reason)
    gathered.append("\r\nDate: ")
    date.now().withUnsafeBytes { gathered.append($0) }
    gathered.append("\r\n")
    appendFields(response.headers)
    switch framing.content {
    case .none, .untilClose: break
    case .length(let length):
      gathered.append("Content-Length: ")
      gathered.append(length)
      gathered.append("\r\n")
    case .chunked:
      gathered.append("Transfer-Encoding: chunked\r\n")
    }
    // RFC 9112 §9.6: a server that closes the connection after the response says so.
    if !framing.isPersistent {
      gathered.append("Connection: close\r\n\r\n")
    } else if framing.announcesKeepAlive {
      gathered.append("Connection: keep-alive\r\n\r\n")
    } else {
      gathered.append("\r\n")
    }
  }

  private mutating func appendFields(_ headers: HTTPHeaders) {
    headers.forEachField { name, value in
      // The server alone decides the framing; a handler's fields must not contradict it.
      switch name.count {
      case 4 where name[...].equalsIgnoringCase("date"): return
      case 10 where name[...].equalsIgnoringCase("connection"): return
      case 14 where name[...].equalsIgnoringCase("content-length"): return
      case 17 where name[...].equalsIgnoringCase("transfer-encoding"): return
      default: break
      }
      gathered.append(name)
      gathered.append(": ")
      gathered.append(value)
      gathered.append("\r\n")
    }
  }

  /// Reads more from the stream, once everything before has been sent.
  ///
  /// Afterwards there are bytes to send, or the response has ended, or a live stream has nothing at the moment.
  mutating func fill() throws {
    isStarted = true
    var isFirst = true
    while let stream, case .none = part, gathered.count < Self.gatheredLength {
      // What was gathered doesn't wait with the stream; the head waits for the first part, which may yet fail.
      if !isFirst, stream.mayWait { return }
      guard let next = try stream.next() else {
        if let remaining, remaining != 0 { throw LengthMismatch() }
        return finish()
      }
      if next.isEmpty {
        if stream.isLive { return }
        continue
      }
      isFirst = false
      if let remaining {
        guard next.count <= remaining else { throw LengthMismatch() }
        self.remaining = remaining - next.count
      }
      append(next)
    }
  }

  /// Ends a complete response.
  mutating func finish() {
    close()
    // RFC 9112 §7.1: the last chunk and an empty trailer section.
    if isChunked { gathered.append("0\r\n\r\n") }
  }

  private mutating func append(_ next: UnsafeRawBufferPointer) {
    if isChunked, let chunk = stream?.chunk {
      part = .borrowed(chunk)
      return
    }
    if isChunked {
      gathered.append(next.count, radix: 16)
      gathered.append("\r\n")
    }
    // Many listeners share an event: a copy for each would cost more than one more buffer per write.
    let isLive = stream?.isLive ?? false
    if next.count < (isLive ? Self.gatheredEventLength : Self.gatheredPartLength) {
      gathered.append(next)
      if isChunked { gathered.append("\r\n") }
    } else {
      part = .borrowed(next)
      if isChunked {
        partEnd = UnsafeRawBufferPointer(start: Self.lineEnd.utf8Start, count: 2)
      }
    }
  }

  /// Lets the stream release resources that others wait for.
  mutating func yield() throws {
    guard let stream else { return }
    // Unless it is live, the stream may reuse its memory in `yield`.
    if !stream.isLive, case .borrowed(let bytes) = part { part = .owned(ArraySlice(bytes)) }
    try stream.yield()
  }

  /// Closes the stream, whether the response is complete or not.
  mutating func close() {
    stream?.close()
    stream = nil
  }

  /// Calls `body` with the bytes to send next; all are empty when the response has been sent.
  func withPending<Result>(
    _ body: (
      _ head: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer, _ end: UnsafeRawBufferPointer
    ) -> Result
  ) -> Result {
    switch part {
    case .none:
      body(gathered.readable, UnsafeRawBufferPointer(start: nil, count: 0), partEnd)
    case .borrowed(let bytes):
      body(gathered.readable, bytes, partEnd)
    case .owned(let bytes):
      bytes.withUnsafeBytes { body(gathered.readable, $0, partEnd) }
    }
  }

  /// Notes that the next `count` bytes have been sent.
  mutating func advance(by count: Int) {
    let ofHead = min(count, gathered.count)
    gathered.consume(ofHead)
    var rest = count - ofHead
    switch part {
    case .none: break
    case .borrowed(let bytes):
      let sent = min(rest, bytes.count)
      rest -= sent
      part = sent == bytes.count ? .none : .borrowed(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
    case .owned(let bytes):
      let sent = min(rest, bytes.count)
      rest -= sent
      part = sent == bytes.count ? .none : .owned(bytes.dropFirst(sent))
    }
    partEnd = UnsafeRawBufferPointer(rebasing: partEnd.dropFirst(rest))
  }
}
