import KindredBackend
import KindredSQLite
import KindredSQLSyntax

/// The error of an insertion into a table with AUTOINCREMENT whose largest key has been used
/// (<https://www.sqlite.org/autoinc.html>), for which SQLite reports a full disk.
struct ExhaustedKeys: BackendError {
  let error: DatabaseError

  var kind: BackendErrorKind { .constraint(.exhaustedKeys) }
  var description: String { error.description }
}

extension Connection {
  /// Returns the result of `body`, whose error of a full disk may be one of exhausted keys.
  func tellingExhaustedKeys<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.kind == .full {
      throw try exhaustsKeys(error.sql ?? "") ? ExhaustedKeys(error: error) : error
    }
  }

  private func exhaustsKeys(_ insertion: String) throws -> Bool {
    let sequences = try rows("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") { $0.int64(0) }
    guard !sequences.isEmpty else { return false }
    let tables = try texts("SELECT name FROM sqlite_sequence WHERE seq = \(Int64.max)")
    return tables.contains { table in
      let place: SQL = " INTO \(identifier: table) "
      return insertion.contains(place.rendered().text)
    }
  }
}
