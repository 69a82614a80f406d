import ArgumentParser
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

  /// Reads the records for their columns.
  ///
  /// - Throws: `ValidationError` for PostgreSQL; `CommandError` for content without columns.
  init(
    of content: ContentFile, _ format: ImportFileFormat, named name: String, in location: DatabaseLocation
  ) throws {
    guard case .file(let path) = location else {
      throw ValidationError("--create-table requires SQLite; create the table of PostgreSQL by psql")
    }
    self.path = path
    self.name = name
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
    let definitions = columns.map { column in
      let isKey = column.name.lowercased() == "id" && column.type == "INTEGER" && column.isAlwaysGiven
      return [SQL.quoted(column.name), column.type, isKey ? "PRIMARY KEY" : ""]
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
    try connection.execute("CREATE TABLE \(SQL.quoted(name)) (\(definitions.joined(separator: ", ")))")
    let model = Model(inferredFrom: try ConnectionSchema(connection).schema())
    return model.resources.values.first { $0.table.name == name }?.name ?? name
  }

  /// Removes the table, as nothing was added.
  func drop() {
    let connection = try? Connection(path: path, access: .readWrite)
    try? connection?.execute("DROP TABLE IF EXISTS \(SQL.quoted(name))")
  }
}
