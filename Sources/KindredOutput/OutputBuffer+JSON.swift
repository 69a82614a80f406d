extension OutputBuffer {
  /// Appends JSON text (RFC 8259) without the white space between its tokens; text that isn't valid JSON, as a string.
  ///
  /// White space is removed because a line break would end the record in `application/x-ndjson`.
  package mutating func append(json bytes: UnsafeRawBufferPointer) {
    if !append(validJSON: bytes) { append(string: bytes) }
  }

  /// Appends JSON text without white space.
  ///
  /// - Returns: False if the text isn't valid JSON; nothing is appended then.
  package mutating func append(validJSON bytes: UnsafeRawBufferPointer) -> Bool {
    let start = count
    var scanner = JSONScanner(bytes: bytes)
    reserve(bytes.count)
    guard scanner.copy(to: &self) else {
      truncate(to: start)
      return false
    }
    return true
  }
}

/// Checks and copies one JSON text without recursion, so that deep nesting can't exhaust the stack.
private struct JSONScanner {
  let bytes: UnsafeRawBufferPointer
  var index = 0
  /// One bit for each of the innermost 64 open containers at most, set if it is an object; the innermost is the lowest bit.
  var containers: UInt64 = 0
  /// The bits of the containers around these, 64 in each number.
  var outer: [UInt64] = []
  var depth = 0

  private enum Expectation {
    case value, valueOrEnd, key, keyOrEnd, commaOrEnd, end
  }

  private var isInObject: Bool { containers & 1 == 1 }

  /// Returns whether the whole text is JSON.
  mutating func copy(to output: inout OutputBuffer) -> Bool {
    var expectation = Expectation.value
    while true {
      skipSpace()
      guard index < bytes.count else { return expectation == .end }
      let byte = bytes[index]
      switch expectation {
      case .end:
        return false
      case .key, .keyOrEnd:
        if byte == UInt8(ascii: "}"), expectation == .keyOrEnd {
          expectation = close(&output)
          continue
        }
        guard byte == UInt8(ascii: "\""), copyString(to: &output) else { return false }
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return false }
        take(&output)
        expectation = .value
      case .commaOrEnd:
        if byte == UInt8(ascii: ",") {
          take(&output)
          expectation = isInObject ? .key : .value
        } else if byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          expectation = close(&output)
        } else {
          return false
        }
      case .value, .valueOrEnd:
        if byte == UInt8(ascii: "]"), expectation == .valueOrEnd {
          expectation = close(&output)
          continue
        }
        guard let next = copyValue(byte, to: &output) else { return false }
        expectation = next
      }
    }
  }

  private mutating func copyValue(_ byte: UInt8, to output: inout OutputBuffer) -> Expectation? {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isObject = byte == UInt8(ascii: "{")
      if depth > 0, depth.isMultiple(of: 64) {
        outer.append(containers)
        containers = 0
      }
      containers = containers << 1 | (isObject ? 1 : 0)
      depth += 1
      take(&output)
      return isObject ? .keyOrEnd : .valueOrEnd
    case UInt8(ascii: "\""):
      guard copyString(to: &output) else { return nil }
    case UInt8(ascii: "t"):
      guard copyWord("true", to: &output) else { return nil }
    case UInt8(ascii: "f"):
      guard copyWord("false", to: &output) else { return nil }
    case UInt8(ascii: "n"):
      guard copyWord("null", to: &output) else { return nil }
    default:
      guard copyNumber(to: &output) else { return nil }
    }
    return depth == 0 ? .end : .commaOrEnd
  }

  private mutating func close(_ output: inout OutputBuffer) -> Expectation {
    containers >>= 1
    depth -= 1
    if depth > 0, depth.isMultiple(of: 64) { containers = outer.popLast() ?? 0 }
    take(&output)
    return depth == 0 ? .end : .commaOrEnd
  }

  private mutating func take(_ output: inout OutputBuffer) {
    output.append(bytes[index])
    index += 1
  }

  private mutating func skipSpace() {
    while index < bytes.count, isSpace(bytes[index]) { index += 1 }
  }

  private mutating func copyWord(_ word: StaticString, to output: inout OutputBuffer) -> Bool {
    guard bytes.count - index >= word.utf8CodeUnitCount else { return false }
    for offset in 0..<word.utf8CodeUnitCount where bytes[index + offset] != word.utf8Start[offset] {
      return false
    }
    output.append(word)
    index += word.utf8CodeUnitCount
    return true
  }

  private mutating func copyString(to output: inout OutputBuffer) -> Bool {
    let start = index
    index += 1
    while true {
      index = UTF8Scanner.plainPrefix(of: bytes, from: index)
      guard index < bytes.count else { return false }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        copy(from: start, to: &output)
        return true
      case UInt8(ascii: "\\"):
        guard let length = escapeLength() else { return false }
        index += length
      default:
        return false
      }
    }
  }

  private func escapeLength() -> Int? {
    guard index + 1 < bytes.count else { return nil }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      guard index + 5 < bytes.count else { return nil }
      for offset in 2...5 {
        let digit = bytes[index + offset]
        guard isDigit(digit) || (0x61...0x66).contains(digit | 0x20) else { return nil }
      }
      return 6
    default:
      return nil
    }
  }

  private mutating func copyNumber(to output: inout OutputBuffer) -> Bool {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    let first = peek
    guard skipDigits() > 0 else { return false }
    // No leading zeros (RFC 8259 §6).
    let integerStart = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
    guard first != UInt8(ascii: "0") || index == integerStart + 1 else { return false }
    if peek == UInt8(ascii: ".") {
      index += 1
      guard skipDigits() > 0 else { return false }
    }
    if let e = peek, e | 0x20 == UInt8(ascii: "e") {
      index += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
      guard skipDigits() > 0 else { return false }
    }
    copy(from: start, to: &output)
    return true
  }

  private func copy(from start: Int, to output: inout OutputBuffer) {
    guard let base = bytes.baseAddress else { return }
    output.append((base + start).assumingMemoryBound(to: UInt8.self), count: index - start)
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private mutating func skipDigits() -> Int {
    let start = index
    while let byte = peek, isDigit(byte) { index += 1 }
    return index - start
  }
}
