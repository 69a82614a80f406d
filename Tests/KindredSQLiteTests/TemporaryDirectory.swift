import Foundation
import KindredSQLSyntax
import KindredSQLite

/// A directory that is removed after the test.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "kindred-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func path(_ name: String) -> String { path + "/" + name }

  var fileNames: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Creates a database by running `sql`.
  func database(_ sql: String = "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT)") throws -> String {
    let path = path("library.sqlite")
    try Connection(path: path, access: .readWriteCreate).execute(sql)
    return path
  }
}

extension Connection {
  /// Returns all rows of a statement without parameters.
  func rows(_ sql: String) throws -> [[SQLValue]] {
    try withStatement(sql) { statement in
      var rows: [[SQLValue]] = []
      while try statement.step() { rows.append(statement.row) }
      return rows
    }
  }

  /// Returns the only value of the only row.
  func value(_ sql: String) throws -> SQLValue? { try rows(sql).first?.first }
}
