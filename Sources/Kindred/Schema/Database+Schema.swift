import KindredSQLSyntax

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

  var head: SQLText {
    let head: SQLText = contains(.temporary) ? "CREATE TEMPORARY TABLE " : "CREATE TABLE "
    return contains(.ifNotExists) ? head + "IF NOT EXISTS " : head
  }

  var tail: SQLText {
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

  /// Creates a table with the indexes of its columns.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`.
  public func create(
    table name: String, temporary isTemporary: Bool = false, ifNotExists: Bool, withoutRowID: Bool = false,
    _ body: (TableDefinition) throws -> Void
  ) throws {
    var options: TableOptions = ifNotExists ? .ifNotExists : []
    if isTemporary { options.insert(.temporary) }
    if withoutRowID { options.insert(.withoutRowID) }
    try create(table: name, options: options, body)
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
      for statement in try alteration.statements() { try execute(statement) }
    }
  }
}

// MARK: - Views

extension Database {
  /// Creates a view of the rows of an SQL query.
  ///
  /// - Throws: `DatabaseError`.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil, asLiteral literal: SQLLiteral
  ) throws {
    let query = SQLText(trusted: literal.plain)
    let list: SQLText = columns.map { " " + .columns($0) } ?? ""
    try execute("\(options.head)\(identifier: name)\(list) AS \(query)")
  }

  /// Creates a view of the rows of a request.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func create(
    view name: String, options: ViewOptions = [], columns: [String]? = nil, as request: some FetchRequest
  ) throws {
    let prepared = try request.prepareRequest(self, isForSingleRow: false)
    let statement = prepared.statement
    // The names of expressions are no part of the statement, but of the layout of its rows.
    let named = prepared.layout.map { $0.columns.map(\.name) }
    try create(
      view: name, options: options,
      columns: columns ?? named.flatMap { $0.count == statement.columnCount ? $0 : nil },
      asLiteral: SQLLiteral(sql: statement.sql, arguments: statement.arguments))
  }

  /// Drops a view.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(view name: String) throws {
    try execute("DROP VIEW \(identifier: name)")
  }
}

/// Options of `CREATE VIEW` (<https://www.sqlite.org/lang_createview.html>).
public struct ViewOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if there is a view with that name.
  public static let ifNotExists = ViewOptions(rawValue: 1)
  /// The view exists only until the connection is closed, and only for it.
  public static let temporary = ViewOptions(rawValue: 2)

  fileprivate var head: SQLText {
    let head: SQLText = contains(.temporary) ? "CREATE TEMPORARY VIEW " : "CREATE VIEW "
    return contains(.ifNotExists) ? head + "IF NOT EXISTS " : head
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
    var options: IndexOptions = isUnique ? .unique : []
    if ifNotExists { options.insert(.ifNotExists) }
    try execute(.createIndex(name, on: table, columns: columns, options: options))
  }

  /// Creates an index.
  ///
  /// - Parameters:
  ///   - name: The name of the index.
  ///   - table: The table.
  ///   - columns: The columns.
  ///   - options: Whether it is unique, and what happens if it exists.
  ///   - condition: Which rows it contains; all of them by default.
  /// - Throws: `DatabaseError`.
  @_disfavoredOverload
  public func create(
    index name: String, on table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: name, on: table, expressions: columns.map { Column($0) }, options: options, condition: condition)
  }

  /// Creates an index of expressions.
  ///
  /// - Throws: `DatabaseError`.
  public func create(
    index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    func text(_ expression: any SQLExpressible) -> SQLText {
      SQLText(trusted: SQLLiteral(expression.sqlExpression).plain)
    }
    let list = expressions.map(text).joined(separator: ", ")
    let condition: SQLText = condition.map { " WHERE " + text($0) } ?? ""
    try execute("\(options.head)\(identifier: name) ON \(identifier: table) (\(list))\(condition)")
  }

  /// Creates an index with a name like `book_on_authorId`.
  ///
  /// - Throws: `DatabaseError`.
  public func create(
    indexOn table: String, columns: [String], options: IndexOptions = [],
    condition: (any SQLExpressible)? = nil
  ) throws {
    try create(
      index: SQLText.defaultIndexName(table, columns), on: table, columns: columns, options: options,
      condition: condition)
  }

  /// Drops an index.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(index name: String) throws {
    try execute("DROP INDEX \(identifier: name)")
  }

  /// Drops the index with a name like `book_on_authorId`.
  ///
  /// - Throws: `DatabaseError`.
  public func drop(indexOn table: String, columns: [String]) throws {
    try drop(index: SQLText.defaultIndexName(table, columns))
  }
}

/// Options of `CREATE INDEX` (<https://www.sqlite.org/lang_createindex.html>).
public struct IndexOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if there is an index with that name.
  public static let ifNotExists = IndexOptions(rawValue: 1)
  /// No two rows have equal values.
  public static let unique = IndexOptions(rawValue: 2)

  fileprivate var head: SQLText {
    let head: SQLText = contains(.unique) ? "CREATE UNIQUE INDEX " : "CREATE INDEX "
    return contains(.ifNotExists) ? head + "IF NOT EXISTS " : head
  }
}

extension SQLText {
  /// Returns `CREATE INDEX …`.
  static func createIndex(
    _ name: String? = nil, on table: String, columns: [String], options: IndexOptions
  ) -> SQLText {
    let name = name ?? defaultIndexName(table, columns)
    return options.head + "\(identifier: name) ON \(identifier: table) " + .columns(columns)
  }

  static func defaultIndexName(_ table: String, _ columns: [String]) -> String {
    ([table, "on"] + columns).joined(separator: "_")
  }
}

/// The changes to a table (<https://www.sqlite.org/lang_altertable.html>).
public final class TableAlteration {
  private enum Change {
    case addition(ColumnDefinition)
    case other(SQLText)
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

  /// Adds a column as SQL defines it.
  public func addColumn(sql: String) {
    changes.append(.other("ADD COLUMN " + SQLText(trusted: sql)))
  }

  /// Adds a column as SQL defines it.
  public func addColumn(literal: SQLLiteral) { addColumn(sql: literal.plain) }

  /// Renames a column.
  public func rename(column name: String, to newName: String) {
    changes.append(.other("RENAME COLUMN \(identifier: name) TO \(identifier: newName)"))
  }

  /// Drops a column.
  public func drop(column name: String) {
    changes.append(.other("DROP COLUMN \(identifier: name)"))
  }

  /// Returns the statements of the changes.
  ///
  /// - Throws: `DatabaseError` (misuse) if a default value can't be stored.
  func statements() throws -> [SQLText] {
    try changes.flatMap { change -> [SQLText] in
      let head: SQLText = "ALTER TABLE \(identifier: name) "
      switch change {
      case .other(let change): return [head + change]
      case .addition(let column):
        return [head + "ADD COLUMN " + (try column.sql(isOnlyKey: true))]
          + (column.isIndexed ? [.createIndex(on: name, columns: [column.name], options: [])] : [])
      }
    }
  }
}
