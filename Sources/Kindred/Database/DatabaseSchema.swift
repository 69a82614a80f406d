import KindredModel
import KindredSQLiteBackend
import KindredSQLSyntax
import KindredSQLite
import OrderedCollections

/// The tables that the statements of a connection can read.
///
/// As in SQLite, temporary tables hide those of the main database, which hide those of attached ones
/// (<https://www.sqlite.org/lang_naming.html>).
struct DatabaseSchema: Sendable {
  /// Identifies a state of the schema.
  struct Version: Hashable, Sendable {
    let main: Int64
    /// The versions of the temporary and attached schemas, which belong to this connection; nil if it has none.
    var own: [Int64]?

    init(_ connection: Connection) throws {
      main = try connection.schemaVersion
      let attached = connection.attachedDatabases
      let temporary = try connection.temporarySchemaVersion
      guard temporary != 0 || !attached.isEmpty else { return }
      own =
        try [temporary]
        + attached.map { name in
          try connection.withStatement("PRAGMA \(SQLText.quoted(name)).schema_version") { statement in
            try statement.step() ? statement.int64(0) : 0
          }
        }
    }
  }

  let version: Version
  /// A model with each table as a resource of the same name, without associations: requests bring their own.
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

/// A schema as one access has read it, in a transaction that may be rolled back.
struct OwnSchema {
  let schema: DatabaseSchema
  let hooks: ConnectionHooks
  /// The number of rollbacks of the connection when the schema was read.
  let rollbacks: Int

  init(_ schema: DatabaseSchema, of connection: Connection) {
    self.schema = schema
    hooks = ConnectionHooks.of(connection)
    rollbacks = hooks.rollbacks
  }

  /// Whether nothing has been rolled back since then, after which the same version may stand for other tables.
  var isValid: Bool { hooks.rollbacks == rollbacks }
}

extension Model {
  /// Creates a model with each table as a resource of the same name.
  init(rowsOf schema: Schema) {
    self.init(
      resources: schema.tables.mapValues { Resource(name: $0.name, table: $0) }, tables: schema.tables)
  }

  /// Returns the table with a name, ignoring case.
  func table(named name: String) -> TableSchema? {
    tables[name] ?? tables.values.first { $0.name.equalsIgnoringCase(name) }
  }
}

extension Database {
  /// Returns the SQL that has been made for a schema, shared by all accesses unless only this one has seen it.
  func recordStatements(_ version: DatabaseSchema.Version) -> RecordStatements {
    ownSchema == nil && context.schema(version: version) != nil ? context.recordStatements : ownStatements
  }

  /// The version of the schema, as the current transaction sees it.
  ///
  /// It is read once in a transaction, and again after a statement that may have changed it.
  var versionOfSchema: DatabaseSchema.Version {
    get throws {
      let connection = try connection
      forgetRolledBackSchema()
      if let knownVersion, connection.isInTransaction { return knownVersion }
      let version = try DatabaseSchema.Version(connection)
      knownVersion = connection.isInTransaction && !isConnectionShared ? version : nil
      return version
    }
  }

  /// Forgets the schema, as after a rollback, after which its version may stand for another one.
  func forgetSchema() {
    (ownSchema, knownVersion) = (nil, nil)
    ownStatements = RecordStatements()
    (ownConnection.attachment as? ConnectionHooks)?.memory?.forgetSchema()
  }

  /// Forgets the schema if SQLite has rolled back a transaction since it was read.
  func forgetRolledBackSchema() {
    if let ownSchema, !ownSchema.isValid { forgetSchema() }
  }

  /// The tables, as the current transaction sees them.
  ///
  /// They are read again only when the schema has changed.
  ///
  /// - Throws: `DatabaseError`.
  var model: Model {
    get throws {
      let version = try versionOfSchema
      if let ownSchema, ownSchema.schema.version == version { return ownSchema.schema.model }
      if let schema = context.schema(version: version) { return schema.model }
      let schema = try DatabaseSchema(connection, version: version)
      // Not shared before the access ends: this transaction may be rolled back, and another one may then reach the
      // same version number with other tables.
      ownSchema = OwnSchema(schema, of: try connection)
      return schema.model
    }
  }

  /// Returns the table with a name, ignoring case.
  ///
  /// - Throws: SQLite's `DatabaseError` if there is none.
  func table(_ name: String) throws -> TableSchema {
    if let table = try model.table(named: name) { return table }
    throw try missingTable(name)
  }

  /// Returns why a table can't be read: it does not exist, or it is a view of something that does not.
  func missingTable(_ name: String) throws -> DatabaseError {
    do {
      _ = try connection.prepare("SELECT * FROM \(SQLText.quoted(name))")
    } catch let error as DatabaseError {
      return error
    }
    return DatabaseError(extendedCode: 1, message: "no such table: \(name)")
  }
}
