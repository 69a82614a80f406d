/// The columns of a table that is being made by which its rows belong to rows of another table; each method adds
/// to them, and gives them back.
///
///     t.belongsTo("author", onDelete: .cascade).notNull()
public final class ForeignKeyDefinition {
  let name: String
  /// The names that the other table may have, of which the first that there is counts.
  let tables: [String]
  let onDelete: ForeignKeyAction?
  let onUpdate: ForeignKeyAction?
  let isDeferred: Bool
  let isIndexed: Bool
  var isPartOfPrimaryKey = false
  private(set) var isNotNull = false
  private(set) var isUnique = false

  init(
    name: String, tables: [String], onDelete: ForeignKeyAction?, onUpdate: ForeignKeyAction?,
    isDeferred: Bool,
    isIndexed: Bool
  ) {
    self.name = name
    self.tables = tables
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isDeferred = isDeferred
    self.isIndexed = isIndexed
  }

  /// Refuses rows that belong to none.
  @discardableResult
  public func notNull() -> ForeignKeyDefinition {
    isNotNull = true
    return self
  }

  /// Refuses a second row that belongs to the same one.
  @discardableResult
  public func unique() -> ForeignKeyDefinition {
    isUnique = true
    return self
  }

  /// The columns that refer to that primary key: `authorId` for the `id` of an author.
  func columns(to primaryKey: [TableDefinition.Key]) -> [ColumnDefinition] {
    primaryKey.map { key in
      let name = name + key.name.prefix(1).uppercased() + key.name.dropFirst()
      let column = ColumnDefinition(name: name, type: key.type)
      column.isPrimaryKey = isPartOfPrimaryKey
      if isNotNull || isPartOfPrimaryKey { column.notNull() }
      return column
    }
  }
}
