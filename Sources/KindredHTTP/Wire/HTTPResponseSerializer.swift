/// Writes an answer down, part by part.
///
/// Without I/O: it says what is to be sent, and is told how much was.
///
/// Small parts are gathered with the head in one buffer, because copying them costs less than a system call;
/// large ones are sent from where they lie.
struct HTTPResponseSerializer: ~Copyable {
  private enum Part {
    case none
    /// Of a stream, valid until the stream is called again.
    case borrowed(UnsafeRawBufferPointer)
    case owned(ArraySlice<UInt8>)
  }

  /// What a stream gave is not what was announced.
  struct LengthMismatch: Error {}

  /// Parts below this are copied.
  private static let gatheredPartLength = 8192
  /// Parts of a live stream below this are copied.
  private static let gatheredEventLength = 512
  /// No more is gathered than this.
  private static let gatheredLength = 32768

  private var gathered = ByteBuffer(capacity: 1024)
  private var part = Part.none
  /// What follows `part`: CRLF after a chunk's data.
  private var partEnd = UnsafeRawBufferPointer(start: nil, count: 0)
  private var stream: (any HTTPBodyStream)?
  /// Whether the stream has been asked for anything: its first part goes out together with the head.
  private var isStarted = false
  private var isChunked = false
  private var remaining: Int?
  private var date = HTTPDate()

  private static let lineEnd: StaticString = "\r\n"

  deinit { stream?.close() }

  /// Whether an answer is not yet sent to its end.
  var isActive: Bool { stream != nil || hasPending }

  /// Whether there is something to send.
  var hasPending: Bool {
    if case .none = part { !gathered.isEmpty || !partEnd.isEmpty } else { true }
  }

  /// Whether the stream is to be asked for more, by `fill`.
  var needsFilling: Bool {
    guard stream != nil, case .none = part, partEnd.isEmpty else { return false }
    return gathered.isEmpty || !isStarted
  }

  /// Queues `HTTP/1.1 100 Continue` (RFC 9110 §15.2.1).
  mutating func beginContinue() {
    gathered.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  /// Queues an answer.
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
    // RFC 9112 §9.6: a server that closes after the answer says so.
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
      // The framing is decided here, and only here: nothing a handler says may contradict it.
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

  /// Asks the stream for more, once everything before has been sent.
  ///
  /// Afterwards there is something to send, or the answer has ended, or a live stream has nothing yet.
  mutating func fill() throws {
    isStarted = true
    while let stream, case .none = part, gathered.count < Self.gatheredLength {
      guard let next = try stream.next() else {
        if let remaining, remaining != 0 { throw LengthMismatch() }
        return finish()
      }
      if next.isEmpty {
        if stream.isLive { return }
        continue
      }
      if let remaining {
        guard next.count <= remaining else { throw LengthMismatch() }
        self.remaining = remaining - next.count
      }
      append(next)
    }
  }

  /// Ends the answer as complete.
  mutating func finish() {
    close()
    // RFC 9112 §7.1: the last chunk and an empty trailer section.
    if isChunked { gathered.append("0\r\n\r\n") }
  }

  private mutating func append(_ next: UnsafeRawBufferPointer) {
    if isChunked {
      gathered.append(next.count, radix: 16)
      gathered.append("\r\n")
    }
    // An event belongs to many listeners: a copy for each would cost more than one more buffer to write from.
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

  /// Gives the stream the occasion to release what others wait for.
  mutating func yield() throws {
    guard let stream else { return }
    // The stream's memory may be used anew, except for a live one.
    if !stream.isLive, case .borrowed(let bytes) = part { part = .owned(ArraySlice(bytes)) }
    try stream.yield()
  }

  /// Asks the stream for nothing more, whether the answer is complete or not.
  mutating func close() {
    stream?.close()
    stream = nil
  }

  /// Calls `body` with what is to be sent next; empty when the answer has been sent.
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
