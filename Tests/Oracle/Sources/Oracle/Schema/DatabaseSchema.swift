import OracleValues

/// The tables of a database, the associations between them, and their content.
struct DatabaseSchema: Sendable {
  var tables: [TableSchema]
  /// Whether clients may write, as far as the rules for writing allow it.
  var isWritable = false

  /// The table or view of this name, with its rows.
  func table(_ name: String) -> TableSchema? {
    guard var table = tables.first(where: { $0.name == name }) else { return nil }
    if let source = table.viewOf.flatMap(self.table) {
      let parts = [table.columns.map(\.name)] + (table.secondPart.map { [$0] } ?? [])
      table.rows = parts.flatMap { columns in
        let positions = columns.compactMap { source.position(of: $0) }
        return source.rows.map { row in positions.map { row[$0] } }
      }
    }
    return table
  }

  /// Whether it has views, or columns that compare otherwise than their values do: GRDB is no judge of these.
  var isOdd: Bool { tables.contains { $0.viewOf != nil || $0.columns.contains(where: \.isOdd) } }
}

/// A table and its rows.
struct TableSchema: Sendable {
  /// A regular noun in the singular.
  var name: String
  var columns: [ColumnSchema]
  /// The primary key; if it is empty, none is declared, and `rowid` is the first column.
  ///
  /// A view of one table has the key of this, if it shows it.
  var primaryKey: [String]
  var isWithoutRowID = false
  /// Whether the primary key compares by bytes, whatever the collation of its column.
  var hasExactKey = false
  var uniques: [[String]] = []
  /// What happens where one of `uniques` is violated; nil for SQLite's default.
  var conflictClause: ConflictClause?
  var indexes: [[String]] = []
  var foreignKeys: [ForeignKeySchema] = []
  var associations: [AssociationSchema] = []
  /// Settings that the model file adds.
  var defaultSort: [SortTerm] = []
  var defaultFields: [String]?
  /// The rule by which clients may read records; nil for all.
  var rule: AccessRule?
  /// The rules for writing its records; without one, all may be written.
  var writeRules: [WriteVerb: AccessRule] = [:]
  /// The name of the table that it shows some columns of; nil where it is a table itself.
  var viewOf: String?
  /// Whether the model file removes it, so that only associations through it are left.
  var isRemoved = false
  /// The columns that the second part of a compound view shows; nil for other tables.
  var secondPart: [String]?
  /// Values in the order of the columns; of a view, made when it is looked up.
  var rows: [[Value]] = []

  var plural: String { name + "s" }
  /// The columns that tell its records apart.
  var key: [String] {
    guard viewOf != nil else { return determining }
    return primaryKey + (determining.isEmpty ? columns.map(\.name).filter { !primaryKey.contains($0) } : [])
  }

  /// The columns that determine the others: the primary key, of views only if it can't be NULL, as these have no rowid.
  var determining: [String] {
    if viewOf == nil { return primaryKey.isEmpty ? ["rowid"] : primaryKey }
    let mayBeNull = columns.contains {
      primaryKey.contains($0.name) && $0.kind == .integer && $0.declared == nil
    }
    return mayBeNull && primaryKey.count > 1 && !isWithoutRowID ? [] : primaryKey
  }

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

  enum Collation: String, Sendable {
    case binary = "BINARY"
    case nocase = "NOCASE"
    case rtrim = "RTRIM"
  }

  var name: String
  var kind: Kind
  /// The type that is declared, where it isn't that of the kind.
  var declared: String?
  var collation = Collation.binary
  /// Whether it is never compared: SQLite compares such a column of a compound view by the affinity of either part.
  var isUncompared = false

  /// Whether comparisons of it need the rules of affinity and collation.
  var isOdd: Bool { declared != nil || collation != .binary }
  /// Whether it holds values of all kinds.
  var isMixed: Bool { name.hasPrefix("mixed") }
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
    /// The order in which only the first record is taken.
    var sort: [SortTerm]?
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

/// What the schema says about a conflict (<https://www.sqlite.org/lang_conflict.html>).
enum ConflictClause: String, CaseIterable {
  case replace = "REPLACE"
  case ignore = "IGNORE"
  case fail = "FAIL"
  case rollback = "ROLLBACK"
}
