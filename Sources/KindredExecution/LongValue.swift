import CKindredSQLite
import KindredOutput

/// A value that is written slice by slice, so that the memory for a result does not grow with the length of its
/// values, nor with the number of names under which one appears.
struct LongValue {
  /// Values longer than this number of bytes are written in slices.
  static let length = 64 << 10
  /// The maximum number of bytes in a slice; a multiple of three, because base64 turns three bytes into four
  /// digits.
  private static let sliceLength = 1536

  private enum Format {
    case string, base64, csv, segment
  }

  private let bytes: UnsafeRawBufferPointer
  private let format: Format
  /// The text before and after the value.
  let opening: StaticString
  let closing: StaticString

  /// Creates the value of a column as an operation writes it; nil if the operation writes it at once.
  init?(_ column: Int32, of statement: OpaquePointer, as operation: ExecutablePlan.Operation) {
    let value = sqlite3_column_value(statement, column)
    let isText = sqlite3_value_type(value) == SQLITE_TEXT
    guard isText || sqlite3_value_type(value) == SQLITE_BLOB else { return nil }
    bytes = isText ? OutputBuffer.text(value) : OutputBuffer.blob(value)
    guard bytes.count > Self.length else { return nil }
    switch operation {
    case .value, .boolean, .json: (format, opening, closing) = (isText ? .string : .base64, "\"", "\"")
    case .exact where !isText:
      (format, opening, closing) = (.base64, OutputBuffer.beginningOfBlob, OutputBuffer.endOfBytes)
    case .exact where !OutputBuffer.isUTF8(bytes):
      (format, opening, closing) = (.base64, OutputBuffer.beginningOfBytes, OutputBuffer.endOfBytes)
    case .exact: (format, opening, closing) = (.string, "\"", "\"")
    case .csvValue, .csvBoolean, .csvPart: (format, opening, closing) = (isText ? .csv : .base64, "\"", "\"")
    case .segment, .key:
      guard isText else { return nil }
      (format, opening, closing) = (.segment, "", "")
    // A page shows only the beginning of a long value.
    case .htmlValue, .htmlBoolean, .htmlText, .htmlCell, .htmlBooleanCell: return nil
    case .optional, .text, .child, .htmlCount, .absent, .long: return nil
    }
  }

  /// Writes from `start` on until a part of the result is complete; returns the end of what was written, nil at the
  /// end.
  func write(from start: Int, to output: inout OutputBuffer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var index = start
    repeat {
      let end = min(bytes.count, index + Self.sliceLength)
      switch format {
      case .string: index = output.append(sliceOfString: base, from: index, of: bytes.count)
      case .csv: index = output.append(csv: bytes, from: index, to: end)
      case .base64:
        output.append(bareBase64: UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
        index = end
      case .segment:
        output.append(segment: UnsafeRawBufferPointer(rebasing: bytes[index..<end]))
        index = end
      }
    } while index < bytes.count && !output.isFull
    return index < bytes.count ? index : nil
  }
}
