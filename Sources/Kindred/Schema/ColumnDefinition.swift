import KindredSQLSyntax

/// A column of a table being created; each method adds to the definition and returns it.
///
///     t.column("name", .text).notNull().unique()
public final class ColumnDefinition {
  let name: String
  let type: ColumnType?
  private(set) var isIndexed = false
  var isPrimaryKey = false
  private var isAutoincremented = false
  private var keyConflict: SQLText = ""
  private var nullConflict: SQLText = ""
  private(set) var isNotNull = false
  private var rest: [SQLText] = []
  /// Why the default value can't be stored.
  private var failure: UnstorableValue?

  init(name: String, type: ColumnType?) {
    self.name = name
    self.type = type
  }

  /// Makes the column the primary key, which aliases the rowid if its type is `integer`.
  ///
  /// - Parameters:
  ///   - conflict: What happens to rows that violate it; they fail by default.
  ///   - autoincrement: Whether SQLite never uses a key twice.
  @discardableResult
  public func primaryKey(
    onConflict conflict: Database.ConflictResolution? = nil, autoincrement: Bool = false
  ) -> ColumnDefinition {
    isPrimaryKey = true
    keyConflict = .onConflict(conflict)
    isAutoincremented = autoincrement
    return self
  }

  /// Forbids NULL.
  ///
  /// - Parameter conflict: What happens to rows that violate it; they fail by default.
  @discardableResult
  public func notNull(onConflict conflict: Database.ConflictResolution? = nil) -> ColumnDefinition {
    isNotNull = true
    nullConflict = .onConflict(conflict)
    return self
  }

  /// Requires the values to be unique.
  ///
  /// - Parameter conflict: What happens to rows that violate it; they fail by default.
  @discardableResult
  public func unique(onConflict conflict: Database.ConflictResolution? = nil) -> ColumnDefinition {
    add("UNIQUE" + .onConflict(conflict))
  }

  /// Computes the values by an SQL expression (<https://www.sqlite.org/gencol.html>).
  ///
  /// - Parameters:
  ///   - sql: The expression.
  ///   - qualification: Whether the values are stored.
  @discardableResult
  public func generatedAs(
    sql: String, _ qualification: GeneratedColumnQualification = .virtual
  ) -> ColumnDefinition {
    add("GENERATED ALWAYS AS (" + SQLText(trusted: sql) + ") " + SQLText(trusted: qualification.rawValue))
  }

  /// Computes the values by an expression of other columns.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - qualification: Whether the values are stored.
  @discardableResult
  public func generatedAs(
    _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
  ) -> ColumnDefinition {
    generatedAs(sql: SQLLiteral(expression.sqlExpression).plain, qualification)
  }

  /// Whether the values of a generated column are stored.
  public enum GeneratedColumnQualification: String, Sendable {
    /// They are computed when they are read.
    case virtual = "VIRTUAL"
    /// They are computed when the row is written.
    case stored = "STORED"
  }

  /// Forbids rows for which a condition on the column is false.
  @discardableResult
  public func check(_ condition: (Column) -> any SQLExpressible) -> ColumnDefinition {
    check(sql: SQLLiteral(condition(Column(name)).sqlExpression).plain)
  }

  /// Creates an index on the column, with a name like `book_on_authorId`.
  @discardableResult
  public func indexed() -> ColumnDefinition {
    isIndexed = true
    return self
  }

  /// Sets the value of rows that are inserted without one.
  @discardableResult
  public func defaults(to value: any DatabaseValueConvertible) -> ColumnDefinition {
    let value = value.databaseValue
    failure = value.failure
    return add("DEFAULT " + SQLText(literal: value.sqlValue))
  }

  /// Sets the value of rows that are inserted without one, as an SQL expression.
  @discardableResult
  public func defaults(sql: String) -> ColumnDefinition {
    add("DEFAULT (" + SQLText(trusted: sql) + ")")
  }

  /// Forbids rows for which an SQL expression is false.
  @discardableResult
  public func check(sql: String) -> ColumnDefinition {
    add("CHECK (" + SQLText(trusted: sql) + ")")
  }

  /// Sets the collation by which texts of the column are compared.
  @discardableResult
  public func collate(_ collation: CollationName) -> ColumnDefinition {
    add("COLLATE \(identifier: collation.rawValue)")
  }

  /// Sets a collation of the program by which texts of the column are compared.
  @discardableResult
  public func collate(_ collation: DatabaseCollation) -> ColumnDefinition {
    collate(CollationName(rawValue: collation.name))
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

  private func add(_ sql: SQLText) -> ColumnDefinition {
    rest.append(sql)
    return self
  }

  /// Returns the column's definition in `CREATE TABLE`.
  ///
  /// - Parameter isOnlyKey: Whether a primary key consists of this column alone; otherwise the table declares it.
  /// - Throws: `DatabaseError` (misuse) if the default value can't be stored.
  func sql(isOnlyKey: Bool) throws -> SQLText {
    if let failure { throw failure.error }
    var parts: [SQLText] = ["\(identifier: name)"]
    if let type { parts.append(SQLText(trusted: type.rawValue)) }
    if isPrimaryKey, isOnlyKey {
      parts.append("PRIMARY KEY" + keyConflict + (isAutoincremented ? " AUTOINCREMENT" : ""))
    }
    if isNotNull { parts.append("NOT NULL" + nullConflict) }
    return (parts + rest).joined(separator: " ")
  }
}

extension SQLText {
  /// Returns `REFERENCES …`; without columns it refers to the primary key.
  static func references(
    _ table: String, columns: [String], onDelete: ForeignKeyAction?, onUpdate: ForeignKeyAction?,
    isDeferred: Bool
  ) -> SQLText {
    var sql: SQLText = "REFERENCES \(identifier: table)"
    if !columns.isEmpty { sql.append(.columns(columns)) }
    if let onDelete { sql.append(" ON DELETE " + SQLText(trusted: onDelete.rawValue)) }
    if let onUpdate { sql.append(" ON UPDATE " + SQLText(trusted: onUpdate.rawValue)) }
    if isDeferred { sql.append(" DEFERRABLE INITIALLY DEFERRED") }
    return sql
  }

  /// Returns ` ON CONFLICT …`; nothing for SQLite's default.
  static func onConflict(_ conflict: Database.ConflictResolution?) -> SQLText {
    conflict.map { " ON CONFLICT " + SQLText(trusted: $0.rawValue) } ?? ""
  }

  /// Returns quoted names in parentheses.
  static func columns(_ names: [String]) -> SQLText {
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
