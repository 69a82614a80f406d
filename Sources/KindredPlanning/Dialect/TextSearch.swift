import KindredModel
import KindredSQLSyntax

/// A pattern of a full-text search: a literal of the request, and its value.
package struct TextPattern {
  package let literal: Int
  package let value: SQLValue
}

/// A search in a full-text index, as a database writes it.
package protocol TextSearch {
  /// Whether the value of the pattern is part of the SQL.
  var readsPattern: Bool { get }
  /// A statement that fails if the pattern is malformed; nil if that has been checked.
  var check: SQL? { get }
  /// Returns the condition that a record is found.
  func condition(on record: RecordID) -> SQL
  /// Returns how a statement that reads the index finds a record.
  ///
  /// - Parameters:
  ///   - alias: The alias of the table that the index belongs to, or is.
  ///   - isPlain: Whether the statement's rows are those of the table, neither distinct nor grouped.
  func match(_ record: RecordID, by alias: String, isPlain: Bool) -> TextMatch
  /// Returns the value of a function of the search for a record.
  ///
  /// - Parameter match: How the record's own statement finds it; nil if another one does.
  /// - Throws: ``TextSearchRefusal``
  func value(of call: SearchCall, for record: RecordID, in table: Table, by match: TextMatch?) throws
    -> CompiledExpression
}

/// A function of a search.
package enum SearchCall: Hashable, Sendable {
  /// How well a record matches: the less, the better.
  case rank
  /// The text of a column with its matches between two marks.
  case highlight(Column, opening: String, closing: String)
  /// The best part of a column's text of about so many words, likewise.
  case snippet(Column, opening: String, closing: String, words: Int)
}

/// How a statement that reads a full-text index finds a record.
package struct TextMatch {
  /// The condition that joins the index, if that is a separate table.
  var link: SQL?
  var condition: SQL
  /// How good the match is.
  package var rank: TextRank
  /// The alias of the index in the statement, whose functions can be called there; nil if they can't.
  package var alias: String?

  package init(link: SQL? = nil, condition: SQL, rank: TextRank, alias: String? = nil) {
    self.link = link
    self.condition = condition
    self.rank = rank
    self.alias = alias
  }
}

/// How good a match is.
package enum TextRank {
  /// A value, the lowest for the best match.
  case by(SQL)
  /// The index has no rank.
  case none
  /// The rank would depend on columns that aren't visible.
  case hidden
}

/// Why an index can't be searched for a pattern.
package enum TextSearchRefusal: Error {
  case isNoText
  /// The pattern is malformed, with the reason.
  case malformed(String)
  /// The search would find by columns that aren't visible.
  case readsHidden
  /// The rank would depend on columns that aren't visible.
  case ranksHidden
  /// The index has no functions.
  case hasNoFunctions
  /// The column isn't one of the index, or not a text.
  case isNoTextOfIndex(String)
}
