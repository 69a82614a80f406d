import Foundation
import Testing

@testable import KindredOutput

@Suite("Writing values")
struct OutputBufferTests {
  private func written(_ body: (inout OutputBuffer) -> Void) -> String {
    var buffer = OutputBuffer(capacity: 1)
    body(&buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    0, 1, -1, 9, 10, 99, 100, 1_000_000_007, .max, .min, .max - 1, .min + 1, 999_999_999_999_999_999,
  ])
  func `integers in decimal`(value: Int64) {
    #expect(written { $0.append(value) } == String(value))
  }

  @Test
  func `reals in the shortest form that reads back the same`() throws {
    var generator = SystemRandomNumberGenerator()
    var values: [Double] = [
      0, -0.0, 0.1, 0.25, -0.5, 12.25, 1e15, 1e16, 1e22, 123456789.125, .leastNonzeroMagnitude,
      1.7976931348623157e308, 0.3, 1 / 3,
      100, 999999999999999.9, -1.005, 4.35, 1e-5, 0.00001234,
    ]
    for _ in 0..<2000 {
      values.append(Double(Int.random(in: -10_000_000...10_000_000, using: &generator)) / 100)
      values.append(Double(bitPattern: .random(in: .min ... .max, using: &generator)))
    }
    for value in values where value.isFinite {
      let text = written { $0.append(value) }
      let back = try #require(Double(text))
      #expect(back.bitPattern == value.bitPattern, "\(text)")
      #expect(text.count <= value.description.count, "\(text) is longer than \(value)")
    }
  }

  @Test
  func `a part that is taken keeps its bytes, and the next one is written elsewhere`() {
    var buffer = OutputBuffer(.take())
    buffer.append("first")
    let first = buffer.takePart()
    buffer.removeAll()
    buffer.append("second")
    let parts = [first, buffer.takePart()]
    #expect(parts.map { String(decoding: $0.bytes, as: UTF8.self) } == ["first", "second"])
    #expect(parts.byteCount == 11)
    #expect(String(decoding: parts.joinedBytes, as: UTF8.self) == "firstsecond")
  }

  @Test
  func `infinities overflow on purpose`() {
    #expect(written { $0.append(Double.infinity) } == "9e999")
    #expect(written { $0.append(-Double.infinity) } == "-9e999")
  }

  private func string(_ bytes: [UInt8]) -> String {
    written { buffer in bytes.withUnsafeBytes { buffer.append(string: $0) } }
  }

  @Test
  func `strings are what a JSON parser reads back, malformed UTF-8 repaired`() throws {
    var generator = SystemRandomNumberGenerator()
    let pieces: [[UInt8]] = [
      Array("plain text of some length".utf8), Array("\"quoted\"".utf8), Array("\\".utf8), [0], [0x1F],
      [0x7F], [0xFF],
      [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], Array("é日本😀".utf8), [0xED, 0xA0, 0x80], [0xC0, 0x80],
      [0xF4, 0x90], [0x80],
      Array("\u{2028}\n\t\r".utf8),
    ]
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ in
        pieces.randomElement(using: &generator) ?? []
      }
      let text = string(bytes)
      let read =
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? String
      #expect(read == String(decoding: bytes, as: UTF8.self), "\(bytes)")
    }
  }

  @Test
  func `control characters are escaped, and nothing else beyond what must be`() {
    #expect(string(Array("a\"b\\c/\n\u{1}é\u{7F}".utf8)) == #""a\"b\\c/\n\u0001é"# + "\u{7F}\"")
  }

  @Test
  func `blobs are base64`() {
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      let text = written { buffer in bytes.withUnsafeBytes { buffer.append(base64: $0) } }
      #expect(text == "\"\(Data(bytes).base64EncodedString())\"")
    }
  }

  private func json(_ text: String) -> String {
    written { buffer in Array(text.utf8).withUnsafeBytes { buffer.append(json: $0) } }
  }

  @Test(arguments: [
    ("12", "12"), (" [1 , 2.5e-3,\n{\"a\" : null}] ", "[1,2.5e-3,{\"a\":null}]"),
    ("\"a b\\u00e9\"", "\"a b\\u00e9\""),
    ("{}", "{}"), ("[]", "[]"), ("true", "true"), ("-0", "-0"),
    ("{\"b\":1,\"a\":[true,false,null]}", "{\"b\":1,\"a\":[true,false,null]}"),
  ])
  func `valid JSON is written as it is, but for the white space between its tokens`(
    text: String, expected: String
  ) {
    #expect(json(text) == expected)
  }

  @Test(arguments: [1, 63, 64, 65, 127, 128, 129, 1000])
  func `JSON of any depth is written as it is`(depth: Int) {
    for (begin, end) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":[],\"b\":", "}]")] {
      let text = String(repeating: begin, count: depth) + "[{}]" + String(repeating: end, count: depth)
      #expect(json("\(text) ") == text)
    }
  }

  @Test(arguments: [
    "", " ", "not json", "01", "1.", "[1,]", "{\"a\"}", "{a:1}", "\"open", "[1", "1 2", "+1", "nul",
    "\"\\x\"", "\"\\u12\"",
    "{\"a\":1,}", "[}", "-", "1e", "\u{1}", "NaN",
    String(repeating: "[", count: 65) + String(repeating: "]", count: 64),
    String(repeating: "[{\"a\":", count: 65) + "1" + String(repeating: "]}", count: 65),
  ])
  func `other text is a string`(text: String) throws {
    let read = try JSONSerialization.jsonObject(with: Data(json(text).utf8), options: .fragmentsAllowed)
    #expect(read as? String == text)
  }

  @Test
  func `how a long text is written is decided by one scan, and not again by each of its parts`() {
    let count = 10 * OutputMemory.partSize
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "a"))
    var output = OutputBuffer(.take())
    defer { output.memory.giveBack() }
    var start: WrittenLength? = WrittenLength()
    var written = 0
    var parts = 0
    while let from = start {
      start = RowValue.text(UnsafeRawBufferPointer(bytes)).write(as: .exact, from: from, to: &output)
      written += output.bytes.count
      output.removeAll()
      parts += 1
      // What has been written isn't read again: if it were, this would no longer be UTF-8.
      bytes[0] = 0xFF
    }
    #expect(parts > 5 && written == count + 2)
  }
}
