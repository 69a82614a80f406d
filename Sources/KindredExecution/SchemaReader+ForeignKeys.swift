import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

extension SchemaReader {
  /// Reads the foreign keys of all tables; gives a warning for each that leads nowhere, and leaves it out.
  func resolveForeignKeys(in drafts: inout [TableDraft]) throws -> [String] {
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
              + "is left out: \(reason.message)")
        }
      }
    }
    return warnings
  }

  /// A foreign key as it is declared (<https://www.sqlite.org/foreignkeys.html>).
  private struct DeclaredForeignKey {
    let table: String
    var from: [String] = []
    /// NULLs where the destination's columns are not named, and so its primary key is meant.
    var to: [String?] = []

    struct Dangling: Error {
      let message: String
    }

    /// The foreign key in the spelling of the tables: names know no case.
    func resolved(
      from origin: TableDraft, in destinations: [String: TableDraft]
    ) -> Result<ForeignKey, Dangling> {
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
          // The rowid that stands in for a key is no column to SQLite.
          guard let column = destination.columnName(name), column != destination.rowIDName else {
            return .failure(Dangling(message: "\(destination.name) has no column \(name)"))
          }
          columns.append(column)
        }
      }
      guard destination.isUnique(columns) else {
        let key = columns.joined(separator: ", ")
        return .failure(Dangling(message: "\(key) of \(destination.name) is not unique"))
      }
      return .success(
        ForeignKey(
          columns: from.map { origin.columnName($0) ?? $0 }, destination: destination.name,
          destinationColumns: columns))
    }
  }

  /// The foreign keys of a table in the order of their declaration: SQLite numbers them from the last one.
  private func foreignKeys(of table: String) throws -> [DeclaredForeignKey] {
    var keys: [DeclaredForeignKey] = []
    var lastNumber: Int64?
    _ = try connection.rows(
      """
      SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?, ?) ORDER BY id DESC, seq
      """, [.text(table), .text(database)]
    ) { row in
      if lastNumber != row.int64(0) { keys.append(DeclaredForeignKey(table: row.text(1) ?? "")) }
      lastNumber = row.int64(0)
      keys[keys.count - 1].from.append(row.text(2) ?? "")
      keys[keys.count - 1].to.append(row.text(3))
    }
    return keys
  }
}
