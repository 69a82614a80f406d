import KindredAssociations
import KindredSQLSyntax
import OrderedCollections

/// A table that is being made.
///
///     try db.create(table: "book") { t in
///       t.autoIncrementedPrimaryKey("id")
///       t.column("title", .text).notNull()
///       t.belongsTo("author", onDelete: .cascade).notNull()
///     }
public final class TableDefinition {
  /// A column of a primary key, for those that refer to it.
  struct Key {
    let name: String
    let type: ColumnType?
  }

  private enum Element {
    case column(ColumnDefinition)
    case foreignKey(ForeignKeyDefinition)
  }

  private let name: String
  private var elements: [Element] = []
  private var constraints: [SQL] = []
  private var constraintKey: [String] = []
  /// Whether what is being defined belongs to the primary key.
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
  ///   - type: Without a type, the column holds whatever is put in.
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

  /// Adds the primary key: an integer that SQLite counts up, without giving one out twice
  /// (<https://www.sqlite.org/autoinc.html>).
  @discardableResult
  public func autoIncrementedPrimaryKey(_ name: String) -> ColumnDefinition {
    column(name, .integer).primaryKey(autoincrement: true)
  }

  /// Adds the primary key: one column, which is never NULL.
  @discardableResult
  public func primaryKey(_ name: String, _ type: ColumnType) -> ColumnDefinition {
    column(name, type).primaryKey().notNull()
  }

  /// Makes the primary key of several columns that are defined elsewhere.
  public func primaryKey(_ columns: [String]) {
    constraintKey = columns
  }

  /// Makes the primary key of the columns that `body` defines; none of them is ever NULL.
  public func primaryKey(_ body: () throws -> Void) rethrows {
    isInPrimaryKey = true
    defer { isInPrimaryKey = false }
    try body()
  }

  /// Adds the column by which a row belongs to one of another table, with a foreign key and an index.
  ///
  /// It is named by `name` and the primary key of the other table: `authorId` for the `id` of an author,
  /// `countryCode` for the `code` of a country. Where that key is of several columns, so is this one.
  ///
  /// - Parameters:
  ///   - name: What the column is called before the name of the key; the other table, or its singular, unless `table`
  ///     is given.
  ///   - table: The other table, where it is called neither `name` nor by its plural.
  ///   - onDelete: What becomes of a row when the one that it belongs to is deleted; SQLite refuses that by default.
  ///   - onUpdate: The same, when the key of that one is changed.
  ///   - isDeferred: Whether it is checked at the end of the transaction, and not at once.
  ///   - isIndexed: Whether an index is made, without which the rows that belong to one are only found by
  ///     reading all of them.
  @discardableResult
  public func belongsTo(
    _ name: String, inTable table: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred isDeferred: Bool = false, indexed isIndexed: Bool = true
  ) -> ForeignKeyDefinition {
    let foreignKey = ForeignKeyDefinition(
      name: name, tables: table.map { [$0] } ?? [name, Inflector.plural(name)], onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: isDeferred,
      isIndexed: isIndexed)
    foreignKey.isPartOfPrimaryKey = isInPrimaryKey
    elements.append(.foreignKey(foreignKey))
    return foreignKey
  }
}

// MARK: - Constraints

extension TableDefinition {
  /// Refuses rows that are equal to another one in all of those columns.
  public func uniqueKey(_ columns: [String]) {
    constraints.append("UNIQUE " + .columns(columns))
  }

  /// Has several columns together refer to a row of a table.
  ///
  /// - Parameters:
  ///   - columns: The columns that refer.
  ///   - table: The other table.
  ///   - destinationColumns: The columns of the other table; its primary key by default.
  ///   - onDelete: What becomes of a row when the one that it refers to is deleted; SQLite refuses that by default.
  ///   - onUpdate: The same, when the key of that one is changed.
  ///   - isDeferred: Whether it is checked at the end of the transaction, and not at once.
  public func foreignKey(
    _ columns: [String], references table: String, columns destinationColumns: [String] = [],
    onDelete: ForeignKeyAction? = nil, onUpdate: ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) {
    constraints.append(
      "FOREIGN KEY " + .columns(columns) + " "
        + .references(
          table, columns: destinationColumns, onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred))
  }

  /// Refuses rows for which an SQL expression of the program is false.
  public func check(sql: String) {
    constraints.append("CHECK (" + SQL(trusted: sql) + ")")
  }
}

// MARK: - SQL

extension TableDefinition {
  /// `CREATE TABLE`, and the indexes.
  ///
  /// - Throws: `DatabaseError` where there is no primary key to belong to.
  func statements(options: TableOptions, on db: Database) throws -> [SQL] {
    var columns: [ColumnDefinition] = []
    var foreignKeys: [SQL] = []
    var indexes: [SQL] = []
    for element in elements {
      switch element {
      case .column(let column):
        columns.append(column)
        if let kind = column.index { indexes.append(index(on: [column.name], kind: kind, options)) }
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
        if foreignKey.isUnique {
          indexes.append(index(on: names, kind: .unique, options))
        } else if foreignKey.isIndexed {
          indexes.append(index(on: names, kind: .plain, options))
        }
      }
    }
    let key = columns.filter(\.isPrimaryKey).map(\.name) + constraintKey
    let isOnlyKey = key.count == 1 && constraintKey.isEmpty
    let keyConstraint: [SQL] = key.isEmpty || isOnlyKey ? [] : ["PRIMARY KEY " + .columns(key)]
    let parts = columns.map { $0.sql(isOnlyKey: isOnlyKey) } + keyConstraint + constraints + foreignKeys
    let table =
      options.head + "\(identifier: name) (" + parts.joined(separator: ", ") + ")" + options.tail
    return [table] + indexes
  }

  private func index(on columns: [String], kind: ColumnDefinition.IndexKind, _ options: TableOptions) -> SQL {
    let name = ([self.name, "on"] + columns).joined(separator: "_")
    return .createIndex(
      name, on: self.name, columns: columns, isUnique: kind == .unique,
      ifNotExists: options.contains(.ifNotExists))
  }

  /// The table that a foreign key refers to, and its primary key.
  private func destination(
    of foreignKey: ForeignKeyDefinition, on db: Database
  ) throws -> (table: String, key: [Key]) {
    for table in foreignKey.tables {
      if table.equalsIgnoringCase(name) { return (name, try ownPrimaryKey(for: foreignKey, on: db)) }
      guard let found = try db.model.table(named: table) else { continue }
      let key = found.primaryKey.map { index in
        let column = found.columns[index]
        // A type of several words is written as it was declared, and none as none.
        let type = column.declaredType.isEmpty ? nil : ColumnType(rawValue: column.declaredType)
        return Key(name: column.name, type: type)
      }
      // A foreign key can't refer to a rowid that is no column.
      guard !key.isEmpty, found.declaredColumns.count == found.columns.count else {
        throw DatabaseError.misuse(
          "the table \(name) can't belong to \(found.name), which declares no primary key")
      }
      return (found.name, key)
    }
    throw DatabaseError.misuse("there is no table \(foreignKey.tables.joined(separator: " or "))")
  }

  /// The primary key of this table, to which one of its foreign keys refers.
  private func ownPrimaryKey(for foreignKey: ForeignKeyDefinition, on db: Database) throws -> [Key] {
    let missing = DatabaseError.misuse(
      "the table \(name) can't belong to itself: its primary key isn't known, or has the foreign key in it")
    var columns: [ColumnDefinition] = []
    for element in elements {
      switch element {
      case .column(let column): columns.append(column)
      case .foreignKey(let other) where other === foreignKey:
        guard !other.isPartOfPrimaryKey else { throw missing }
      case .foreignKey(let other):
        // Another one that refers to this table has columns that are named by this very key.
        guard !other.tables.contains(where: { $0.equalsIgnoringCase(name) }) else {
          guard !other.isPartOfPrimaryKey else { throw missing }
          continue
        }
        columns += other.columns(to: try destination(of: other, on: db).key)
      }
    }
    let names = columns.filter(\.isPrimaryKey).map(\.name) + constraintKey
    let key = names.compactMap { name in
      columns.first { $0.name.equalsIgnoringCase(name) }.map { Key(name: $0.name, type: $0.type) }
    }
    guard !key.isEmpty, key.count == names.count else { throw missing }
    return key
  }
}
