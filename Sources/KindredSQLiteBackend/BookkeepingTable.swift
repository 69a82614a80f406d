import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// A table in which Kindred keeps its own data in the served database; it is not a resource.
///
/// A table of the same name that doesn't begin with these columns belongs to the database, and is served like any
/// other.
public struct BookkeepingTable: Sendable {
  private let name: String
  private let columns: [String]
  private let definition: String
  private let index: String?

  /// The table of applied migrations, which `Migrator` creates.
  private static let migrations = BookkeepingTable(
    name: "kindred_migration", columns: ["number", "name", "sha256", "appliedAt"], definition: "", index: nil)

  /// The table of responses to requests with an `Idempotency-Key`.
  public static let idempotency = BookkeepingTable(
    name: "kindred_idempotency",
    columns: [
      "principal", "key", "fingerprint", "time", "status", "location", "total", "preferences", "tag",
      "content",
    ],
    definition: """
      (principal TEXT, key TEXT, fingerprint BLOB, time INTEGER, status INTEGER, location TEXT, total INTEGER, \
      preferences TEXT, tag BLOB, content BLOB, PRIMARY KEY (principal, key))
      """,
    index: "time")

  /// Returns whether a table of this name and with these columns is one of Kindred's own.
  static func isOwn(_ name: String, columns: [String]) -> Bool {
    [migrations, idempotency].contains { $0.name.equalsIgnoringCase(name) && $0.begins(columns) }
  }

  /// Whether these are its columns, to which a later version may have added others.
  private func begins(_ columns: [String]) -> Bool { columns.starts(with: self.columns) }

  /// Returns whether the table exists.
  public func exists(on connection: Connection) throws -> Bool {
    try namesake(on: connection).map { begins($0.columns) } ?? false
  }

  /// Returns whether the table exists.
  ///
  /// - Throws: `RequestError` if the database has another table of the name.
  func existsUnlessTaken(on connection: Connection) throws -> Bool {
    guard let other = try namesake(on: connection) else { return false }
    guard !begins(other.columns) else { return true }
    throw RequestError(
      .invalidValue,
      "the table \(name), which stores the responses to repeated requests, exists with other columns; leave out `Idempotency-Key`"
    )
  }

  /// Returns the name and the columns of the table or view with the name of this one.
  private func namesake(on connection: Connection) throws -> (name: String, columns: [String])? {
    let names = try connection.texts(
      "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE",
      [.text(name)])
    guard let name = names.first else { return nil }
    let columns = try connection.texts(
      "SELECT name FROM pragma_table_xinfo(?1, 'main') ORDER BY cid", [.text(name)])
    return (name, columns)
  }

  /// Creates the table unless it exists.
  public func create(on connection: Connection) throws {
    guard try !exists(on: connection) else { return }
    try connection.execute("CREATE TABLE \(name) \(definition)")
    if let index { try connection.execute("CREATE INDEX \(name)_\(index) ON \(name) (\(index))") }
  }
}
