import Foundation
import KindredSpooling

/// Rewrites text part by part.
protocol TextRewriter {
  /// Reads a part, and appends what it becomes.
  mutating func read(_ part: UnsafeRawBufferPointer, _ output: inout [UInt8]) throws

  /// Appends what the end of the text becomes.
  mutating func end(_ output: inout [UInt8]) throws
}

extension ContentFile {
  /// What the first line has in place of commas, as `--delimiter` takes it; nil if it has commas or nothing of the kind.
  var otherDelimiter: String? {
    var beginning = [UInt8](repeating: 0, count: 1 << 14)
    let count = beginning.withUnsafeMutableBytes { read(into: $0, from: 0) } ?? 0
    let header = beginning[..<count].prefix { $0 != UInt8(ascii: "\n") }
    guard !header.contains(UInt8(ascii: ",")) else { return nil }
    return [";", "\t", "|"].first { header.contains(Array($0.utf8)[0]) }.map { $0 == "\t" ? "tab" : $0 }
  }

  /// Returns this content in another form, in a temporary file.
  ///
  /// - Throws: `CommandError`, and what the rewriter throws.
  func rewritten(by rewriter: some TextRewriter) throws -> ContentFile {
    var rewriter = rewriter
    let copy = try TemporaryFiles.content()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { memory.deallocate() }
    var offset = 0
    while true {
      guard let count = read(into: memory, from: offset) else {
        throw CommandError("the content can't be read")
      }
      var output: [UInt8] = []
      if count == 0 {
        try rewriter.end(&output)
      } else {
        try rewriter.read(UnsafeRawBufferPointer(rebasing: memory[..<count]), &output)
      }
      guard output.withUnsafeBytes({ copy.append($0) }) else { throw TemporaryFiles.full() }
      if count == 0 { return copy }
      offset += count
    }
  }
}

/// Rewrites text with another delimiter as CSV, line by line.
struct DelimitedText: TextRewriter {
  private let delimiter: UInt8
  private var field: [UInt8] = []
  private var isQuoted = false

  /// - Parameter delimiter: neither a quote nor a line break.
  init(delimiter: UInt8) {
    self.delimiter = delimiter
  }

  mutating func read(_ part: UnsafeRawBufferPointer, _ output: inout [UInt8]) {
    for byte in part {
      if byte == UInt8(ascii: "\"") { isQuoted = (field.isEmpty || field[0] == byte) && !isQuoted }
      if !isQuoted, byte == delimiter {
        take(&output)
        output.append(UInt8(ascii: ","))
      } else if !isQuoted, byte == 0x0A {
        let endsInReturn = field.last == 0x0D
        if endsInReturn { field.removeLast() }
        take(&output)
        output += endsInReturn ? [0x0D, 0x0A] : [0x0A]
      } else {
        field.append(byte)
      }
    }
  }

  mutating func end(_ output: inout [UInt8]) { take(&output) }

  /// Appends the field, in quotes if it contains what separates fields of CSV.
  private mutating func take(_ output: inout [UInt8]) {
    defer { field.removeAll(keepingCapacity: true) }
    let quote = UInt8(ascii: "\"")
    guard field.first != quote, field.contains(where: { $0 == UInt8(ascii: ",") || $0 == quote }) else {
      output += field
      return
    }
    output.append(quote)
    for byte in field { output += byte == quote ? [quote, quote] : [byte] }
    output.append(quote)
  }
}

/// Rewrites a JSON array as JSON Lines: a line for each element.
struct JSONArrayText: TextRewriter {
  private enum Place {
    case start, first, next, element, end
  }

  private var place = Place.start
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  mutating func read(_ part: UnsafeRawBufferPointer, _ output: inout [UInt8]) throws {
    for byte in part { try read(byte, &output) }
  }

  mutating func end(_ output: inout [UInt8]) throws {
    guard place == .end else {
      throw CommandError("the content is not a JSON array: it ends before the array does")
    }
  }

  private mutating func read(_ byte: UInt8, _ output: inout [UInt8]) throws {
    if isInString {
      output.append(byte)
      isInString = isEscaped || byte != UInt8(ascii: "\"")
      isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      return
    }
    // RFC 8259 §2
    let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    switch (place, byte) {
    case (.start, UInt8(ascii: "[")): place = .first
    case (.start, 0xEF), (.start, 0xBB), (.start, 0xBF): break
    case (.start, _) where isSpace, (.first, _) where isSpace, (.next, _) where isSpace: break
    case (.end, _) where isSpace: break
    case (.start, _):
      throw CommandError(
        "the content is not a JSON array; use --format jsonl for an object per line")
    case (.end, _): throw CommandError("the content continues after the end of its JSON array")
    case (.first, UInt8(ascii: "]")): place = .end
    case (.first, UInt8(ascii: ",")), (.next, UInt8(ascii: ",")), (.next, UInt8(ascii: "]")):
      throw CommandError("the content is not a JSON array: an element is missing after a comma")
    case (.element, UInt8(ascii: ",")) where depth == 0:
      output.append(UInt8(ascii: "\n"))
      place = .next
    case (.element, UInt8(ascii: "]")) where depth == 0:
      output.append(UInt8(ascii: "\n"))
      place = .end
    default:
      place = .element
      // A line break between tokens is a space to JSON, and would end the line.
      output.append(isSpace ? 0x20 : byte)
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
  }
}
