import KindredSQLSyntax

/// How a table is made (<https://www.sqlite.org/lang_createtable.html>).
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Options as bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing where there is a table of that name.
  public static let ifNotExists = TableOptions(rawValue: 1)
  /// The table is gone when the connection is.
  public static let temporary = TableOptions(rawValue: 2)
  /// The rows are kept by the primary key alone (<https://www.sqlite.org/withoutrowid.html>).
  public static let withoutRowID = TableOptions(rawValue: 4)
  /// Values must be of the declared types (<https://www.sqlite.org/stricttables.html>).
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
  /// Makes a table, and the indexes that its columns ask for.
  ///
  /// - Throws: What `body` throws; `DatabaseError`.
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

  /// Removes a table, its rows and its indexes.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(table name: String) throws {
    try execute("DROP TABLE \(identifier: name)")
  }

  /// Gives a table another name.
  ///
  /// - Throws: `DatabaseError`.
  public func rename(table name: String, to newName: String) throws {
    try execute("ALTER TABLE \(identifier: name) RENAME TO \(identifier: newName)")
  }

  /// Changes a table: adds, renames and removes columns, in that order of the calls.
  ///
  /// - Throws: What `body` throws; `DatabaseError`.
  public func alter(table name: String, _ body: (TableAlteration) throws -> Void) throws {
    let alteration = TableAlteration(name: name)
    try body(alteration)
    try inSavepoint {
      for statement in alteration.statements { try execute(statement) }
    }
  }

  /// Whether there is a table of that name, whatever its case.
  ///
  /// - Throws: `DatabaseError`.
  public func tableExists(_ name: String) throws -> Bool {
    try Bool.fetchOne(
      self,
      sql: "SELECT EXISTS (SELECT * FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE)",
      arguments: [name]) ?? false
  }
}

// MARK: - Indexes

extension Database {
  /// Makes an index.
  ///
  /// - Throws: `DatabaseError`.
  public func create(
    index name: String, on table: String, columns: [String], unique isUnique: Bool = false,
    ifNotExists: Bool = false
  ) throws {
    try execute(
      .createIndex(name, on: table, columns: columns, isUnique: isUnique, ifNotExists: ifNotExists))
  }

  /// Removes an index.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(index name: String) throws {
    try execute("DROP INDEX \(identifier: name)")
  }
}

extension SQL {
  /// `CREATE INDEX`.
  static func createIndex(
    _ name: String, on table: String, columns: [String], isUnique: Bool, ifNotExists: Bool
  ) -> SQL {
    let head: SQL = isUnique ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
    return head + (ifNotExists ? "IF NOT EXISTS " : "")
      + "\(identifier: name) ON \(identifier: table) " + .columns(columns)
  }
}

/// Changes of a table (<https://www.sqlite.org/lang_altertable.html>).
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

  /// Gives a column another name.
  public func rename(column name: String, to newName: String) {
    changes.append(.other("RENAME COLUMN \(identifier: name) TO \(identifier: newName)"))
  }

  /// Removes a column.
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
