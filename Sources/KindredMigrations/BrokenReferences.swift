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

  var row: String { rowID.map { "row \($0)" } ?? "a row" }
}

/// The broken references of a database, which may have some because SQLite doesn't enforce foreign keys by default.
public struct BrokenReferences: Sendable {
  /// A table and one that it refers to, in lower case.
  private struct Tables: Hashable {
    let table: String
    let parent: String
  }

  private var references: [Tables: [BrokenReference]] = [:]
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
    try connection.withStatement("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
      statement in
      var names: [String] = []
      while try statement.step() { names.append(statement.text(0) ?? "") }
      return names
    }
  }

  private mutating func add(_ table: String, on connection: Connection) throws {
    let found = try connection.withStatement("PRAGMA foreign_key_check(\(SQL.quoted(table)))") { statement in
      var found: [BrokenReference] = []
      while try statement.step() {
        found.append(
          BrokenReference(
            table: statement.text(0) ?? "",
            // A WITHOUT ROWID table has none.
            rowID: statement.columnType(1) == .null ? nil : statement.int64(1),
            parent: statement.text(2) ?? ""))
      }
      return found
    }
    for reference in found {
      let tables = Tables(table: table.lowercased(), parent: reference.parent.lowercased())
      references[tables, default: []].append(reference)
    }
  }

  /// Checks that there are no more than before.
  ///
  /// They are counted, because a migration that rebuilds a table may change rowids; and those of tables that no longer
  /// exist count for others, because a migration may rename tables.
  ///
  /// - Throws: `MigrationError.Reason`, a new broken reference or a new failure to check.
  func check(against former: BrokenReferences) throws(MigrationError.Reason) {
    let failure = failures.filter { former.failures[$0.key] == nil }.min { $0.key < $1.key }
    if let failure { throw .failed(failure.value) }
    let renamed = former.references.reduce(0) { count, entry in
      tables.isSuperset(of: [entry.key.table, entry.key.parent])
        ? count : count + max(0, entry.value.count - number(entry.key))
    }
    let grown = references.filter { $0.value.count > former.number($0.key) }
    let added = grown.reduce(0) { $0 + $1.value.count - former.number($1.key) }
    guard added > renamed else { return }
    let new = grown.flatMap { Set($0.value).subtracting(former.references[$0.key] ?? []) }
    let first = new.min { ($0.table, $0.rowID ?? 0) < ($1.table, $1.rowID ?? 0) } ?? grown.first?.value.last
    if let first { throw .foreignKeyViolation(first) }
  }

  private func number(_ tables: Tables) -> Int { references[tables]?.count ?? 0 }

  /// Whether there are none.
  public var isEmpty: Bool { references.isEmpty }
}

extension BrokenReferences: CustomStringConvertible {
  /// The number of them, and one of them.
  public var description: String {
    let all = references.values.joined()
    guard let first = all.min(by: { ($0.table, $0.rowID ?? 0) < ($1.table, $1.rowID ?? 0) }) else {
      return "no row refers to a missing row"
    }
    let count = all.count
    return
      "\(count) \(count == 1 ? "row refers" : "rows refer") to missing rows, such as \(first.row) of \(first.table) to one of \(first.parent); migrations leave them as they are"
  }
}
