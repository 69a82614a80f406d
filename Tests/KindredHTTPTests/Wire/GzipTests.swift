import Foundation
import Testing

@testable import KindredHTTP

@Suite("gzip")
struct GzipTests {
  private func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/gzip")
    process.arguments = ["-dc"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    Thread.detachNewThread {
      try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
      try? input.fileHandleForWriting.close()
    }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return Array(data)
  }

  private func text(_ seed: UInt64, _ count: Int) -> String {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in "{\"id\":\(UInt16.random(in: 0...999, using: &random))}" }.joined()
  }

  @Test(arguments: [0, 1, 10, 50_000])
  func `of content as a whole is read back by gzip (RFC 1952)`(count: Int) throws {
    let content = Array(text(1, count).utf8)
    let compressed = try Gzip.compress(content)
    #expect(try gunzip(compressed) == content)
    if count == 50_000 { #expect(compressed.count < content.count / 2) }
  }

  @Test(arguments: [1, 6, 9])
  func `of a stream is read back by gzip, whatever its parts`(level: Int) throws {
    let parts = ["", "a", text(2, 9_000), "", text(3, 5), text(4, 200), ""]
    let source = PartsStream(parts)
    let stream = GzipBodyStream(source, level: level)
    var compressed: [UInt8] = []
    while let part = try stream.next() { compressed += Array(part) }
    stream.close()
    #expect(try gunzip(compressed) == Array(parts.joined().utf8))
    #expect(source.closeCount == 1)
  }

  @Test
  func `of a live stream reaches the client at once, and costs nothing while there is nothing`() throws {
    let source = EventStream()
    let stream = GzipBodyStream(source)
    #expect(stream.isLive)
    var compressed: [UInt8] = []
    for event in ["first", "second"] {
      source.add(event)
      let part = try #require(try stream.next())
      #expect(!part.isEmpty)
      compressed += Array(part)
      // Only the markers of an empty flush, and finally nothing.
      _ = try stream.next()
      #expect(try stream.next()?.count ?? 0 < 16)
    }
    stream.close()
    #expect(source.closeCount == 1)
  }

  @Test
  func `of a stream that takes back its memory is that of all its content`() throws {
    let text = text(5, 20_000)
    let source = PartsStream([text, "end"])
    let stream = GzipBodyStream(source)
    var compressed: [UInt8] = []
    while let part = try stream.next() {
      compressed += Array(part)
      try stream.yield()
    }
    #expect(try gunzip(compressed) == Array((text + "end").utf8))
  }

  @Test
  func `of a stream that fails, fails`() {
    let stream = GzipBodyStream(PartsStream(["a"], fails: true))
    #expect(throws: PartsStream.Failure.self) { while try stream.next() != nil {} }
  }
}
