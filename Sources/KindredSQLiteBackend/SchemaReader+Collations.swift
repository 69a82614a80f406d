import KindredModel
import KindredSQLSyntax
import KindredSQLite

extension SchemaReader {
  /// Returns a warning for each column and index with a collation that only the program knows by which the database was
  /// made.
  ///
  /// Such a column can be read, but not compared, and SQLite ignores such an index until a record is written
  /// (<https://www.sqlite.org/c3ref/create_collation.html>).
  func warnings(aboutCollationsOf drafts: [TableDraft]) -> [String] {
    var known: [String: Bool] = [:]
    func isUnknown(_ collation: String) -> Bool {
      let isKnown = known[collation] ?? has(collation)
      known[collation] = isKnown
      return !isKnown
    }
    return drafts.filter { $0.kind != .view }.flatMap { draft in
      let columns = draft.columns.filter { isUnknown($0.collation) }.map {
        "the column \($0.name) of \(draft.name) has the collation \($0.collation), which this server doesn't have: requests that compare it are refused"
      }
      let indexed = draft.indexes.flatMap(\.collations).compactMap(\.self).filter(isUnknown).map {
        "an index of \(draft.name) has the collation \($0), which this server doesn't have: its records can't be written"
      }
      return columns + indexed
    }
  }

  /// Returns whether the connection can compare by a collation; `PRAGMA collation_list` also names those that the schema
  /// names.
  private func has(_ collation: String) -> Bool {
    let sql: SQL = "SELECT '' = '' COLLATE \(identifier: collation)"
    return (try? connection.prepare(sql.rendered().text)) != nil
  }
}
