import KindredSQLSyntax

/// The SQL of a full-text table of SQLite (<https://www.sqlite.org/fts5.html>, <https://www.sqlite.org/fts3.html>).
struct FullTextTable {
  private let fullText: FullText
  private var table: SQL { "\(identifier: fullText.table)" }

  init(_ fullText: FullText) { self.fullText = fullText }

  /// That the row of this number matches a pattern.
  func contains(_ rowID: SQL, where pattern: SQL) -> SQL {
    "\(rowID) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(pattern))"
  }

  /// That a row of the joined table is that of a record.
  func isIndex(_ alias: String, of rowID: SQL) -> SQL { "\(identifier: alias).rowid = \(rowID)" }

  /// That a row of the joined table matches a pattern.
  func matches(_ alias: String, _ pattern: SQL) -> SQL {
    "\(identifier: alias).\(table) MATCH \(pattern)"
  }

  /// The rank of a row of the joined table, the best being the least.
  func rank(_ alias: String) -> SQL {
    if fullText.version >= 5 { return "\(identifier: alias).rank" }
    // FTS3 and FTS4 know no rank: the more hits, the better. `offsets` has four numbers for each
    // (https://www.sqlite.org/fts3.html#offsets).
    let offsets: SQL = "offsets(\(identifier: alias))"
    return "(length(replace(\(offsets), ' ', '')) - length(\(offsets)))"
  }

  /// A statement that fails where a pattern is malformed.
  func check(_ pattern: SQL) -> SQL { "SELECT 1 FROM \(table) WHERE \(table) MATCH \(pattern) LIMIT 1" }

  /// A pattern that finds nothing but what is in some of the columns, of FTS5
  /// (<https://www.sqlite.org/fts5.html#fts5_column_filters>).
  ///
  /// The pattern can't end the parentheses: it has been checked by itself. Nothing in parentheses would be an error.
  func pattern(_ pattern: SQL, in columns: [String]) -> SQL {
    let columns = columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
    let opening = SQLValue.text("{\(columns)} : (")
    return
      "iif(trim(\(pattern), \(.value(.text(" \t\r\n")))) = '', \(pattern), \(.value(opening)) || \(pattern) || ')')"
  }
}
