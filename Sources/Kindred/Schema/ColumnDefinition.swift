import KindredSQLSyntax

/// A column of a table that is being made; each method adds to it, and gives it back.
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

  /// An index that a column asks for.
  enum IndexKind { case plain, unique }

  init(name: String, type: ColumnType?) {
    self.name = name
    self.type = type
  }

  /// Makes the column the primary key; the rowid, if its type is `integer`.
  @discardableResult
  public func primaryKey(autoincrement: Bool = false) -> ColumnDefinition {
    isPrimaryKey = true
    isAutoincremented = autoincrement
    return self
  }

  /// Refuses NULL.
  @discardableResult
  public func notNull() -> ColumnDefinition {
    isNotNull = true
    return self
  }

  /// Refuses a value that another row has.
  @discardableResult
  public func unique() -> ColumnDefinition {
    add("UNIQUE")
  }

  /// Has an index made of the column: `book_on_authorId`.
  @discardableResult
  public func indexed() -> ColumnDefinition {
    index = .plain
    return self
  }

  /// Has a unique index made of the column.
  func uniquelyIndexed() {
    index = .unique
  }

  /// The value of rows that are inserted without one.
  @discardableResult
  public func defaults(to value: any DatabaseValueConvertible) -> ColumnDefinition {
    add("DEFAULT " + SQL(literal: value.databaseValue.storage))
  }

  /// The value of rows that are inserted without one, as an SQL expression of the program.
  @discardableResult
  public func defaults(sql: String) -> ColumnDefinition {
    add("DEFAULT (" + SQL(trusted: sql) + ")")
  }

  /// Refuses rows for which an SQL expression of the program is false.
  @discardableResult
  public func check(sql: String) -> ColumnDefinition {
    add("CHECK (" + SQL(trusted: sql) + ")")
  }

  /// How texts of the column are compared.
  @discardableResult
  public func collate(_ collation: CollationName) -> ColumnDefinition {
    add("COLLATE \(identifier: collation.rawValue)")
  }

  /// Has the column refer to a row of a table: a foreign key.
  ///
  /// - Parameters:
  ///   - table: The other table.
  ///   - column: The column of the other table; its primary key by default.
  ///   - onDelete: What becomes of a row when the one that it refers to is deleted; SQLite refuses that by default.
  ///   - onUpdate: The same, when the key of that one is changed.
  ///   - isDeferred: Whether it is checked at the end of the transaction, and not at once.
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

  /// The column as it stands in `CREATE TABLE`.
  ///
  /// - Parameter isOnlyKey: Whether the primary key is of this column alone; otherwise the table tells it.
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
  /// `REFERENCES …`; without columns, the primary key is meant.
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

  /// Names in parentheses.
  static func columns(_ names: [String]) -> SQL {
    "(" + names.map { "\(identifier: $0)" }.joined(separator: ", ") + ")"
  }

  /// A value written out: a schema has no parameters (<https://www.sqlite.org/lang_expr.html#litvalue>).
  init(literal value: SQLValue) {
    switch value {
    case .null: self = "NULL"
    case .integer(let integer): self.init(trusted: String(integer))
    // An infinity has no literal, but is what becomes of a number that is too large.
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
