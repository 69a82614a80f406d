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
}

/// How a statement that reads a full-text index finds a record.
package struct TextMatch {
  /// The condition that joins the index, if that is a table of its own.
  var link: SQL?
  var condition: SQL
  /// The rank, the lowest for the best match; nil if it can't be computed, or depends on columns that aren't visible.
  var rank: SQL?

  package init(link: SQL? = nil, condition: SQL, rank: SQL? = nil) {
    self.link = link
    self.condition = condition
    self.rank = rank
  }
}

/// Why an index can't be searched for a pattern.
package enum TextSearchRefusal: Error {
  case isNoText
  /// The pattern is malformed, with the reason.
  case malformed(String)
  /// The search would find by columns that aren't visible.
  case readsHidden
}
