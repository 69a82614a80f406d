import CKindredSQLite
import KindredSQLite

/// The BLOB that stands for a long value in a row: its beginning, and what is needed to read the rest
/// (`kindred_beginning`).
struct LongStoredValue {
  let isText: Bool
  /// The number of bytes of the value.
  let count: Int
  let rowID: Int64
  /// Its first bytes, valid as long as the row.
  let beginning: UnsafeRawBufferPointer

  /// Returns nil for any other BLOB.
  init?(_ bytes: UnsafeRawBufferPointer) {
    let markLength = Int(KINDRED_MARK_LENGTH)
    let start = Int(KINDRED_BEGINNING)
    guard bytes.count >= start, let mark = kindred_long_value_mark(),
      bytes[..<markLength].elementsEqual(UnsafeRawBufferPointer(start: mark, count: markLength))
    else { return nil }
    func number(_ index: Int) -> Int64 {
      bytes.loadUnaligned(fromByteOffset: markLength + 8 * index, as: Int64.self)
    }
    (isText, count, rowID) = (number(0) != 0, Int(number(1)), number(2))
    beginning = UnsafeRawBufferPointer(rebasing: bytes[start...])
  }
}

/// The bytes of a stored BLOB, read in parts on a connection in a transaction
/// (<https://www.sqlite.org/c3ref/blob_open.html>).
final class StoredBlobReader {
  private let handle: OpaquePointer
  private let connection: Connection
  private var range: Range<Int>
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: partLength, alignment: 16)

  private static let partLength = 128 << 10

  /// Opens the value of a column in a row, to read this range of its bytes.
  init(_ range: Range<Int>, of column: String, in table: String, _ rowID: Int64, on connection: Connection)
    throws
  {
    var handle: OpaquePointer?
    let code = sqlite3_blob_open(connection.handle, "main", table, column, rowID, 0, &handle)
    guard code == SQLITE_OK, let handle else {
      sqlite3_blob_close(handle)
      memory.deallocate()
      throw connection.error(code)
    }
    (self.handle, self.connection, self.range) = (handle, connection, range)
  }

  deinit {
    sqlite3_blob_close(handle)
    memory.deallocate()
  }

  var isAtEnd: Bool { range.isEmpty }

  /// Returns the next bytes, valid until the next call; nil at the end.
  func next() throws -> UnsafeRawBufferPointer? {
    guard !range.isEmpty else { return nil }
    let count = min(range.count, memory.count)
    let code = sqlite3_blob_read(handle, memory.baseAddress, Int32(count), Int32(range.lowerBound))
    guard code == SQLITE_OK else { throw connection.error(code) }
    range = (range.lowerBound + count)..<range.upperBound
    return UnsafeRawBufferPointer(rebasing: memory[..<count])
  }
}
