import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

/// A table in which Kindred keeps its own data in the served database; it is no resource.
public struct BookkeepingTable: Sendable {
  private let name: String
  private let definition: String
  private let index: String?

  /// The names of all such tables, including that of the migrations.
  static let names = ["kindred_migration", idempotency.name]

  /// The table of responses to requests with an `Idempotency-Key`.
  public static let idempotency = BookkeepingTable(
    name: "kindred_idempotency",
    definition: """
      (principal TEXT, key TEXT, fingerprint BLOB, time INTEGER, status INTEGER, location TEXT, total INTEGER, \
      preferences TEXT, tag BLOB, content BLOB, PRIMARY KEY (principal, key))
      """,
    index: "time")

  /// Returns whether the table exists.
  public func exists(on connection: Connection) throws -> Bool {
    try connection.withStatement("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1") {
      statement in
      try statement.bind([.text(name)])
      return try statement.step()
    }
  }

  /// Creates the table unless it exists.
  public func create(on connection: Connection) throws {
    guard try !exists(on: connection) else { return }
    try connection.execute("CREATE TABLE \(name) \(definition)")
    if let index { try connection.execute("CREATE INDEX \(name)_\(index) ON \(name) (\(index))") }
  }
}
