import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A search in a `tsvector` column (<https://www.postgresql.org/docs/current/textsearch.html>).
struct TextVectorSearch: TextSearch {
  private let vector: String
  private let query: SQL

  // The query is made of the pattern's text, which is checked thereby.
  var readsPattern: Bool { true }
  var check: SQL? { nil }

  init(for pattern: TextPattern, in fullText: FullText, visible: [String]) throws {
    // Nothing tells which column a word comes from, so all whose words the vector may hold must be visible.
    guard let vector = fullText.vector, visible.count == fullText.columns.count else {
      throw TextSearchRefusal.readsHidden
    }
    guard case .text(let text) = pattern.value else { throw TextSearchRefusal.isNoText }
    self.vector = vector
    do {
      query = try TextSearchQuery(text).sql(in: fullText.configuration)
    } catch {
      throw TextSearchRefusal.malformed(error.message)
    }
  }

  func condition(on record: RecordID) -> SQL { "\(SQL.column(record, vector)) @@ \(query)" }

  func match(_ record: RecordID, by alias: String, isPlain: Bool) -> TextMatch {
    TextMatch(
      condition: condition(on: record), rank: "(- ts_rank(\(SQL.column(record, vector)), \(query)))")
  }
}
