import KindredModel
import KindredPlanning
import KindredSQLSyntax
import OrderedCollections

/// A table being created.
///
///     try db.create(table: "book") { t in
///       t.autoIncrementedPrimaryKey("id")
///       t.column("title", .text).notNull()
///       t.belongsTo("author", onDelete: .cascade).notNull()
///     }
public final class TableDefinition {
  /// A column of a primary key, as foreign keys need it.
  struct KeyColumn {
    let name: String
    let type: ColumnType?
  }

  private enum Part {
    case column(ColumnDefinition)
    case foreignKey(ForeignKeyDefinition)
  }

  private let name: String
  private var elements: [Part] = []
  private var constraints: [SQLText] = []
  /// The columns that SQL defines.
  private var definitions: [SQLText] = []
  private var constraintKey: [String] = []
  /// What happens to rows that violate a primary key of several columns.
  private var keyConflict: Database.ConflictResolution?
  /// Whether columns that are added become part of the primary key.
  private var isInPrimaryKey = false

  init(name: String) {
    self.name = name
  }
}

// MARK: - Columns

extension TableDefinition {
  /// Adds a column.
  ///
  /// - Parameters:
  ///   - name: The name of the column.
  ///   - type: The type of the column; without one, it stores values of any type unchanged.
  @discardableResult
  public func column(_ name: String, _ type: ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name: name, type: type)
    if isInPrimaryKey {
      column.notNull()
      column.isPrimaryKey = true
    }
    elements.append(.column(column))
    return column
  }

  /// Adds the primary key: an integer that SQLite generates and never reuses
  /// (<https://www.sqlite.org/autoinc.html>).
  @discardableResult
  public func autoIncrementedPrimaryKey(
    _ name: String, onConflict conflict: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, .integer).primaryKey(onConflict: conflict, autoincrement: true)
  }

  /// Adds the primary key as one column that is not NULL.
  @discardableResult
  public func primaryKey(
    _ name: String, _ type: ColumnType, onConflict conflict: Database.ConflictResolution? = nil
  ) -> ColumnDefinition {
    column(name, type).primaryKey(onConflict: conflict).notNull()
  }

  /// Declares the primary key of columns that are defined elsewhere.
  public func primaryKey(_ columns: [String], onConflict conflict: Database.ConflictResolution? = nil) {
    (constraintKey, keyConflict) = (columns, conflict)
  }

  /// Declares the primary key of the columns that `body` adds, none of which can be NULL.
  public func primaryKey(
    onConflict conflict: Database.ConflictResolution? = nil, _ body: () throws -> Void
  ) rethrows {
    (isInPrimaryKey, keyConflict) = (true, conflict)
    defer { isInPrimaryKey = false }
    try body()
  }

  /// Adds a column that refers to the primary key of another table, with a foreign key and an index.
  ///
  /// It is named after `name` and the primary key of the other table: `authorId` for the `id` of an author,
  /// `countryCode` for the `code` of a country. If the primary key has several columns, a column is added for each.
  ///
  /// - Parameters:
  ///   - name: The first part of the column's name. It is also the name of the other table, or its singular, unless
  ///     `table` is given.
  ///   - table: The other table, if its name is neither `name` nor the plural of it.
  ///   - onDelete: What happens to a row when the row it refers to is deleted; by default SQLite forbids the
  ///     deletion.
  ///   - onUpdate: What happens to a row when the key it refers to is changed; by default SQLite forbids the
  ///     change.
  ///   - isDeferred: Whether the constraint is checked at the end of the transaction instead of immediately.
  ///   - isIndexed: Whether an index is created. Without one, finding the rows that refer to a row means reading
  ///     all of them.
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred isDeferred: Bool = false, indexed isIndexed: Bool = true
  ) -> ForeignKeyDefinition {
    let foreignKey = ForeignKeyDefinition(
      name: name, tables: table.map { [$0] } ?? [name, Inflector.plural(name)], onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: isDeferred, isIndexed: isIndexed)
    foreignKey.isPartOfPrimaryKey = isInPrimaryKey
    elements.append(.foreignKey(foreignKey))
    return foreignKey
  }
}

// MARK: - Constraints

extension TableDefinition {
  /// Requires the combination of values in these columns to be unique.
  ///
  /// - Parameters:
  ///   - columns: The columns.
  ///   - conflict: What happens to rows that violate it; they fail by default.
  public func uniqueKey(_ columns: [String], onConflict conflict: Database.ConflictResolution? = nil) {
    constraints.append("UNIQUE " + .columns(columns) + .onConflict(conflict))
  }

  /// Adds a column as SQL defines it.
  public func column(sql: String) { definitions.append(SQLText(trusted: sql)) }

  /// Adds a column as SQL defines it.
  public func column(literal: SQLLiteral) { column(sql: literal.plain) }

  /// Adds a constraint as SQL defines it.
  public func constraint(sql: String) { constraints.append(SQLText(trusted: sql)) }

  /// Adds a constraint as SQL defines it.
  public func constraint(literal: SQLLiteral) { constraint(sql: literal.plain) }

  /// Forbids rows for which a condition is false.
  public func check(_ condition: some SQLExpressible) {
    check(sql: SQLLiteral(condition.sqlExpression).plain)
  }

  /// Declares a foreign key of columns that are defined elsewhere.
  ///
  /// - Parameters:
  ///   - columns: The referring columns.
  ///   - table: The other table.
  ///   - destinationColumns: The columns of the other table; its primary key by default.
  ///   - onDelete: What happens to a row when the row it refers to is deleted; by default SQLite forbids the
  ///     deletion.
  ///   - onUpdate: What happens to a row when the key it refers to is changed; by default SQLite forbids the
  ///     change.
  ///   - isDeferred: Whether the constraint is checked at the end of the transaction instead of immediately.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String] = [],
    onDelete: ForeignKeyAction? = nil, onUpdate: ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) {
    constraints.append(
      "FOREIGN KEY " + .columns(columns) + " "
        + .references(
          table, columns: destinationColumns, onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred))
  }

  /// Forbids rows for which an SQL expression is false.
  public func check(sql: String) {
    constraints.append("CHECK (" + SQLText(trusted: sql) + ")")
  }
}

// MARK: - SQL

extension TableDefinition {
  /// Returns `CREATE TABLE` and the statements that create the indexes.
  ///
  /// - Throws: `DatabaseError` if a table that a foreign key refers to is missing or has no primary key.
  func statements(options: TableOptions, on db: Database) throws -> [SQLText] {
    var columns: [ColumnDefinition] = []
    var foreignKeys: [SQLText] = []
    var indexes: [SQLText] = []
    let indexOptions: IndexOptions = options.contains(.ifNotExists) ? .ifNotExists : []
    for element in elements {
      switch element {
      case .column(let column):
        columns.append(column)
        if column.isIndexed {
          indexes.append(.createIndex(on: name, columns: [column.name], options: indexOptions))
        }
      case .foreignKey(let foreignKey):
        let (table, key) = try destination(of: foreignKey, on: db)
        let own = foreignKey.columns(to: key)
        let names = own.map(\.name)
        columns += own
        foreignKeys.append(
          "FOREIGN KEY " + .columns(names) + " "
            + .references(
              table, columns: key.map(\.name), onDelete: foreignKey.onDelete,
              onUpdate: foreignKey.onUpdate, isDeferred: foreignKey.isDeferred))
        if foreignKey.isUnique || foreignKey.isIndexed {
          let options = foreignKey.isUnique ? indexOptions.union(.unique) : indexOptions
          indexes.append(.createIndex(on: name, columns: names, options: options))
        }
      }
    }
    let key = columns.filter(\.isPrimaryKey).map(\.name) + constraintKey
    let isOnlyKey = key.count == 1 && constraintKey.isEmpty && keyConflict == nil
    let keyConstraint: [SQLText] =
      key.isEmpty || isOnlyKey ? [] : ["PRIMARY KEY " + .columns(key) + .onConflict(keyConflict)]
    let columnParts = try columns.map { try $0.sql(isOnlyKey: isOnlyKey) }
    let parts = columnParts + definitions + keyConstraint + constraints + foreignKeys
    let table =
      options.head + "\(identifier: name) (" + parts.joined(separator: ", ") + ")" + options.tail
    return [table] + indexes
  }

  /// Returns the table that a foreign key refers to, with its primary key.
  private func destination(
    of foreignKey: ForeignKeyDefinition, on db: Database
  ) throws -> (table: String, key: [KeyColumn]) {
    for table in foreignKey.tables {
      if table.equalsIgnoringCase(name) { return (name, try ownPrimaryKey(for: foreignKey, on: db)) }
      guard let found = try db.model.table(named: table) else { continue }
      let key = found.primaryKey.map { index in
        let column = found.columns[index]
        // The referring column repeats the declared type, which may be missing.
        let type = column.declaredType.isEmpty ? nil : ColumnType(rawValue: column.declaredType)
        return KeyColumn(name: column.name, type: type)
      }
      // A foreign key can't refer to a rowid that no column aliases.
      guard !key.isEmpty, found.declaredColumns.count == found.columns.count else {
        throw DatabaseError.misuse(
          "the table \(name) can't belong to \(found.name), which has no declared primary key")
      }
      return (found.name, key)
    }
    throw DatabaseError.misuse("there is no table \(foreignKey.tables.joined(separator: " or "))")
  }

  /// Returns the primary key of this table, for a foreign key that refers to the table itself.
  private func ownPrimaryKey(for foreignKey: ForeignKeyDefinition, on db: Database) throws -> [KeyColumn] {
    let missing = DatabaseError.misuse(
      "the table \(name) can't belong to itself, because its primary key is unknown or contains the foreign key"
    )
    var columns: [ColumnDefinition] = []
    for element in elements {
      switch element {
      case .column(let column): columns.append(column)
      case .foreignKey(let other) where other === foreignKey:
        guard !other.isPartOfPrimaryKey else { throw missing }
      case .foreignKey(let other):
        // The columns of another foreign key to this table are named after the key that is being looked for.
        guard !other.tables.contains(where: { $0.equalsIgnoringCase(name) }) else {
          guard !other.isPartOfPrimaryKey else { throw missing }
          continue
        }
        columns += other.columns(to: try destination(of: other, on: db).key)
      }
    }
    let names = columns.filter(\.isPrimaryKey).map(\.name) + constraintKey
    let key = names.compactMap { name in
      columns.first { $0.name.equalsIgnoringCase(name) }.map { KeyColumn(name: $0.name, type: $0.type) }
    }
    guard !key.isEmpty, key.count == names.count else { throw missing }
    return key
  }
}
