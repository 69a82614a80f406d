import KindredAssociations
import KindredSQLSyntax

/// Records by their keys.
extension DerivableRequest {
  /// The record of this primary key, which is one column or the rowid; none where it is `nil`.
  public func filter<Key: DatabaseValueConvertible>(key: Key?) -> Self {
    guard let key else { return none() }
    return filter(keys: [key])
  }

  /// The records of these primary keys, each one column or the rowid.
  public func filter<Keys: Sequence>(keys: Keys) -> Self where Keys.Element: DatabaseValueConvertible {
    let values = keys.map(\.sqlExpression)
    return filter(
      SQLExpression { resolver in
        let column = Column(try resolver.singleKeyColumn())
        return try resolver.expression(values.count == 1 ? column == values[0] : values.contains(column))
      })
  }

  /// The record that has these values in the columns of a unique index; none where it is `nil`.
  ///
  /// Fetching throws an `AssociationError` where no unique index is on the columns.
  public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
    guard let key else { return none() }
    return filter(keys: [key])
  }

  /// The records that have these values in the columns of a unique index.
  ///
  /// Fetching throws an `AssociationError` where no unique index is on the columns.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
    let keys = keys.map { key in
      key.sorted { $0.key < $1.key }.map { (column: $0.key, value: $0.value?.sqlExpression) }
    }
    return filter(
      SQLExpression { resolver in
        let records = try keys.map { key in
          try resolver.checkUnique(key.map(\.column))
          let columns = try key.map { try resolver.expression(Column($0.column) == $0.value) }
          return columns.count == 1 ? columns[0] : Expression(.all(columns), at: Origin())
        }
        return switch records.count {
        case 0: Expression(.boolean(false), at: Origin())
        case 1: records[0]
        default: Expression(.any(records), at: Origin())
        }
      })
  }
}

extension DerivableRequest where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// The record of this identity; none where it is `nil`.
  public func filter(id: RowDecoder.ID?) -> Self { filter(key: id) }

  /// The records of these identities.
  public func filter<IDs: Sequence>(ids: IDs) -> Self where IDs.Element == RowDecoder.ID {
    filter(keys: ids)
  }
}

extension RequestResolver {
  /// The column by whose value a record is found.
  fileprivate func singleKeyColumn() throws -> String {
    let key = table.orderedKey
    guard key.count == 1 else { throw AssociationError.missingPrimaryKey(table: table.name) }
    return key[0]
  }

  fileprivate func checkUnique(_ columns: [String]) throws {
    let names = columns.map { table.column(named: $0)?.name ?? $0 }
    let isRowID = names.count == 1 && table.rowIDName != nil && names[0].equalsIgnoringCase("rowid")
    guard isRowID || table.isUnique(names) else {
      throw AssociationError.notUnique(columns: columns, table: table.name)
    }
  }

  /// Whether the full-text index of the table matches a pattern.
  func fullTextMatch(_ pattern: String) throws -> Expression {
    let value = SQLExpression(.value(.text(pattern)))
    guard let fullText = table.fullText, fullText.table != table.name else {
      // A full-text table has a hidden column of its own name.
      return try expression(
        .raw([.expression(Column(table.name).sqlExpression), .text(" MATCH "), .expression(value)]))
    }
    let index = SQL.quoted(fullText.table)
    return try expression(
      .raw([
        .expression(Column(table.rowIDName ?? "rowid").sqlExpression),
        .text(" IN (SELECT rowid FROM \(index) WHERE \(index) MATCH "), .expression(value), .text(")"),
      ]))
  }
}
