import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

/// A table of Kindred's own in the database that it serves; no resource.
public struct BookkeepingTable: Sendable {
  private let name: String
  private let definition: String
  private let index: String?

  /// The names of all such tables, that of the migrations among them.
  static let names = ["kindred_migration", idempotency.name]

  /// The answers to requests with an `Idempotency-Key`.
  public static let idempotency = BookkeepingTable(
    name: "kindred_idempotency",
    definition: """
      (principal TEXT, key TEXT, fingerprint BLOB, time INTEGER, status INTEGER, location TEXT, total INTEGER, \
      preferences TEXT, tag BLOB, content BLOB, PRIMARY KEY (principal, key))
      """,
    index: "time")

  /// Whether the table is there.
  public func exists(on connection: Connection) throws -> Bool {
    try connection.withStatement("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1") {
      statement in
      try statement.bind([.text(name)])
      return try statement.step()
    }
  }

  /// Makes the table, unless it is there.
  public func create(on connection: Connection) throws {
    guard try !exists(on: connection) else { return }
    try connection.execute("CREATE TABLE \(name) \(definition)")
    if let index { try connection.execute("CREATE INDEX \(name)_\(index) ON \(name) (\(index))") }
  }
}
