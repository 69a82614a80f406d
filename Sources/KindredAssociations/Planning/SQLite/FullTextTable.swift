import KindredSQLSyntax

/// The SQL of a full-text table of SQLite (<https://www.sqlite.org/fts5.html>, <https://www.sqlite.org/fts3.html>).
struct FullTextTable {
  private let fullText: FullText
  private var table: SQL { "\(identifier: fullText.table)" }

  init(_ fullText: FullText) { self.fullText = fullText }

  /// Returns the condition that the row with this rowid matches a pattern.
  func contains(_ rowID: SQL, where pattern: SQL) -> SQL {
    "\(rowID) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(pattern))"
  }

  /// Returns the condition that a row of the joined table belongs to a record.
  func isIndex(_ alias: String, of rowID: SQL) -> SQL { "\(identifier: alias).rowid = \(rowID)" }

  /// Returns the condition that a row of the joined table matches a pattern.
  func matches(_ alias: String, _ pattern: SQL) -> SQL {
    "\(identifier: alias).\(table) MATCH \(pattern)"
  }

  /// Returns the rank of a row of the joined table; the best match has the lowest one.
  ///
  /// - Parameter isPlain: Whether the rows are neither distinct nor grouped: for others, `offsets` fails.
  func rank(_ alias: String, isPlain: Bool) -> SQL? {
    if fullText.version >= 5 { return "\(identifier: alias).rank" }
    guard isPlain else { return nil }
    // FTS3 and FTS4 have no rank: the more hits, the better. `offsets` has four numbers for each hit
    // (https://www.sqlite.org/fts3.html#offsets).
    let offsets: SQL = "offsets(\(identifier: alias))"
    return "(length(replace(\(offsets), ' ', '')) - length(\(offsets)))"
  }

  /// Returns a statement that fails if a pattern is malformed.
  func check(_ pattern: SQL) -> SQL { "SELECT 1 FROM \(table) WHERE \(table) MATCH \(pattern) LIMIT 1" }

  /// Returns an FTS5 pattern that only searches some of the columns
  /// (<https://www.sqlite.org/fts5.html#fts5_column_filters>).
  ///
  /// The pattern can't close the parentheses, since it has been validated separately. Empty parentheses would be an
  /// error.
  func pattern(_ pattern: SQL, in columns: [String]) -> SQL {
    let columns = columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
    let opening = SQLValue.text("{\(columns)} : (")
    return
      "iif(trim(\(pattern), \(.value(.text(" \t\r\n")))) = '', \(pattern), \(.value(opening)) || \(pattern) || ')')"
  }
}
