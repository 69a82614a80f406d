/// A row is a collection of its columns: `for (column, value) in row`.
extension Row: RandomAccessCollection {
  /// The position of the first column.
  public var startIndex: RowIndex { RowIndex(position: layout.columns.startIndex) }

  /// The position after the last column.
  public var endIndex: RowIndex { RowIndex(position: layout.columns.endIndex) }

  /// The name and the value of the column at a position; an empty name and NULL if there is none.
  public subscript(index: RowIndex) -> (String, DatabaseValue) {
    guard layout.columns.indices.contains(index.position) else { return ("", .null) }
    return (layout.columns[index.position].name, DatabaseValue(value(at: index.position)))
  }
}

/// The position of a column in a row.
public struct RowIndex: Comparable, Strideable, Sendable {
  /// The position from 0.
  let position: Int

  /// Whether the left column comes before the right one.
  public static func < (left: RowIndex, right: RowIndex) -> Bool { left.position < right.position }

  /// Returns the number of columns from this one to another.
  public func distance(to other: RowIndex) -> Int { other.position - position }

  /// Returns the position a number of columns further.
  public func advanced(by count: Int) -> RowIndex { RowIndex(position: position + count) }
}
