import Testing

@testable import KindredHTTP
@testable import KindredSpooling

@Suite("The memory of contents", .eachWayOfWaiting)
struct ContentMemoryTests {
  @Test
  func `is what has arrived of them; for which there is no room, is 503 until others end`() throws {
    let contents = ByteBudget(maximum: 300_000, share: 200_000)
    try withServer(contents: contents, handler: TestHandler()) { _, port in
      func upload(_ length: Int, of all: Int, from source: String = "127.0.0.1") throws -> WireClient {
        let client = try WireClient(port: port, from: source)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(all)\r\n\r\n")
        client.send(String(repeating: "x", count: length))
        return client
      }
      var first: WireClient? = try upload(150_000, of: 150_001)
      #expect(eventually { contents.used == 150_000 })
      // What is only announced takes nothing.
      let silent = try upload(0, of: 150_000)
      let second = try upload(100_000, of: 100_000).response()
      #expect(second?.status == 503)
      #expect(second?.headers["retry-after"] == "1")
      #expect(second?.body == "The server has no room for the content beside those of other requests.")
      #expect(try upload(1000, of: 1000).response()?.status == 200)
      #expect(try upload(100_000, of: 100_000, from: "127.0.0.2").response()?.status == 200)
      first = nil
      #expect(eventually { contents.used == 0 })
      #expect(try upload(100_000, of: 100_000).response()?.status == 200)
      #expect(eventually { contents.used == 0 }, "it is given back with the answer")
      _ = (first, silent)
    }
  }

  @Test
  func `is refused with 413 where it would never have room`() throws {
    try withServer(contents: ByteBudget(maximum: 1000, share: 750), handler: TestHandler()) { _, port in
      let client = try WireClient(port: port)
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 751\r\n\r\n")
      let response = client.response()
      #expect(
        "\(response?.status ?? 0) \(response?.body ?? "")" == "413 The content is longer than 750 bytes.")
    }
  }
}
