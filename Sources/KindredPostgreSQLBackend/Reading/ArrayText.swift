/// Builds the text of an array (<https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>).
struct ArrayText {
  private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

  /// Begins an array.
  init() {}

  /// Creates an array of texts; nil becomes NULL.
  init(_ elements: [[UInt8]?]) {
    for element in elements {
      if let element { element.withUnsafeBytes { append($0) } } else { appendNull() }
    }
    close()
  }

  /// Reserves memory for a number of bytes.
  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// Appends an element.
  mutating func append(_ text: UnsafeRawBufferPointer) {
    separate()
    // Numbers need no quotes.
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    if text.count > 0, text.allSatisfy(digits.contains) {
      bytes.append(contentsOf: text)
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends NULL.
  mutating func appendNull() {
    separate()
    bytes += "NULL".utf8
  }

  /// Ends the array.
  mutating func close() { bytes.append(UInt8(ascii: "}")) }

  private mutating func separate() {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
  }
}
