import Testing

@testable import KindredHTTP

@Suite("The response serialiser")
struct HTTPResponseSerializerTests {
  private static let chunked = ResponseFraming(
    content: .chunked, sendsContent: true, isPersistent: true, announcesKeepAlive: false)

  private static func framing(_ content: ResponseFraming.Content, persists: Bool = true) -> ResponseFraming {
    ResponseFraming(
      content: content, sendsContent: content != .none, isPersistent: persists, announcesKeepAlive: false)
  }

  /// Returns everything that is sent, `step` bytes at a time, with the date removed.
  private func sent(
    _ response: HTTPResponse, _ framing: ResponseFraming, step: Int = .max
  ) throws -> String {
    var serializer = HTTPResponseSerializer()
    serializer.begin(response, framing: framing)
    var bytes: [UInt8] = []
    while serializer.isActive {
      if serializer.needsFilling { try serializer.fill() }
      let count = serializer.withPending { head, part, end in
        let pending = Array(head) + Array(part) + Array(end)
        bytes += pending.prefix(step)
        return min(step, pending.count)
      }
      serializer.advance(by: count)
    }
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("Date: ") }.joined(separator: "\n")
  }

  @Test
  func `writes status line, fields and content (RFC 9110 §2.5, RFC 9112 §4, §5)`() throws {
    let response = HTTPResponse(status: .notFound, headers: ["X-A": "b"], body: .bytes(Array("hi".utf8)))
    #expect(
      try sent(response, Self.framing(.length(2)))
        == "HTTP/1.1 404 Not Found\nX-A: b\nContent-Length: 2\n\nhi")
  }

  @Test(arguments: [HTTPStatus.ok, .noContent, .notModified, .notFound])
  func `dates every answer (RFC 9110 §6.6.1)`(status: HTTPStatus) throws {
    var serializer = HTTPResponseSerializer()
    serializer.begin(HTTPResponse(status: status), framing: Self.framing(.length(0)))
    let head = serializer.withPending { head, _, _ in String(decoding: head, as: UTF8.self) }
    let expected = /\r\nDate: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/
    #expect(head.matches(of: expected).count == 1)
  }

  @Test
  func `announces the end of the connection, and keep-alive to clients that asked (RFC 9112 §9.3, §9.6)`()
    throws
  {
    let response = HTTPResponse(status: .ok)
    #expect(
      try sent(response, Self.framing(.length(0), persists: false))
        == "HTTP/1.1 200 OK\nContent-Length: 0\nConnection: close\n\n")
    let old = ResponseFraming(
      content: .length(0), sendsContent: true, isPersistent: true, announcesKeepAlive: true)
    #expect(
      try sent(response, old) == "HTTP/1.1 200 OK\nContent-Length: 0\nConnection: keep-alive\n\n")
  }

  @Test
  func `leaves out what a handler says about the framing (RFC 9112 §6)`() throws {
    let headers: HTTPHeaders = [
      "content-length": "7", "TRANSFER-ENCODING": "gzip", "Connection": "x", "Date": "never", "X-A": "b",
    ]
    #expect(
      try sent(HTTPResponse(status: .ok, headers: headers), Self.framing(.length(0)))
        == "HTTP/1.1 200 OK\nX-A: b\nContent-Length: 0\n\n")
  }

  @Test
  func `sends small parts before it asks a stream that may wait, and the head with the first one`() throws {
    /// A stream that waits before each part.
    final class WaitingStream: HTTPBodyStream {
      let parts = PartsStream(["a", "b"])
      var mayWait: Bool { true }
      func next() throws -> UnsafeRawBufferPointer? { try parts.next() }
      func close() { parts.close() }
    }
    for isZipped in [false, true] {
      let waiting = WaitingStream()
      var serializer = HTTPResponseSerializer()
      let stream: any HTTPBodyStream = isZipped ? GzipBodyStream(waiting) : waiting
      serializer.begin(HTTPResponse(status: .ok, body: .stream(stream, length: nil)), framing: Self.chunked)
      for count in 1...2 {
        try serializer.fill()
        #expect(waiting.parts.nextCount == count)
        let pending = serializer.withPending { head, part, end in head.count + part.count + end.count }
        #expect(pending > 0)
        serializer.advance(by: pending)
      }
      serializer.close()
    }
  }

  @Test(arguments: [1, 7, 9000, .max])
  func `writes chunks of small and large parts, and the last one (RFC 9112 §7.1)`(step: Int) throws {
    let large = String(repeating: "x", count: 20_000)
    let stream = PartsStream(["ab", "", large, "c"])
    let text = try sent(
      HTTPResponse(status: .ok, body: .stream(stream, length: nil)), Self.chunked, step: step)
    #expect(
      text == "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nab\n4e20\n\(large)\n1\nc\n0\n\n")
    #expect(stream.closeCount == 1)
  }

  @Test(arguments: [1, .max])
  func `sends a stream of known length as it is`(step: Int) throws {
    let large = String(repeating: "y", count: 10_000)
    let stream = PartsStream([large, "z"])
    let text = try sent(
      HTTPResponse(status: .ok, body: .stream(stream, length: 10_001)), Self.framing(.length(10_001)),
      step: step)
    #expect(text == "HTTP/1.1 200 OK\nContent-Length: 10001\n\n\(large)z")
    #expect(stream.closeCount == 1)
  }

  @Test(arguments: [100, .max])
  func `sends large content in memory without an end of its own`(step: Int) throws {
    let large = String(repeating: "z", count: 100_000)
    let text = try sent(
      HTTPResponse(status: .ok, body: .bytes(Array(large.utf8))), Self.framing(.length(100_000)), step: step)
    #expect(text == "HTTP/1.1 200 OK\nContent-Length: 100000\n\n\(large)")
  }

  @Test(arguments: [2, 4])
  func `refuses a stream that is longer or shorter than announced (RFC 9110 §8.6)`(length: Int) {
    #expect(throws: HTTPResponseSerializer.LengthMismatch.self) {
      try sent(
        HTTPResponse(status: .ok, body: .stream(PartsStream(["abc"]), length: length)),
        Self.framing(.length(length)))
    }
  }

  /// A stream of one part, which is a chunk already.
  private final class SharedPart: HTTPBodyStream {
    private let part: [UInt8]
    private let framed: [UInt8]
    private var isSent = false
    private var memory: UnsafeMutableRawBufferPointer?

    init(_ part: String, as chunk: String) { (self.part, framed) = (Array(part.utf8), Array(chunk.utf8)) }

    deinit { memory?.deallocate() }

    private func bytes(_ content: [UInt8]) -> UnsafeRawBufferPointer {
      memory?.deallocate()
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 1)
      copy.copyBytes(from: content)
      memory = copy
      return UnsafeRawBufferPointer(copy)
    }

    func next() -> UnsafeRawBufferPointer? {
      defer { isSent = true }
      return isSent ? nil : bytes(part)
    }

    var chunk: UnsafeRawBufferPointer? { bytes(framed) }

    func close() {}
  }

  @Test(arguments: [1, 3, .max])
  func `sends a part as the chunk that its stream has, and as it is where the content isn't chunked`(
    step: Int
  ) throws {
    func response() -> HTTPResponse {
      HTTPResponse(status: .ok, body: .stream(SharedPart("abc", as: "3\r\nabc\r\n"), length: nil))
    }
    #expect(
      try sent(response(), Self.chunked, step: step)
        == "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n")
    #expect(
      try sent(response(), Self.framing(.untilClose, persists: false), step: step)
        == "HTTP/1.1 200 OK\nConnection: close\n\nabc")
  }

  @Test
  func `closes a stream once, without a final chunk, when it fails (RFC 9112 §8)`() {
    let stream = PartsStream(["abc"], fails: true)
    #expect(throws: PartsStream.Failure.self) {
      try sent(HTTPResponse(status: .ok, body: .stream(stream, length: nil)), Self.chunked)
    }
    #expect(stream.closeCount == 1)
  }

  @Test
  func `closes a stream that isn't sent without asking it for anything (RFC 9110 §9.3.2)`() throws {
    let stream = PartsStream(["abc"])
    var framing = Self.chunked
    framing.sendsContent = false
    let text = try sent(HTTPResponse(status: .ok, body: .stream(stream, length: nil)), framing)
    #expect(text == "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n")
    #expect(stream.nextCount == 0 && stream.closeCount == 1)
  }

  @Test
  func `asks for no more before what it has is sent`() throws {
    let stream = PartsStream(Array(repeating: String(repeating: "x", count: 10_000), count: 5))
    var serializer = HTTPResponseSerializer()
    serializer.begin(
      HTTPResponse(status: .ok, body: .stream(stream, length: nil)), framing: Self.chunked)
    try serializer.fill()
    serializer.advance(by: 100)
    let needsFilling = serializer.needsFilling
    #expect(!needsFilling)
    #expect(stream.nextCount == 1)
  }

  @Test
  func `writes dates in IMF-fixdate (RFC 9110 §5.6.7)`() {
    #expect(HTTPDate.imfFixdate(secondsSince1970: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.imfFixdate(secondsSince1970: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.imfFixdate(secondsSince1970: 1_709_210_096) == "Thu, 29 Feb 2024 12:34:56 GMT")
    #expect(HTTPDate.imfFixdate(secondsSince1970: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
  }
}
