import KindredModel
import KindredSQLSyntax

/// An index that a table lacks.
package struct MissingIndex: Hashable, Sendable {
  /// A column, and how it is written in `CREATE INDEX`, with its collation and its order.
  struct Term: Hashable {
    let column: String
    let sql: String

    init(_ column: String, _ sql: SQL? = nil) {
      self.column = column
      self.sql = (sql ?? "\(identifier: column)").rendered().text
    }
  }

  /// The name of the table, as the name of the index begins.
  private let name: String
  /// The table as the statement names it.
  private let table: String
  private let terms: [Term]

  /// - Parameter indexed: The table as the database's statement names it.
  init(on table: Table, _ indexed: SQL, _ terms: [Term]) {
    name = table.name
    self.table = indexed.rendered().text
    self.terms = terms
  }

  /// The complete `CREATE INDEX` statement.
  var statement: String {
    let name = ([name, "on"] + terms.map(\.column)).joined(separator: "_")
    return
      "CREATE INDEX \(SQL.quoted(name)) ON \(table) (\(terms.map(\.sql).joined(separator: ", ")))"
  }

  /// Returns whether another index finds what this one does.
  private func begins(_ other: MissingIndex) -> Bool {
    table == other.table && terms.count < other.terms.count && other.terms.starts(with: terms)
  }

  /// Returns the indexes that serve for all of some.
  static func sufficient(_ indexes: [MissingIndex]) -> [MissingIndex] {
    indexes.enumerated().filter { number, index in
      !indexes[..<number].contains(index) && !indexes.contains { index.begins($0) }
    }.map(\.element)
  }
}
