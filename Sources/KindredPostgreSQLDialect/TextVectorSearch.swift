import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A search in a `tsvector` column (<https://www.postgresql.org/docs/current/textsearch.html>).
struct TextVectorSearch: TextSearch {
  private let vector: String
  private let query: SQL
  private let fullText: FullText

  // The query is made of the pattern's text, which is checked thereby.
  var readsPattern: Bool { true }
  var check: SQL? { nil }

  init(for pattern: TextPattern, in fullText: FullText, visible: [String]) throws {
    // Nothing tells which column a word comes from, so all whose words the vector may hold must be visible.
    guard let vector = fullText.vector, visible.count == fullText.columns.count else {
      throw TextSearchRefusal.readsHidden
    }
    guard case .text(let text) = pattern.value else { throw TextSearchRefusal.isNoText }
    (self.vector, self.fullText) = (vector, fullText)
    do {
      query = try TextSearchQuery(text).sql(in: fullText.configuration)
    } catch {
      throw TextSearchRefusal.malformed(error.message)
    }
  }

  func condition(on record: RecordID) -> SQL { "\(SQL.column(record, vector)) @@ \(query)" }

  func match(_ record: RecordID, by alias: String, isPlain: Bool) -> TextMatch {
    TextMatch(condition: condition(on: record), rank: .by(rank(of: record)))
  }

  /// Double precision, so that the value in a result is exactly the one that is compared.
  private func rank(of record: RecordID) -> SQL {
    "(- ts_rank(\(SQL.column(record, vector)), \(query)))::float8"
  }

  func value(
    of call: SearchCall, for record: RecordID, in table: Table, by match: TextMatch?
  ) throws -> CompiledExpression {
    switch call {
    case .rank: return CompiledExpression(sql: rank(of: record), type: .real)
    case .highlight(let column, let opening, let closing):
      return CompiledExpression(
        sql: headline(try text(of: column, in: record), opening, closing, "HighlightAll=true"), type: .text)
    case .snippet(let column, let opening, let closing, let words):
      return CompiledExpression(
        sql: snippet(try text(of: column, in: record), opening, closing, words), type: .text)
    }
  }

  private func text(of column: Column, in record: RecordID) throws -> SQL {
    // Where a trigger or the application keeps the vector, its columns aren't known.
    guard fullText.columns.isEmpty || fullText.columns.contains(where: { column.name.hasBytes(of: $0) }),
      ValueType(postgreSQL: column.declaredType)?.kind == .text
    else { throw TextSearchRefusal.isNoTextOfIndex(column.name) }
    return "\(SQL.column(record, column.name))::text"
  }

  /// Returns the call of `ts_headline`
  /// (<https://www.postgresql.org/docs/current/textsearch-controls.html#TEXTSEARCH-HEADLINE>).
  private func headline(_ text: SQL, _ opening: String, _ closing: String, _ options: String) -> SQL {
    func quoted(_ mark: String) -> String {
      "\"\(mark.replacing("\"", with: "\"\""))\""
    }
    let all = "StartSel=\(quoted(opening)), StopSel=\(quoted(closing)), \(options)"
    return
      "ts_headline(\(TextSearchQuery.name(of: fullText.configuration)), \(text), \(query), \(SQL.bound(to: .value(.text(all)), as: "text")))"
  }

  /// Returns a part of a text, with `…` where text is left out; a text of so few words as a whole.
  private func snippet(_ text: SQL, _ opening: String, _ closing: String, _ words: Int) -> SQL {
    let options = "MaxWords=\(max(2, words)), MinWords=\(max(1, words * 3 / 4)), ShortWord=0"
    let whole = headline(text, opening, closing, "HighlightAll=true")
    let (marked, plain) = (headline(text, opening, closing, options), headline(text, "", "", options))
    let number: SQL = "array_length(regexp_split_to_array(btrim(\(text)), '\\s+'), 1)"
    return
      "CASE WHEN \(number) <= \(SQL.number(words)) THEN \(whole) ELSE (SELECT CASE WHEN starts_with(\(text), part.plain) THEN '' ELSE '…' END || part.marked || CASE WHEN right(\(text), length(part.plain)) = part.plain THEN '' ELSE '…' END FROM (SELECT \(marked) AS marked, \(plain) AS plain) AS part) END"
  }
}
