import KindredSQLSyntax
import KindredSQLite

/// Options of `CREATE TABLE` (<https://www.sqlite.org/lang_createtable.html>).
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if there is a table with that name.
  public static let ifNotExists = TableOptions(rawValue: 1)
  /// The table exists only until the connection is closed, and only for it.
  public static let temporary = TableOptions(rawValue: 2)
  /// Rows are stored by the primary key, without a rowid (<https://www.sqlite.org/withoutrowid.html>).
  public static let withoutRowID = TableOptions(rawValue: 4)
  /// Values must have the declared types (<https://www.sqlite.org/stricttables.html>).
  public static let strict = TableOptions(rawValue: 8)

  var head: SQL {
    let head: SQL = contains(.temporary) ? "CREATE TEMPORARY TABLE " : "CREATE TABLE "
    return contains(.ifNotExists) ? head + "IF NOT EXISTS " : head
  }

  var tail: SQL {
    switch (contains(.withoutRowID), contains(.strict)) {
    case (true, true): " WITHOUT ROWID, STRICT"
    case (true, false): " WITHOUT ROWID"
    case (false, true): " STRICT"
    case (false, false): ""
    }
  }
}

// MARK: - Tables

extension Database {
  /// Creates a table with the indexes of its columns.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`.
  public func create(
    table name: String, options: TableOptions = [], _ body: (TableDefinition) throws -> Void
  ) throws {
    let definition = TableDefinition(name: name)
    try body(definition)
    let statements = try definition.statements(options: options, on: self)
    try inSavepoint {
      for statement in statements { try execute(statement) }
    }
  }

  /// Drops a table with its rows and indexes.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(table name: String) throws {
    try execute("DROP TABLE \(identifier: name)")
  }

  /// Renames a table.
  ///
  /// - Throws: `DatabaseError`.
  public func rename(table name: String, to newName: String) throws {
    try execute("ALTER TABLE \(identifier: name) RENAME TO \(identifier: newName)")
  }

  /// Changes a table: adds, renames and drops columns in the order of the calls.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`.
  public func alter(table name: String, _ body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(name: name)
    try body(alteration)
    try inSavepoint {
      for statement in alteration.statements { try execute(statement) }
    }
  }

  /// Returns whether there is a table with a name, ignoring case: in the main database, a temporary one, or in an
  /// attached database.
  ///
  /// - Throws: `DatabaseError`.
  public func tableExists(_ name: String) throws -> Bool {
    let databases = ["main", "temp"] + (try connection.attachedDatabases)
    return try databases.contains { database in
      let schema = "\(SQL.quoted(database)).sqlite_schema"
      return try Bool.fetchOne(
        self, sql: "SELECT EXISTS (SELECT * FROM \(schema) WHERE type = 'table' AND name = ? COLLATE NOCASE)",
        arguments: [name]) ?? false
    }
  }
}

// MARK: - Indexes

extension Database {
  /// Creates an index.
  ///
  /// - Throws: `DatabaseError`.
  public func create(
    index name: String, on table: String, columns: [String], unique isUnique: Bool = false,
    ifNotExists: Bool = false
  ) throws {
    try execute(
      .createIndex(name, on: table, columns: columns, isUnique: isUnique, ifNotExists: ifNotExists))
  }

  /// Drops an index.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(index name: String) throws {
    try execute("DROP INDEX \(identifier: name)")
  }
}

extension SQL {
  /// Returns `CREATE INDEX …`.
  static func createIndex(
    _ name: String, on table: String, columns: [String], isUnique: Bool, ifNotExists: Bool
  ) -> SQL {
    let head: SQL = isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
    return head + (ifNotExists ? "IF NOT EXISTS " : "")
      + "\(identifier: name) ON \(identifier: table) " + .columns(columns)
  }
}

/// The changes to a table (<https://www.sqlite.org/lang_altertable.html>).
public final class TableAlteration {
  private enum Change {
    case addition(ColumnDefinition)
    case other(SQL)
  }

  private let name: String
  private var changes: [Change] = []

  init(name: String) {
    self.name = name
  }

  /// Adds a column.
  @discardableResult
  public func add(column name: String, _ type: ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    changes.append(.addition(column))
    return column
  }

  /// Renames a column.
  public func rename(column name: String, to newName: String) {
    changes.append(.other("RENAME COLUMN \(identifier: name) TO \(identifier: newName)"))
  }

  /// Drops a column.
  public func drop(column name: String) {
    changes.append(.other("DROP COLUMN \(identifier: name)"))
  }

  var statements: [SQL] {
    changes.flatMap { change -> [SQL] in
      let head: SQL = "ALTER TABLE \(identifier: name) "
      switch change {
      case .other(let change): return [head + change]
      case .addition(let column):
        let index = column.index.map { kind in
          SQL.createIndex(
            "\(name)_on_\(column.name)", on: name, columns: [column.name], isUnique: kind == .unique,
            ifNotExists: false)
        }
        return [head + "ADD COLUMN " + column.sql(isOnlyKey: true)] + [index].compactMap { $0 }
      }
    }
  }
}
