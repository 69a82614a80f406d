import CKindredSQLite
import KindredOutput

/// A value that is written slice by slice: what is written of one row is handed on part by part too, so that a result
/// takes no more memory the longer its values are, and the more names one of them has.
struct LongValue {
  /// Longer values are.
  static let length = 64 << 10
  /// Bytes of a slice at most; a multiple of three, as those are that become four digits.
  private static let sliceLength = 1536

  private enum Format {
    case string, base64, csv, html, segment
  }

  private let bytes: UnsafeRawBufferPointer
  private let format: Format
  /// What is around it.
  let opening: StaticString
  let closing: StaticString

  /// The value of a column as an operation writes it; nil where that writes it in one go.
  init?(_ column: Int32, of statement: OpaquePointer, as operation: ExecutablePlan.Operation) {
    let value = sqlite3_column_value(statement, column)
    let isText = sqlite3_value_type(value) == SQLITE_TEXT
    guard isText || sqlite3_value_type(value) == SQLITE_BLOB else { return nil }
    bytes = isText ? OutputBuffer.text(value) : OutputBuffer.blob(value)
    guard bytes.count > Self.length else { return nil }
    switch operation {
    case .value, .boolean, .json: (format, opening, closing) = (isText ? .string : .base64, "\"", "\"")
    case .csvValue, .csvBoolean: (format, opening, closing) = (isText ? .csv : .base64, "\"", "\"")
    case .htmlValue, .htmlBoolean, .htmlText: (format, opening, closing) = (isText ? .html : .base64, "", "")
    case .htmlCell, .htmlBooleanCell:
      // Of a long BLOB, a cell shows the beginning.
      guard isText else { return nil }
      (format, opening, closing) = (.html, ">", "")
    case .segment, .key:
      guard isText else { return nil }
      (format, opening, closing) = (.segment, "", "")
    case .optional, .text, .child, .htmlCount, .absent: return nil
    }
  }

  /// Writes from `start` on until there is a part of a result; up to where it goes, or nil at the end.
  func write(from start: Int, to output: inout OutputBuffer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var index = start
    repeat {
      let end = min(bytes.count, index + Self.sliceLength)
      switch format {
      case .string: index = output.append(sliceOfString: base, from: index, of: bytes.count)
      case .csv: index = output.append(csv: bytes, from: index, to: end)
      case .html: index = output.append(html: bytes, from: index, to: end)
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
