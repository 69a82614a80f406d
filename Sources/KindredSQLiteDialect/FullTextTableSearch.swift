import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A search in a full-text table of SQLite (<https://www.sqlite.org/fts5.html>, <https://www.sqlite.org/fts3.html>).
struct FullTextTableSearch: TextSearch {
  private let fullText: FullText
  /// The pattern, restricted to visible columns.
  private let pattern: SQL
  /// Whether all columns are visible.
  private let isWhole: Bool
  let check: SQL?
  private var table: SQL { "\(identifier: fullText.table)" }

  var readsPattern: Bool { false }

  init(for pattern: TextPattern, in fullText: FullText, visible: [String]) throws {
    self.fullText = fullText
    let table: SQL = "\(identifier: fullText.table)"
    let bound = SQL.bound(to: .parameter(pattern.literal))
    check = "SELECT 1 FROM \(table) WHERE \(table) MATCH \(bound) LIMIT 1"
    isWhole = visible.count == fullText.columns.count
    guard isWhole || fullText.hasColumnFilters && !visible.isEmpty else {
      throw TextSearchRefusal.readsHidden
    }
    self.pattern = isWhole ? bound : Self.pattern(bound, in: visible)
  }

  /// Returns an FTS5 pattern that only searches some of the columns
  /// (<https://www.sqlite.org/fts5.html#fts5_column_filters>).
  ///
  /// The pattern can't close the parentheses, since it has been validated separately. Empty parentheses would be an
  /// error.
  private static func pattern(_ pattern: SQL, in columns: [String]) -> SQL {
    let columns = columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
    let opening = SQLValue.text("{\(columns)} : (")
    return
      "iif(trim(\(pattern), \(.value(.text(" \t\r\n")))) = '', \(pattern), \(.value(opening)) || \(pattern) || ')')"
  }

  func condition(on record: RecordID) -> SQL {
    "\(rowID(of: record)) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(pattern))"
  }

  func match(_ record: RecordID, by alias: String, isPlain: Bool) -> TextMatch {
    TextMatch(
      link: alias == record.alias ? nil : "\(identifier: alias).rowid = \(rowID(of: record))",
      condition: "\(identifier: alias).\(table) MATCH \(pattern)",
      rank: isWhole ? rank(alias, isPlain: isPlain) : nil)
  }

  private func rowID(of record: RecordID) -> SQL { .column(record, fullText.rowIDName) }

  private func rank(_ alias: String, isPlain: Bool) -> SQL? {
    if fullText.version >= 5 { return "\(identifier: alias).rank" }
    // For rows that are distinct or grouped, `offsets` fails.
    guard isPlain else { return nil }
    // FTS3 and FTS4 have no rank: the more hits, the better. `offsets` has four numbers for each hit
    // (https://www.sqlite.org/fts3.html#offsets).
    let offsets: SQL = "offsets(\(identifier: alias))"
    return "(length(replace(\(offsets), ' ', '')) - length(\(offsets)))"
  }
}
