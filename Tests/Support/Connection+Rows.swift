import KindredSQLSyntax
import KindredSQLite

extension Connection {
  /// Returns all rows of a statement without parameters.
  package func rows(_ sql: String) throws -> [[SQLValue]] {
    try withStatement(sql) { statement in
      var rows: [[SQLValue]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }

  /// Returns the only value of the only row.
  package func value(_ sql: String) throws -> SQLValue? { try rows(sql).first?.first }
}

extension TemporaryDirectory {
  /// Creates a database by running `sql`, and returns its path.
  package func database(
    _ sql: String = "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT)"
  ) throws -> String {
    let path = path("library.sqlite")
    try Connection(path: path, access: .readWriteCreate).execute(sql)
    return path
  }
}
