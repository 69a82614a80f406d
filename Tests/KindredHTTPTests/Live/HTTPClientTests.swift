import Dispatch
import Glibc
import Testing

@testable import KindredHTTPClient

@Suite("A client of HTTP")
struct HTTPClientTests {
  /// Returns a socket that waits for connections, and its port.
  private func listeningSocket() throws -> (descriptor: CInt, port: UInt16) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isListening)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  @Test
  func `gives up when the whole time is over, though something comes again and again`() throws {
    let (listening, port) = try listeningSocket()
    defer { close(listening) }
    let ended = DispatchSemaphore(value: 0)
    DispatchQueue(label: "dripping").async {
      let connection = accept(listening, nil, nil)
      // The beginning of a TLS record of 16 KiB (RFC 8446 §5.1).
      let record: [UInt8] = [0x16, 0x03, 0x03, 0x40, 0x00] + [UInt8](repeating: 2, count: 300)
      for byte in record {
        var byte = byte
        guard send(connection, &byte, 1, CInt(MSG_NOSIGNAL)) == 1 else { break }
        usleep(50_000)
      }
      close(connection)
      ended.signal()
    }
    let start = ContinuousClock.now
    let error = #expect(throws: HTTPClientError.self) {
      try HTTPClient.get("https://127.0.0.1:\(port)/", timeout: 0.5, maximumLength: 1000)
    }
    #expect(error?.description == "the server took too long to respond")
    #expect(ContinuousClock.now - start < .seconds(8))
    ended.wait()
  }

  @Test
  func `a refused connection is reported as unreachable`() throws {
    let (descriptor, port) = try listeningSocket()
    close(descriptor)
    let error = #expect(throws: HTTPClientError.self) {
      try HTTPClient.get("https://127.0.0.1:\(port)/", timeout: 5, maximumLength: 1000)
    }
    #expect(error?.description == "127.0.0.1:\(port) can't be reached")
  }
}
