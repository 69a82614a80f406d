import KindredModel
import KindredSQLSyntax

/// Filters by primary keys and unique columns.
extension RequestSource {
  /// Keeps the record with this single-column primary key or rowid; none if the key is `nil`, as an optional `id` may
  /// be, or is stored as NULL.
  public func filter<Key: DatabaseValueConvertible>(key: Key?) -> Refined {
    filter(keys: key.map { [$0] } ?? [])
  }

  /// Keeps the records with these single-column primary keys or rowids, among which NULL stands for none.
  public func filter<Keys: Sequence>(keys: Keys) -> Refined where Keys.Element: DatabaseValueConvertible {
    let values = keys.map(\.sqlExpression).filter { !$0.isNull }
    return filter(
      SQLExpression { resolver in
        let column = Column(try resolver.singleKeyColumn())
        return try resolver.expression(values.count == 1 ? column == values[0] : values.contains(column))
      })
  }

  /// Keeps the record with these values in the columns of a unique index; none if the key is `nil`.
  ///
  /// Fetching throws a `RecordKeyError` if no unique index has exactly these columns.
  public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Refined {
    guard let key else { return none() }
    return filter(keys: [key])
  }

  /// Keeps the records with these values in the columns of a unique index.
  ///
  /// Fetching throws a `RecordKeyError` if no unique index has exactly these columns.
  public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Refined {
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

extension RequestSource where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
  /// Keeps the record with an `id`; none if it is `nil`.
  public func filter(id: RowDecoder.ID?) -> Refined { filter(key: id) }

  /// Keeps the records with these `id`s.
  public func filter<IDs: Sequence>(ids: IDs) -> Refined where IDs.Element == RowDecoder.ID {
    filter(keys: ids)
  }
}

extension BlueprintResolver {
  /// Returns the only column of the primary key, or else the rowid.
  func singleKeyColumn() throws -> String {
    let key = table.orderedKey
    guard key.count == 1 else {
      throw RecordKeyError.notOneColumn(databaseTableName: table.name, columns: key)
    }
    return key[0]
  }

  fileprivate func checkUnique(_ columns: [String]) throws {
    let names = columns.map { table.column(named: $0)?.name ?? $0 }
    let isRowID = names.count == 1 && table.rowIDName != nil && names[0].equalsIgnoringCase("rowid")
    guard isRowID || table.isUnique(names) else {
      throw RecordKeyError.notUnique(databaseTableName: table.name, columns: columns)
    }
  }
}
