import Testing

@testable import KindredHTTP
@testable import KindredSpooling

@Suite("Content that is too long for memory", .eachWayOfWaiting)
struct LongContentTests {
  private static let limits = {
    var limits = HTTPLimits()
    limits.maxBodyLength = 100
    limits.maxLongBodyLength = 1 << 20
    return limits
  }()

  /// Responds with how much content arrived, where, and whether it equals what the client sent.
  private static let handler = TestHandler(takesLongBody: true) { request in
    guard let file = request.longBody else { return .text("\(request.body.count) in memory") }
    var memory = [UInt8](repeating: 0, count: 4096)
    var sum = 0
    var offset = 0
    while let count = memory.withUnsafeMutableBytes({ file.read(into: $0, from: offset) }), count > 0 {
      for byte in memory[..<count] { sum += Int(byte) }
      offset += count
    }
    return .text("\(file.count) in a file, sum \(sum == offset * Int(UInt8(ascii: "x")))")
  }

  private func expect(
    _ fields: String, _ content: String, is answer: String, handler: TestHandler = handler,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try withServer(limits: Self.limits, handler: handler) { _, port in
      let client = try WireClient(port: port)
      client.send("POST /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(content)")
      let response = client.response()
      #expect("\(response?.status ?? 0) \(response?.body ?? "")" == answer, sourceLocation: location)
    }
  }

  private static func chunks(_ count: Int, of length: Int) -> String {
    let chunk = String(length, radix: 16) + "\r\n" + String(repeating: "x", count: length) + "\r\n"
    return String(repeating: chunk, count: count) + "0\r\n\r\n"
  }

  @Test
  func `stays in memory while it is short`() throws {
    try expect("Content-Length: 3", "xxx", is: "200 3 in memory")
  }

  @Test
  func `comes as a file, of a known length or in chunks`() throws {
    let content = String(repeating: "x", count: 300_000)
    try expect("Content-Length: 300000", content, is: "200 300000 in a file, sum true")
    try expect(
      "Transfer-Encoding: chunked", Self.chunks(40, of: 10_000), is: "200 400000 in a file, sum true")
  }

  @Test
  func `is refused above its own limit, before it comes or as it comes`() throws {
    let detail = "The content is longer than \(1 << 20) bytes."
    try expect("Content-Length: \((1 << 20) + 1)", "", is: "413 \(detail)")
    try expect("Transfer-Encoding: chunked", Self.chunks(200, of: 10_000), is: "413 \(detail)")
  }

  @Test
  func `has its own limit also where that is below the limit of memory`() throws {
    var limits = Self.limits
    limits.maxLongBodyLength = 50
    try withServer(limits: limits, handler: Self.handler) { _, port in
      let client = try WireClient(port: port)
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 51\r\n\r\n")
      let response = client.response()
      #expect(
        "\(response?.status ?? 0) \(response?.body ?? "")" == "413 The content is longer than 50 bytes.")
    }
  }

  @Test
  func `is refused above the limit of memory if the handler doesn't take it, without a 100`() throws {
    var handler = Self.handler
    handler.takesLongBody = false
    for fields in ["Content-Length: 101", "Content-Length: 101\r\nExpect: 100-continue"] {
      try expect(fields, "", is: "413 The content is longer than 100 bytes.", handler: handler)
    }
    try expect(
      "Transfer-Encoding: chunked", Self.chunks(11, of: 10), is: "413 The content is longer than 100 bytes.",
      handler: handler)
  }

  @Test
  func `is refused with 503 where its client has a quarter of all temporary files, until others end`() throws
  {
    let spools = ByteBudget(maximum: 1 << 20)
    try withServer(limits: Self.limits, spools: spools, handler: Self.handler) { _, port in
      func upload(_ length: Int, of all: Int, from source: String = "127.0.0.1") throws -> WireClient {
        let client = try WireClient(port: port, from: source)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(all)\r\n\r\n")
        client.send(String(repeating: "x", count: length))
        return client
      }
      // However it is split on its way, at most 64 KiB of it are still in memory.
      var first: WireClient? = try upload(260_000, of: 261_000)
      #expect(eventually { spools.used > 190_000 })
      let second = try upload(100_000, of: 100_000).response()
      #expect(second?.status == 503)
      #expect(second?.headers["retry-after"] == "10")
      #expect(try upload(100_000, of: 100_000, from: "127.0.0.2").response()?.status == 200)
      first = nil
      #expect(eventually { spools.used == 0 })
      #expect(try upload(100_000, of: 100_000).response()?.status == 200)
      _ = first
    }
  }

  @Test(arguments: [0, 1 << 20])
  func `is refused with 413 where it would never have room, however often it is sent`(room: Int) throws {
    try withServer(limits: Self.limits, spools: ByteBudget(maximum: room), handler: Self.handler) {
      _, port in
      let length = max(100, room / 4) + 1
      let client = try WireClient(port: port)
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n")
      let response = client.response()
      #expect(response?.status == 413)
      #expect(response?.body == "The content is longer than \(length - 1) bytes.")
      #expect(response?.headers["retry-after"] == nil)
    }
  }

  @Test
  func `doesn't reach the next request of the connection`() throws {
    try withServer(limits: Self.limits, handler: Self.handler) { _, port in
      let client = try WireClient(port: port)
      for (count, answer) in [(200_000, "200000 in a file, sum true"), (50, "50 in memory")] {
        client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
        client.send(String(repeating: "x", count: count))
        #expect(client.response()?.body == answer)
      }
    }
  }
}
