import Foundation
import KindredHTTP
import Logging
import Testing

@testable import KindredAPI

@testable import KindredCommand

@Suite("The log")
struct LogTests {
  private let pipe = Pipe()

  private func logger() -> (Logger, LogOutput) {
    let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    return (Logger(label: "kindred") { _ in LineLogHandler(output: output) }, output)
  }

  /// What was written, without the times.
  private func lines() throws -> [String] {
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").map { line in
      #expect(line.prefix { $0 != " " }.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
      return String(line.drop { $0 != " " }.dropFirst())
    }
  }

  @Test
  func `a message is a line: level, label, metadata by name, text`() throws {
    let (logger, output) = logger()
    logger.info("request", metadata: ["status": "200", "bytes": .stringConvertible(3), "path": "/books"])
    output.flush()
    #expect(try lines() == ["info kindred: bytes=3 path=/books status=200 request"])
  }

  @Test
  func `no text begins a line of its own, and a value with spaces is one value`() throws {
    let (logger, output) = logger()
    logger.info("a\nb\u{7F}", metadata: ["path": "x y=\"z\"\n\\", "none": ""])
    output.flush()
    #expect(try lines() == [#"info kindred: none="" path="x y=\"z\" \\" a b "#])
  }

  @Test
  func `lines are in the order of their messages, those before an urgent one with it`() throws {
    let (logger, output) = logger()
    for number in 1...3 { logger.info("\(number)") }
    logger.warning("4")
    output.flush()
    #expect(try lines() == ["info kindred: 1", "info kindred: 2", "info kindred: 3", "warning kindred: 4"])
  }

  @Test
  func `as JSON, each line is an object, with numbers as such`() throws {
    let (logger, output) = logger()
    output.format.form = .json
    logger.warning("a \"b\"\n", metadata: ["path": "x\\y\u{1}"])
    LineRequestLog(output: output).noteRefusal(.badRequest, peer: nil)
    output.flush()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let lines = try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.count == 2)
    #expect(lines[0]["level"] as? String == "warning")
    #expect(lines[0]["message"] as? String == "a \"b\"\n")
    #expect(lines[0]["path"] as? String == "x\\y\u{1}")
    #expect(lines[1]["status"] as? Int == 400)
    #expect((lines[1]["time"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
  }

  @Test
  func `for the journal, each line begins with its level`() throws {
    let (logger, output) = logger()
    output.format.hasPriority = true
    logger.error("1")
    output.format.form = .json
    logger.info("2")
    output.flush()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(text.split(separator: "\n").map { $0.prefix(4) } == ["<3>2", "<6>{"])
  }

  @Test
  func `a line is written though none follows`() throws {
    let (logger, _) = logger()
    logger.info("1")
    let text = pipe.fileHandleForReading.availableData
    #expect(String(decoding: text, as: UTF8.self).hasSuffix(" info kindred: 1\n"))
  }

  @Test
  func `an unread log delays no request, and counts the lines that it dropped`() throws {
    let (logger, output) = logger()
    let text = String(repeating: "x", count: 1000)
    // Far more than the pipe and the log hold together.
    for _ in 1...2000 { logger.info("\(text)") }
    let dropped = output.droppedLines
    #expect(dropped > 0)
    logger.error("severe")
    #expect(output.droppedLines == dropped)
    // Waits for a second only.
    output.flush()
    let reader = pipe.fileHandleForReading
    var lines: [Substring] = []
    var rest = ""
    while !lines.contains(where: { $0.hasSuffix(" lines were dropped, because the log was not read") }) {
      rest += String(decoding: reader.availableData, as: UTF8.self)
      lines = rest.split(separator: "\n")
    }
    #expect(lines.count { $0.hasSuffix(text) } == 2000 - dropped)
    #expect(lines.contains { $0.hasSuffix(" error kindred: severe") })
    #expect(lines.last?.contains(" warning kindred: dropped=\(dropped) ") == true)
  }

  @Test(arguments: [
    (0, "0.000"), (7, "0.007"), (99, "0.099"), (1234, "1.234"), (1_000_000, "1000.000"),
    (Int.max, "9223372036854775.807"),
  ])
  func `milliseconds have three decimals`(microseconds: Int, text: String) {
    var line = LogLine()
    line.append("milliseconds", microseconds: microseconds)
    #expect(String(decoding: line.take(), as: UTF8.self) == " milliseconds=\(text)")
  }

  @Test
  func `a request is a line, and its path begins neither a line nor another item`() throws {
    let (_, output) = logger()
    let log = LineRequestLog(output: output)
    func note(_ path: Substring, nanoseconds: UInt64, peer: String?, trace: String? = nil) {
      log.note(
        AnsweredRequest(
          method: .get, path: path, trace: trace, status: .ok, byteCount: 219, nanoseconds: nanoseconds,
          peer: peer))
    }
    note("/books/1", nanoseconds: 1_064_999, peer: "[::1]:5000")
    note("/books/2", nanoseconds: 1_064_999, peer: "[::1]:5000", trace: "4bf92f3577b34da6a3ce929d0e0e4736")
    note("/é b\n\"%41", nanoseconds: 12_345_678_901, peer: nil)
    log.noteRefusal(.badRequest, peer: "[::1]:5000")
    output.flush()
    #expect(
      try lines() == [
        "info kindred: bytes=219 method=GET milliseconds=1.064 path=/books/1 peer=[::1]:5000 status=200 request",
        "info kindred: bytes=219 method=GET milliseconds=1.064 path=/books/2 peer=[::1]:5000 status=200 trace=4bf92f3577b34da6a3ce929d0e0e4736 request",
        "info kindred: bytes=219 method=GET milliseconds=12345.678 path=/%C3%A9%20b%0A%22%41 peer=- status=200 request",
        "info kindred: peer=[::1]:5000 status=400 refused",
      ])
  }
}
