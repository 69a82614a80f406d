import OracleValues

/// The tables of a database, the associations between them, and their content.
struct DatabaseSchema: Sendable {
  var tables: [TableSchema]

  func table(_ name: String) -> TableSchema? { tables.first { $0.name == name } }
}

/// A table and its rows.
struct TableSchema: Sendable {
  /// A regular noun in the singular.
  var name: String
  var columns: [ColumnSchema]
  /// The primary key; if it is empty, none is declared, and `rowid` is the first column.
  var primaryKey: [String]
  var isWithoutRowID = false
  var uniques: [[String]] = []
  var indexes: [[String]] = []
  var foreignKeys: [ForeignKeySchema] = []
  var associations: [AssociationSchema] = []
  /// Settings that the model file adds.
  var defaultSort: [SortTerm] = []
  var defaultFields: [String]?
  /// The rule by which clients may read records; nil for all.
  var rule: AccessRule?
  /// Values in the order of the columns.
  var rows: [[Value]] = []

  var plural: String { name + "s" }
  /// The columns that identify its records.
  var key: [String] { primaryKey.isEmpty ? ["rowid"] : primaryKey }

  func position(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

  func column(_ name: String) -> ColumnSchema? { columns.first { $0.name == name } }

  func association(_ key: String) -> AssociationSchema? { associations.first { $0.key == key } }

  func isUnique(_ names: [String]) -> Bool {
    ([key] + uniques).contains { unique in unique.allSatisfy(names.contains) }
  }
}

struct ColumnSchema: Sendable, Hashable {
  enum Kind: String, Sendable, CaseIterable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case boolean = "BOOLEAN"
  }

  var name: String
  var kind: Kind
}

struct ForeignKeySchema: Sendable, Hashable {
  var columns: [String]
  var destination: String
  var destinationColumns: [String]
  /// The key on this side.
  var key = ""

  /// The name of the column, or of the last one of a composite key, without `Id` or the name of the referenced
  /// column.
  var stem: String {
    let (column, referenced) = (columns.last ?? "", destinationColumns.last ?? "")
    return String(column.dropLast(column.hasSuffix("Id") ? 2 : referenced.count))
  }
}

/// An association from the records of one table to those of another.
struct AssociationSchema: Sendable {
  struct Step: Sendable {
    var origin: String
    var destination: String
    var originColumns: [String]
    var destinationColumns: [String]
    var isBelongsTo: Bool
    var isToOne: Bool
    var filter: Expr?
  }

  var key: String
  var isToMany: Bool
  var steps: [Step]
  var destination: String
  var filter: Expr?
  var sort: [SortTerm] = []
  /// Whether the model file has to declare it; Kindred infers the others from the schema.
  var isOfModelFile = false
}
