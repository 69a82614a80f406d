/// The tables and columns that statements read.
struct DatabaseRegion: Equatable, Sendable {
  /// The columns that are read, by table, all names in lower case.
  ///
  /// The set is empty if only the number of rows is read.
  private(set) var columns: [String: Set<String>] = [:]
  /// Whether temporary tables are read, whose content may be copied from other tables.
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

  /// Returns whether changes can affect what is read.
  func isTouched(by changes: DatabaseChanges) -> Bool {
    if changes.isUnknown { return true }
    return columns.contains { table, columns in
      changes.rows.contains(table) || changes.columns[table]?.isDisjoint(with: columns) == false
    }
  }
}

/// The tables and columns that statements change.
struct DatabaseChanges: Equatable, Sendable {
  /// The tables that rows are inserted into or deleted from, in lower case.
  private(set) var rows: Set<String> = []
  /// The columns that are updated, by table, all names in lower case.
  private(set) var columns: [String: Set<String>] = [:]
  /// Whether anything may have changed.
  private(set) var isUnknown = false

  /// Changes that may affect anything.
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
