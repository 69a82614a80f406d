import KindredSQLSyntax
import KindredSQLite

/// A row with a reference to a row that doesn't exist.
public struct BrokenReference: Hashable, Sendable {
  /// The table of the row.
  public let table: String
  /// The rowid; nil if the table has none.
  public let rowID: Int64?
  /// The table to which the row refers.
  public let parent: String
  /// The columns of the reference; empty if the table has no rowid.
  public let columns: [String]
  /// The values of these columns, as texts.
  public let values: [String?]

  var row: String { rowID.map { "row \($0)" } ?? "a row" }

  /// What the row refers to.
  var target: String {
    let pairs = zip(columns, values).map { "\($0) = \($1 ?? "NULL")" }
    return parent + (pairs.isEmpty ? "" : " (\(pairs.joined(separator: ", ")))")
  }

  fileprivate static func precedes(_ a: BrokenReference, _ b: BrokenReference) -> Bool {
    (a.table, a.rowID ?? 0) < (b.table, b.rowID ?? 0)
  }
}

/// The broken references of a database, which may have some because SQLite doesn't enforce foreign keys by default.
public struct BrokenReferences: Sendable {
  /// What a reference leads to: the table that has it and the one that it refers to, in lower case, and its values.
  ///
  /// A migration that rebuilds a table may change the rowid, but not these.
  private struct Key: Hashable {
    let table: String
    let parent: String
    let values: [String?]
  }

  private var references: [Key: [BrokenReference]] = [:]
  /// The tables whose foreign keys can't be checked, in lower case, as these refer to columns that are not unique, for
  /// example.
  private var failures: [String: DatabaseError] = [:]
  /// The tables of the database, in lower case.
  private var tables: Set<String> = []

  /// Finds the broken references of a database.
  init(on connection: Connection) throws {
    for name in try Self.tables(of: connection) {
      tables.insert(name.lowercased())
      do {
        try add(name, on: connection)
      } catch let error as DatabaseError where !error.isInterrupted {
        failures[name.lowercased()] = error
      }
    }
  }

  private static func tables(of connection: Connection) throws -> [String] {
    try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      $0.text(0) ?? ""
    }
  }

  private mutating func add(_ table: String, on connection: Connection) throws {
    // The number of the foreign key, as `foreign_key_list` has it, and the place of each broken one.
    let found = try connection.rows("PRAGMA foreign_key_check(\(SQL.quoted(table)))") { statement in
      // A WITHOUT ROWID table has none.
      let rowID = statement.columnType(1) == .null ? nil : statement.int64(1)
      return (key: statement.int64(3), rowID: rowID, parent: statement.text(2) ?? "")
    }
    guard !found.isEmpty else { return }
    let keys = try Self.keys(of: table, on: connection)
    for (key, rowID, parent) in found {
      let columns = rowID == nil ? [] : keys[key] ?? []
      let reference = BrokenReference(
        table: table, rowID: rowID, parent: parent, columns: columns,
        values: try Self.values(of: columns, at: rowID, in: table, on: connection))
      let place = Key(table: table.lowercased(), parent: parent.lowercased(), values: reference.values)
      references[place, default: []].append(reference)
    }
  }

  /// Returns the columns of each foreign key of a table.
  private static func keys(of table: String, on connection: Connection) throws -> [Int64: [String]] {
    try connection.withStatement("PRAGMA foreign_key_list(\(SQL.quoted(table)))") { statement in
      var keys: [Int64: [String]] = [:]
      while try statement.step() { keys[statement.int64(0), default: []].append(statement.text(3) ?? "") }
      return keys
    }
  }

  private static func values(
    of columns: [String], at rowID: Int64?, in table: String, on connection: Connection
  ) throws -> [String?] {
    guard let rowID, !columns.isEmpty else { return [] }
    let list = columns.map { SQL.quoted($0) }.joined(separator: ", ")
    return try connection.withStatement("SELECT \(list) FROM \(SQL.quoted(table)) WHERE rowid = ?") {
      try $0.bind([.integer(rowID)])
      guard try $0.step() else { return [] }
      let statement = $0
      return columns.indices.map { statement.text(Int32($0)) }
    }
  }

  /// Checks that there are no others than before.
  ///
  /// Those of tables that no longer exist count for the same ones of others, because a migration may rename tables.
  ///
  /// - Throws: `MigrationError.Reason`, a new broken reference or a new failure to check.
  func check(against former: BrokenReferences) throws(MigrationError.Reason) {
    let failure = failures.filter { former.failures[$0.key] == nil }.min { $0.key < $1.key }
    if let failure { throw .failed(failure.value) }
    var renamed: [[String?]: Int] = [:]
    for (key, gone) in former.references where !tables.isSuperset(of: [key.table, key.parent]) {
      renamed[key.values, default: 0] += max(0, gone.count - (references[key]?.count ?? 0))
    }
    var new: [BrokenReference] = []
    for (key, present) in references {
      let before = former.references[key] ?? []
      let added = max(0, present.count - before.count)
      let known = min(added, renamed[key.values] ?? 0)
      renamed[key.values]? -= known
      guard added > known else { continue }
      let others = Set(present).subtracting(before)
      new += others.isEmpty ? present.suffix(1) : Array(others)
    }
    if let first = new.min(by: BrokenReference.precedes) { throw .foreignKeyViolation(first) }
  }

  /// Whether there are none.
  public var isEmpty: Bool { references.isEmpty }
}

extension BrokenReferences: CustomStringConvertible {
  /// The number of them, and one of them.
  public var description: String {
    let all = references.values.joined()
    guard let first = all.min(by: BrokenReference.precedes) else { return "no row refers to a missing row" }
    let count = all.count
    return
      "\(count) \(count == 1 ? "row refers" : "rows refer") to missing rows, such as \(first.row) of \(first.table) to one of \(first.target); migrations leave them as they are"
  }
}
