/// The foreign key of a table being created; each method adds to the definition and returns it.
///
///     t.belongsTo("author", onDelete: .cascade).notNull()
public final class ForeignKeyDefinition {
  let name: String
  /// The possible names of the other table, of which the first one that exists is taken.
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
    isDeferred: Bool, isIndexed: Bool
  ) {
    self.name = name
    self.tables = tables
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isDeferred = isDeferred
    self.isIndexed = isIndexed
  }

  /// Forbids NULL, so that every row refers to a row of the other table.
  @discardableResult
  public func notNull() -> ForeignKeyDefinition {
    isNotNull = true
    return self
  }

  /// Allows at most one row for each row of the other table.
  @discardableResult
  public func unique() -> ForeignKeyDefinition {
    isUnique = true
    return self
  }

  /// Returns the columns that refer to a primary key: `authorId` for the `id` of an author.
  func columns(to primaryKey: [TableDefinition.KeyColumn]) -> [ColumnDefinition] {
    primaryKey.map { key in
      let name = name + key.name.prefix(1).uppercased() + key.name.dropFirst()
      let column = ColumnDefinition(name: name, type: key.type)
      column.isPrimaryKey = isPartOfPrimaryKey
      if isNotNull || isPartOfPrimaryKey { column.notNull() }
      return column
    }
  }
}
