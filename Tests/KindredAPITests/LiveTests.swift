import Foundation
import KindredHTTP
import Logging
import Testing

@testable import KindredAPI

/// The same responses over a socket, with curl as the client.
@Suite("Over HTTP")
struct LiveTests {
  /// Returns curl's output for a URL of a server on the database: the status line, the fields and the content.
  private func curl(_ database: TestDatabase, _ target: String, _ arguments: String...) throws -> String {
    let server = HTTPServer(
      host: "127.0.0.1", port: 0, handler: database.service,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    database.service.reportCounters { server.counters }
    let address = try server.start()
    defer { server.shutdown(grace: .seconds(1)) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["curl", "--silent", "--include", "--max-time", "120"] + arguments
      + ["http://127.0.0.1:\(address.port)\(TestDatabase.encoded(target))"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "curl fails with \(process.terminationStatus)")
    return String(decoding: data, as: UTF8.self)
  }

  @Test
  func `gzip that is sent in chunks is what curl takes for the content`() throws {
    let library = try Library.longDatabase()
    let answer = try curl(
      library, "/books", "--compressed", "--header", "Accept: application/x-ndjson")
    #expect(answer.contains("Content-Encoding: gzip\r\n"))
    #expect(answer.contains("Transfer-Encoding: chunked\r\n"))
    #expect(answer.split(whereSeparator: \.isNewline).count { $0.hasPrefix("{") } == 15000)
  }

  @Test
  func `304 has no content, and HEAD has that of GET left out`() throws {
    let library = try Library.database()
    let tag = try #require(try library.answer("/books").headers["ETag"])
    let unchanged = try curl(library, "/books", "--header", "If-None-Match: \(tag)")
    #expect(unchanged.hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
    #expect(unchanged.hasSuffix("\r\n\r\n"))
    let head = try curl(library, "/books", "--head")
    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(head.contains("ETag: \(tag)\r\n"))
    #expect(head.hasSuffix("\r\n\r\n"))
  }

  @Test
  func `what the server counts is in the metrics`() throws {
    let metrics = try curl(Library.database(), "/-/metrics")
    #expect(metrics.contains("\nkindred_http_connections 1\n"))
    #expect(metrics.contains("\nkindred_http_connections_accepted_total 1\n"))
  }
}
