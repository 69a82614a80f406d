/// What statements read: tables, and columns of them.
struct DatabaseRegion: Equatable, Sendable {
  /// By the name of the table in lower case, the names of the columns in lower case: none where only the number
  /// of the rows is read.
  private(set) var columns: [String: Set<String>] = [:]
  /// Whether tables of the connection's own are read, whose content may come from tables that aren't.
  private(set) var hasTemporaryTables = false

  mutating func insert(table: String, column: String, isTemporary: Bool) {
    hasTemporaryTables = hasTemporaryTables || isTemporary
    let name = table.lowercased()
    if column.isEmpty {
      columns[name, default: []].formUnion([])
    } else {
      columns[name, default: []].insert(column.lowercased())
    }
  }

  mutating func formUnion(_ other: DatabaseRegion) {
    columns.merge(other.columns) { $0.union($1) }
    hasTemporaryTables = hasTemporaryTables || other.hasTemporaryTables
  }

  /// Whether what is read can be other than before the changes.
  func isTouched(by changes: DatabaseChanges) -> Bool {
    if changes.isUnknown { return true }
    return columns.contains { table, columns in
      changes.rows.contains(table) || changes.columns[table]?.isDisjoint(with: columns) == false
    }
  }
}

/// What statements change.
struct DatabaseChanges: Equatable, Sendable {
  /// The tables, in lower case, that rows are inserted into or deleted from.
  private(set) var rows: Set<String> = []
  /// By the name of the table in lower case, the columns in lower case that are updated.
  private(set) var columns: [String: Set<String>] = [:]
  /// Whether it can be anything.
  private(set) var isUnknown = false

  /// Changes of which nothing is known.
  static var unknown: DatabaseChanges {
    var changes = DatabaseChanges()
    changes.isUnknown = true
    return changes
  }

  var isEmpty: Bool { !isUnknown && rows.isEmpty && columns.isEmpty }

  mutating func insertRows(of table: String) {
    rows.insert(table.lowercased())
  }

  mutating func insert(column: String, of table: String) {
    columns[table.lowercased(), default: []].insert(column.lowercased())
  }

  mutating func formUnion(_ other: DatabaseChanges) {
    rows.formUnion(other.rows)
    columns.merge(other.columns) { $0.union($1) }
    isUnknown = isUnknown || other.isUnknown
  }
}
