import ArgumentParser
import Foundation
import KindredAPI
import KindredModel
import KindredSQLiteBackend
import KindredSQLSyntax
import KindredSQLite
import KindredRequests
import KindredSpooling

/// A table that is created for the records of an import.
struct NewTable {
  private let path: String
  private let name: String
  private let columns: [InferredColumns.Column]
  /// Whether there is no database at the path before.
  private let isInNewDatabase: Bool

  /// Reads the records for their columns.
  ///
  /// - Throws: `ValidationError` for PostgreSQL; `CommandError` for content without columns.
  init(
    of content: ContentFile, _ format: ImportFileFormat, named name: String, in location: DatabaseLocation
  ) throws {
    path = try location.path(
      orSaying: "--create-table requires SQLite; create the table of PostgreSQL by psql")
    self.name = name
    isInNewDatabase = !FileManager.default.fileExists(atPath: path)
    do {
      columns = try InferredColumns(of: content, isCSV: format.isDelimited).columns
    } catch let problem as Problem {
      let unit = format == .json ? "element" : "line"
      throw CommandError("\(problem.line.map { "\(unit) \($0): " } ?? "")\(problem.detail)")
    }
    guard !columns.isEmpty else { throw CommandError("the file has no records, so no columns") }
  }

  /// Creates the table, and returns the name of its resource.
  ///
  /// - Throws: `CommandError` if there is such a table; `OpenError`; `DatabaseError`
  func create() throws -> String {
    let connection = try Connection(path: path, access: .readWriteCreate)
    let exists = try connection.withStatement("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE") {
      try $0.bind([.text(name)])
      return try $0.step()
    }
    guard !exists else {
      throw CommandError(
        "\(path) already has a table \(name); leave out --create-table, or choose another name")
    }
    let definitions = columns.map { definition(of: $0, named: SQL.quoted($0.name)) }
    do {
      try connection.execute("CREATE TABLE \(SQL.quoted(name)) (\(definitions.joined(separator: ", ")))")
    } catch {
      if isInNewDatabase { removeDatabase() }
      throw error
    }
    let model = Model(inferredFrom: try ConnectionSchema(connection).schema())
    return model.resources.values.first { $0.table.name == name }?.name ?? name
  }

  /// What was created, in one line: the columns, and why a column that looks like one of numbers is one of texts.
  var description: String {
    let columns = columns.map { column in
      definition(of: column, named: column.name)
        + (column.firstText.map { " (because of \($0.quoted))" } ?? "")
    }
    return "created the table \(name): \(columns.joined(separator: ", "))".singleLine
  }

  private func definition(of column: InferredColumns.Column, named name: String) -> String {
    let isKey = column.name.lowercased() == "id" && column.type == "INTEGER" && column.isAlwaysGiven
    return [name, column.type, isKey ? "PRIMARY KEY" : ""].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Removes the table, as nothing was added, and the database if it is new.
  func drop() {
    if isInNewDatabase { return removeDatabase() }
    let connection = try? Connection(path: path, access: .readWrite)
    try? connection?.execute("DROP TABLE IF EXISTS \(SQL.quoted(name))")
  }

  private func removeDatabase() {
    for ending in ["", "-wal", "-shm", "-journal"] { unlink(path + ending) }
  }
}

extension String {
  /// Its beginning in quotes.
  fileprivate var quoted: String { "'\(count > 20 ? prefix(20) + "…" : self[...])'" }
}
