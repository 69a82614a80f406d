import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// Reads the foreign keys of tables (<https://www.sqlite.org/pragma.html#pragma_foreign_key_list>).
struct ForeignKeyReader {
  let connection: Connection
  /// `main`, `temp`, or the name of an attached database.
  let database: String

  /// Reads the foreign keys of all tables, and returns a warning for each that is omitted because it has no
  /// destination.
  func readKeys(of drafts: inout [TableDraft]) throws -> [String] {
    var warnings: [String] = []
    let destinations = Dictionary(
      drafts.map { ($0.name.foldingASCIICase, $0) }, uniquingKeysWith: { first, _ in first })
    for position in drafts.indices where drafts[position].kind == .table {
      for declared in try foreignKeys(of: drafts[position].name) {
        switch declared.resolved(from: drafts[position], in: destinations) {
        case .success(let key): drafts[position].foreignKeys.append(key)
        case .failure(let reason):
          warnings.append(
            "the foreign key of \(drafts[position].name) on \(declared.from.joined(separator: ", ")) "
              + "is ignored: \(reason.message)")
        }
      }
    }
    return warnings
  }

  /// A foreign key as it is declared (<https://www.sqlite.org/foreignkeys.html>).
  private struct DeclaredForeignKey {
    let table: String
    var from: [String] = []
    /// The columns of the destination; nil for each if they are not named, which means the primary key.
    var to: [String?] = []
    /// Whether only a commit checks it.
    let isDeferred: Bool

    struct Dangling: Error {
      let message: String
    }

    /// Returns the foreign key with names spelled as in the tables, because SQLite ignores their case.
    func resolved(
      from origin: TableDraft, in destinations: [String: TableDraft]
    ) -> Result<ForeignKey, Dangling> {
      if let name = from.first(where: { origin.columnName($0) == nil }) {
        return .failure(Dangling(message: "the column \(name) is not served"))
      }
      guard let destination = destinations[table.foldingASCIICase] else {
        return .failure(Dangling(message: "there is no table \(table)"))
      }
      var columns: [String] = []
      if to.contains(nil) {
        columns = destination.primaryKey.map { destination.columns[$0].name }
        guard columns.count == from.count, columns != destination.rowIDName.map({ [$0] }) else {
          let count = from.count == 1 ? "one column" : "\(from.count) columns"
          return .failure(Dangling(message: "\(destination.name) has no primary key of \(count)"))
        }
      } else {
        for name in to.compactMap(\.self) {
          // A rowid that serves as the key is not a column for SQLite.
          guard let column = destination.columnName(name), column != destination.rowIDName else {
            return .failure(Dangling(message: "\(destination.name) has no column \(name)"))
          }
          columns.append(column)
        }
      }
      guard destination.table.isIdentified(by: columns) else {
        let key = columns.joined(separator: ", ")
        return .failure(Dangling(message: "\(key) of \(destination.name) is not unique"))
      }
      return .success(
        ForeignKey(
          columns: from.map { origin.columnName($0) ?? $0 }, destination: destination.name,
          destinationColumns: columns, isDeferred: isDeferred))
    }
  }

  /// Returns the foreign keys of a table in the order of their declaration; SQLite numbers them from the last.
  private func foreignKeys(of table: String) throws -> [DeclaredForeignKey] {
    let sql = try connection.texts(
      "SELECT sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type = 'table' AND name = ?1",
      [.text(table)])
    var deferred = SQLTokens.deferredReferences(in: sql.first ?? "")[...]
    var keys: [DeclaredForeignKey] = []
    var lastNumber: Int64?
    _ = try connection.rows(
      """
      SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?, ?) ORDER BY id DESC, seq
      """, [.text(table), .text(database)]
    ) { row in
      if lastNumber != row.int64(0) {
        keys.append(
          DeclaredForeignKey(table: row.text(1) ?? "", isDeferred: deferred.popFirst() ?? false))
      }
      lastNumber = row.int64(0)
      keys[keys.count - 1].from.append(row.text(2) ?? "")
      keys[keys.count - 1].to.append(row.text(3))
    }
    return keys
  }
}
