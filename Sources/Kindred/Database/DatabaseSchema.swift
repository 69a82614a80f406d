import KindredAssociations
import KindredExecution
import KindredSQLSyntax
import KindredSQLite
import OrderedCollections

/// The tables that the statements of a connection can read, as SQLite resolves their names: temporary ones hide those
/// of the database, which hide attached ones (<https://www.sqlite.org/lang_naming.html>).
struct DatabaseSchema: Sendable {
  /// Tells states of the schema apart.
  struct Version: Hashable, Sendable {
    let main: Int64
    /// Of the tables that are only this connection's.
    var own: [Int64]?

    init(_ connection: Connection) throws {
      main = try connection.schemaVersion
      let attached = connection.attachedDatabases
      let temporary = try connection.temporarySchemaVersion
      guard temporary != 0 || !attached.isEmpty else { return }
      own =
        try [temporary]
        + attached.map { name in
          try connection.withStatement("PRAGMA \(SQL.quoted(name)).schema_version") { statement in
            try statement.step() ? statement.int64(0) : 0
          }
        }
    }
  }

  let version: Version
  /// Each table as a resource of its own name: associations are those of requests.
  let model: Model

  init(_ connection: Connection, version: Version) throws {
    self.version = version
    let databases = version.own == nil ? ["main"] : ["temp", "main"] + connection.attachedDatabases
    let tables = try databases.flatMap { database in
      try SchemaReader(connection, database: database, selection: .all).schema().tables.values
    }
    model = Model(rowsOf: Schema(tables: tables))
  }
}

extension Model {
  /// Each table as a resource of its own name.
  init(rowsOf schema: Schema) {
    self.init(
      resources: schema.tables.mapValues { Resource(name: $0.name, table: $0) }, tables: schema.tables)
  }

  /// The table of that name, in whatever case.
  func table(named name: String) -> Table? {
    tables[name] ?? tables.values.first { $0.name.equalsIgnoringCase(name) }
  }
}

extension Database {
  /// The tables, as they are in the transaction that is open.
  ///
  /// They are read once, and again when they have changed.
  ///
  /// - Throws: `DatabaseError`.
  var model: Model {
    get throws {
      let connection = try connection
      let version = try DatabaseSchema.Version(connection)
      if let ownSchema, ownSchema.version == version { return ownSchema.model }
      if let schema = context.schema(version: version) { return schema.model }
      let schema = try DatabaseSchema(connection, version: version)
      // Not for others yet: a transaction that changes the schema can be rolled back, and another one can come by the
      // same version.
      ownSchema = schema
      return schema.model
    }
  }

  /// The table of that name, in whatever case.
  ///
  /// - Throws: `DatabaseError` as SQLite says it, where there is none.
  func table(_ name: String) throws -> Table {
    if let table = try model.table(named: name) { return table }
    throw try missingTable(name)
  }

  /// Why a table can't be read: it isn't there, or it is a view of something that isn't.
  func missingTable(_ name: String) throws -> DatabaseError {
    do {
      _ = try connection.prepare("SELECT * FROM \(SQL.quoted(name))")
    } catch let error as DatabaseError {
      return error
    }
    return DatabaseError(extendedCode: 1, message: "no such table: \(name)")
  }
}
