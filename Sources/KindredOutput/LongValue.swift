/// How much of a long value has been written.
public struct WrittenLength: Sendable {
  /// The number of bytes of the value; 0 if none of it has been written.
  @usableFromInline package var bytes: Int
  /// Whether they are the bytes of a text that isn't UTF-8, which only a scan of the whole text can tell.
  @usableFromInline package var isOfMalformedText: Bool

  /// Creates the length of a value of which nothing has been written.
  @inlinable
  package init() { (bytes, isOfMalformedText) = (0, false) }
}

/// A value that is written slice by slice, so that the memory for a result does not grow with the length of its
/// values, nor with the number of names under which one appears.
public struct LongValue {
  /// Values longer than this number of bytes are written in slices.
  @inlinable public static var length: Int { 64 << 10 }
  /// The number of bytes of a BLOB that fill a part of the result.
  static var portion: Int { OutputMemory.partSize / 4 * 3 }
  /// The maximum number of bytes in a slice; a multiple of three, because base64 turns three bytes into four
  /// digits.
  private static let sliceLength = 1536

  private enum Format {
    case string, base64, csv, segment
  }

  private let bytes: UnsafeRawBufferPointer
  /// The length of the value.
  private let count: Int
  private let isText: Bool
  private let format: Format
  /// The text before and after the value.
  private let opening: StaticString
  private let closing: StaticString

  /// Whether it is a text that isn't UTF-8, in a form that says so.
  private let isMalformedText: Bool

  /// Creates a value as it is written in a form; nil if it is written at once.
  ///
  /// - Parameter start: How much of it has been written.
  init?(_ value: RowValue, as form: ValueForm, from start: WrittenLength) {
    switch value {
    case .text(let text): (bytes, count, isText) = (text, text.count, true)
    case .bytes(let part, let count): (bytes, self.count, isText) = (part, count, false)
    case .null, .integer, .real, .digits, .boolean, .json, .beginning: return nil
    }
    guard count > Self.length else { return nil }
    isMalformedText =
      form == .exact && isText
      && (start.bytes == 0 ? !OutputBuffer.isUTF8(bytes) : start.isOfMalformedText)
    switch form {
    case .exact where !isText:
      (format, opening, closing) = (.base64, OutputBuffer.beginningOfBlob, OutputBuffer.endOfBytes)
    case .exact where isMalformedText:
      (format, opening, closing) = (.base64, OutputBuffer.beginningOfBytes, OutputBuffer.endOfBytes)
    case .exact: (format, opening, closing) = (.string, "\"", "\"")
    case .json, .jsonDocument: (format, opening, closing) = (isText ? .string : .base64, "\"", "\"")
    case .csv, .csvBoolean, .csvPart: (format, opening, closing) = (isText ? .csv : .base64, "\"", "\"")
    case .segment, .key:
      guard isText else { return nil }
      (format, opening, closing) = (.segment, "", "")
    // A page shows only the beginning of a long value.
    case .html, .htmlBoolean, .htmlText, .htmlCell, .htmlBooleanCell, .htmlCount: return nil
    }
  }

  /// Writes from `start` on until a part of the result is complete; returns how much has been written, nil at the end.
  func write(from start: WrittenLength, to output: inout OutputBuffer) -> WrittenLength? {
    if start.bytes == 0 { output.append(opening) }
    guard let end = writeSlices(from: start.bytes, to: &output) else {
      output.append(closing)
      return nil
    }
    var written = WrittenLength()
    (written.bytes, written.isOfMalformedText) = (end, isMalformedText)
    return written
  }

  private func writeSlices(from start: Int, to output: inout OutputBuffer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    // Of a BLOB, only what follows `start` has been requested.
    let first = isText ? 0 : start
    let last = first + bytes.count
    var index = start
    repeat {
      let end = min(last, index + Self.sliceLength)
      switch format {
      case .string: index = output.append(sliceOfString: base, from: index, of: bytes.count)
      case .csv: index = output.append(csv: bytes, from: index, to: end)
      case .base64:
        output.append(bareBase64: UnsafeRawBufferPointer(rebasing: bytes[(index - first)..<(end - first)]))
        index = end
      case .segment:
        output.append(segment: UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
        index = end
      }
    } while index < last && !output.isFull
    return index < count ? index : nil
  }
}
