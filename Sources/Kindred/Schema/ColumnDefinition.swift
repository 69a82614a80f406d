import KindredSQLSyntax

/// A column of a table being created; each method adds to the definition and returns it.
///
///     t.column("name", .text).notNull().unique()
public final class ColumnDefinition {
  let name: String
  let type: ColumnType?
  private(set) var index: IndexKind?
  var isPrimaryKey = false
  private var isAutoincremented = false
  private(set) var isNotNull = false
  private var rest: [SQL] = []

  /// A kind of index on a column.
  enum IndexKind { case plain, unique }

  init(name: String, type: ColumnType?) {
    self.name = name
    self.type = type
  }

  /// Makes the column the primary key, which aliases the rowid if its type is `integer`.
  @discardableResult
  public func primaryKey(autoincrement: Bool = false) -> ColumnDefinition {
    isPrimaryKey = true
    isAutoincremented = autoincrement
    return self
  }

  /// Forbids NULL.
  @discardableResult
  public func notNull() -> ColumnDefinition {
    isNotNull = true
    return self
  }

  /// Requires the values to be unique.
  @discardableResult
  public func unique() -> ColumnDefinition {
    add("UNIQUE")
  }

  /// Creates an index on the column, with a name like `book_on_authorId`.
  @discardableResult
  public func indexed() -> ColumnDefinition {
    index = .plain
    return self
  }

  /// Creates a unique index on the column.
  func uniquelyIndexed() {
    index = .unique
  }

  /// Sets the value of rows that are inserted without one.
  @discardableResult
  public func defaults(to value: any DatabaseValueConvertible) -> ColumnDefinition {
    add("DEFAULT " + SQL(literal: value.databaseValue.storage))
  }

  /// Sets the value of rows that are inserted without one, as an SQL expression.
  @discardableResult
  public func defaults(sql: String) -> ColumnDefinition {
    add("DEFAULT (" + SQL(trusted: sql) + ")")
  }

  /// Forbids rows for which an SQL expression is false.
  @discardableResult
  public func check(sql: String) -> ColumnDefinition {
    add("CHECK (" + SQL(trusted: sql) + ")")
  }

  /// Sets the collation by which texts of the column are compared.
  @discardableResult
  public func collate(_ collation: CollationName) -> ColumnDefinition {
    add("COLLATE \(identifier: collation.rawValue)")
  }

  /// Makes the column a foreign key.
  ///
  /// - Parameters:
  ///   - table: The other table.
  ///   - column: The column of the other table; its primary key by default.
  ///   - onDelete: What happens to a row when the row it refers to is deleted; by default SQLite forbids the
  ///     deletion.
  ///   - onUpdate: What happens to a row when the key it refers to is changed; by default SQLite forbids the
  ///     change.
  ///   - isDeferred: Whether the constraint is checked at the end of the transaction instead of immediately.
  @discardableResult
  public func references(
    _ table: String, column: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred isDeferred: Bool = false
  ) -> ColumnDefinition {
    add(
      .references(
        table, columns: column.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
        isDeferred: isDeferred))
  }

  private func add(_ sql: SQL) -> ColumnDefinition {
    rest.append(sql)
    return self
  }

  /// Returns the column's definition in `CREATE TABLE`.
  ///
  /// - Parameter isOnlyKey: Whether a primary key consists of this column alone; otherwise the table declares it.
  func sql(isOnlyKey: Bool) -> SQL {
    var parts: [SQL] = ["\(identifier: name)"]
    if let type { parts.append(SQL(trusted: type.rawValue)) }
    if isPrimaryKey, isOnlyKey {
      parts.append(isAutoincremented ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY")
    }
    if isNotNull { parts.append("NOT NULL") }
    return (parts + rest).joined(separator: " ")
  }
}

extension SQL {
  /// Returns `REFERENCES …`; without columns it refers to the primary key.
  static func references(
    _ table: String, columns: [String], onDelete: ForeignKeyAction?, onUpdate: ForeignKeyAction?,
    isDeferred: Bool
  ) -> SQL {
    var sql: SQL = "REFERENCES \(identifier: table)"
    if !columns.isEmpty { sql.append(.columns(columns)) }
    if let onDelete { sql.append(" ON DELETE " + SQL(trusted: onDelete.rawValue)) }
    if let onUpdate { sql.append(" ON UPDATE " + SQL(trusted: onUpdate.rawValue)) }
    if isDeferred { sql.append(" DEFERRABLE INITIALLY DEFERRED") }
    return sql
  }

  /// Returns quoted names in parentheses.
  static func columns(_ names: [String]) -> SQL {
    "(" + names.map { "\(identifier: $0)" }.joined(separator: ", ") + ")"
  }

  /// Creates a literal, because a schema can't have parameters (<https://www.sqlite.org/lang_expr.html#litvalue>).
  init(literal value: SQLValue) {
    switch value {
    case .null: self = "NULL"
    case .integer(let integer): self.init(trusted: String(integer))
    // Infinity has no literal, but SQLite reads a number that is too large as infinity.
    case .real(let real) where real.isInfinite: self = real > 0 ? "9e999" : "-9e999"
    case .real(let real): self.init(trusted: String(real))
    case .text(let text): self.init(trusted: "'" + text.replacing("'", with: "''") + "'")
    case .blob(let bytes):
      let digits = Array("0123456789ABCDEF".utf8)
      let text = String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
      self.init(trusted: "x'" + text + "'")
    }
  }
}
