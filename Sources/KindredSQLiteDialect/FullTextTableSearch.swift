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
      rank: fullText.version < 5 ? .none : isWhole ? .by("\(identifier: alias).rank") : .hidden,
      // Auxiliary functions know the row only where the index is read
      // (https://www.sqlite.org/fts5.html#_auxiliary_functions_).
      alias: isPlain ? alias : nil)
  }

  func value(
    of call: SearchCall, for record: RecordID, in table: Table, by match: TextMatch?
  ) throws -> CompiledExpression {
    guard fullText.version >= 5 else { throw TextSearchRefusal.hasNoFunctions }
    let sql: SQL
    switch call {
    case .rank:
      guard isWhole else { throw TextSearchRefusal.ranksHidden }
      if case .by(let rank)? = match?.rank { return CompiledExpression(sql: rank) }
      sql = "rank"
    case .highlight(let column, let opening, let closing):
      sql =
        "highlight(\(index(match)), \(try number(of: column)), \(.value(.text(opening))), \(.value(.text(closing))))"
    case .snippet(let column, let opening, let closing, let words):
      sql =
        "snippet(\(index(match)), \(try number(of: column)), \(.value(.text(opening))), \(.value(.text(closing))), \(.value(.text("…"))), \(SQL.number(words)))"
    }
    if match?.alias != nil { return CompiledExpression(sql: sql) }
    return CompiledExpression(
      sql:
        "(SELECT \(sql) FROM \(self.table) WHERE \(self.table) MATCH \(pattern) AND rowid = \(rowID(of: record)))"
    )
  }

  /// Returns the hidden column that stands for the index in calls of its functions.
  private func index(_ match: TextMatch?) -> SQL {
    match?.alias.map { "\(identifier: $0).\(table)" } ?? "\(table).\(table)"
  }

  private func number(of column: Column) throws -> SQL {
    guard let number = fullText.columns.firstIndex(where: column.name.equalsIgnoringCase) else {
      throw TextSearchRefusal.isNoTextOfIndex(column.name)
    }
    return .number(number)
  }

  private func rowID(of record: RecordID) -> SQL { .column(record, fullText.rowIDName) }
}
