import KindredModel
import KindredSQLSyntax

/// How the plan of a request reads the stored values that it shows, which may be of any length.
public enum ValueReading: Sendable {
  /// As they are.
  case whole
  /// Of a long text or BLOB the beginning and the length, where the database can read no more than that.
  case beginnings
  /// The same of a single BLOB, whose bytes are then read in parts.
  case blob
  /// The number of bytes of each text and BLOB, where the database can tell it without reading them.
  case lengths
}

/// A column whose stored values a plan shows.
public struct StoredColumn: Sendable, Hashable {
  /// The name of the table.
  public let table: String
  /// The name of the column.
  public let column: String
}

extension RequestNode {
  /// Whether groups or distinct records are told apart by their values, which must be whole for that.
  var comparesRecords: Bool { isGrouped || isDistinct || children.contains(where: \.comparesRecords) }
}

extension Table {
  /// Whether a column holds the rowid, which is never long.
  func isRowID(_ column: Column) -> Bool {
    column.name == rowIDColumn || column.name == rowIDName && columns.first?.name == column.name
  }
}

extension ResolvedExpression {
  /// The stored column of the record that it is; nil for others.
  var storedColumn: Column? {
    if case .path(.column(let column)) = meaning { column } else { nil }
  }
}
