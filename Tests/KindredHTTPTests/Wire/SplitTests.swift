import Testing

@testable import KindredHTTP

/// However a connection's bytes are split, the same requests are parsed.
@Suite("Requests read in parts")
struct SplitTests {
  static let streams = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello world"
      + "GET http://c/d?e HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
      + "3;x=y\r\nabc\r\n1\r\n\r\r\n10\r\n0123456789abcdef\r\n0\r\nT: u\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET / HTTP/1.1\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
    "GET / HTTP/1.1\nHost: a\n\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
  ]

  @Test(arguments: streams)
  func `byte by byte are the same as read at once`(stream: String) {
    let bytes = Array(stream.utf8)
    #expect(
      ParsedRequests(bytes, parts: Array(repeating: 1, count: bytes.count))
        == ParsedRequests(bytes, parts: []))
  }

  @Test(arguments: streams)
  func `cut in two anywhere are the same as read at once`(stream: String) {
    let bytes = Array(stream.utf8)
    let whole = ParsedRequests(bytes, parts: [])
    for first in 0...bytes.count { #expect(ParsedRequests(bytes, parts: [first]) == whole) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `in random parts, and with random damage, are the same as read at once`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var limits = HTTPLimits()
    limits.maxTargetLength = 40
    limits.maxHeaderLength = 80
    limits.maxBodyLength = 16
    for _ in 0..<200 {
      var bytes = (0..<3).flatMap { _ in Array(Self.streams.randomElement(using: &random)?.utf8 ?? "".utf8) }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] = [0, 9, 10, 13, 32, 58, 59, 48, 127, 255].randomElement(using: &random) ?? 0
      }
      let parts = (0..<bytes.count).map { _ in Int.random(in: 0...9, using: &random) }
      let split = ParsedRequests(bytes, parts: parts, limits: limits)
      #expect(split == ParsedRequests(bytes, parts: [], limits: limits), "seed \(seed): \(bytes)")
    }
  }
}
