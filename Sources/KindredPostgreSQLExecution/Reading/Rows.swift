import KindredPostgreSQL

/// The rows of a statement with the kinds of their columns.
final class Rows {
  let result: QueryResult
  private let kinds: [ColumnKind]

  init(_ result: QueryResult) {
    self.result = result
    kinds = (0..<result.columnCount).map { ColumnKind(oid: result.type(of: $0)) }
  }

  var count: Int { result.rowCount }

  /// The number of bytes of all values.
  var size: Int {
    var size = 0
    for row in 0..<count {
      for column in kinds.indices { size += result.bytes(row, column).count }
    }
    return size
  }

  @inline(__always)
  func kind(of column: Int) -> ColumnKind { kinds[column] }
}

/// A value of a row: where it is found in a result.
struct Place {
  let rows: Rows
  let row: Int
  let column: Int

  @inline(__always)
  var isNull: Bool { rows.result.isNull(row, column) }
  @inline(__always)
  var bytes: UnsafeRawBufferPointer { rows.result.bytes(row, column) }
  @inline(__always)
  var kind: ColumnKind { rows.kind(of: column) }
}
