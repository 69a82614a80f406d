extension TableRecord {
  /// Declares an association to the record that each of these records refers to.
  ///
  /// - Parameters:
  ///   - destination: The type of the record that is referred to.
  ///   - key: The key of the association; by default the name of the single column of `foreignKey` without its `Id`
  ///     suffix, or else of the table.
  ///   - foreignKey: The columns, if the schema has no foreign key to the table, or several.
  public static func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
    BelongsToAssociation(path: .belongsTo(RequestBlueprint(destination), key, foreignKey))
  }

  /// Declares an association to the records that refer to each of these records.
  ///
  /// - Parameters:
  ///   - destination: The type of the records that refer to this one.
  ///   - key: The key of the association; by default the name of the table.
  ///   - foreignKey: The columns of the other table, if the schema has no foreign key from it, or several.
  public static func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
    HasManyAssociation(path: .has(RequestBlueprint(destination), isToOne: false, key, foreignKey))
  }

  /// Declares an association to the only record that refers to each of these records.
  ///
  /// - Parameters:
  ///   - destination: The type of the record that refers to this one.
  ///   - key: The key of the association; by default the name of the table.
  ///   - foreignKey: The columns of the other table, if the schema has no foreign key from it, or several.
  public static func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    HasOneAssociation(path: .has(RequestBlueprint(destination), isToOne: true, key, foreignKey))
  }

  /// Declares an association to the records that are reached through another association.
  ///
  /// - Parameters:
  ///   - destination: The type of the associated records.
  ///   - pivot: The association from these records to the intermediate ones.
  ///   - target: The association from the intermediate records to the destination.
  ///   - key: The key of the association; by default the key of `target`.
  public static func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasManyThroughAssociation(path: AssociationPath(through: pivot.path, using: target.path, key: key))
  }

  /// Declares an association to the one record that is reached through another association to one record.
  ///
  /// - Parameters:
  ///   - destination: The type of the associated record.
  ///   - pivot: The association from these records to the intermediate one.
  ///   - target: The association from the intermediate record to the destination.
  ///   - key: The key of the association; by default the key of `target`.
  public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasOneThroughAssociation(path: AssociationPath(through: pivot.path, using: target.path, key: key))
  }
}

/// Associations to tables without a record type.
extension TableRecord {
  /// Declares an association to the row that each of these records refers to.
  public static func belongsTo<Rows>(
    _ destination: Table<Rows>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Rows> {
    BelongsToAssociation(path: .belongsTo(destination.all().blueprint, key, foreignKey))
  }

  /// Declares an association to the rows that refer to each of these records.
  public static func hasMany<Rows>(
    _ destination: Table<Rows>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Rows> {
    HasManyAssociation(path: .has(destination.all().blueprint, isToOne: false, key, foreignKey))
  }

  /// Declares an association to the only row that refers to each of these records.
  public static func hasOne<Rows>(
    _ destination: Table<Rows>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Rows> {
    HasOneAssociation(path: .has(destination.all().blueprint, isToOne: true, key, foreignKey))
  }
}

/// Associations of tables without a record type.
extension Table {
  /// Declares an association to the record that each of these rows refers to.
  public func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Destination> {
    BelongsToAssociation(path: .belongsTo(RequestBlueprint(destination), key, foreignKey))
  }

  /// Declares an association to the row that each of these rows refers to.
  public func belongsTo<Rows>(
    _ destination: Table<Rows>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<RowDecoder, Rows> {
    BelongsToAssociation(path: .belongsTo(destination.all().blueprint, key, foreignKey))
  }

  /// Declares an association to the records that refer to each of these rows.
  public func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Destination> {
    HasManyAssociation(path: .has(RequestBlueprint(destination), isToOne: false, key, foreignKey))
  }

  /// Declares an association to the rows that refer to each of these rows.
  public func hasMany<Rows>(
    _ destination: Table<Rows>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<RowDecoder, Rows> {
    HasManyAssociation(path: .has(destination.all().blueprint, isToOne: false, key, foreignKey))
  }

  /// Declares an association to the only record that refers to each of these rows.
  public func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Destination> {
    HasOneAssociation(path: .has(RequestBlueprint(destination), isToOne: true, key, foreignKey))
  }

  /// Declares an association to the only row that refers to each of these rows.
  public func hasOne<Rows>(
    _ destination: Table<Rows>, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<RowDecoder, Rows> {
    HasOneAssociation(path: .has(destination.all().blueprint, isToOne: true, key, foreignKey))
  }

  /// Declares an association to the records that are reached through another association.
  public func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasManyThroughAssociation(path: AssociationPath(through: pivot.path, using: target.path, key: key))
  }

  /// Declares an association to the one record that is reached through another association to one record.
  public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
  where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasOneThroughAssociation(path: AssociationPath(through: pivot.path, using: target.path, key: key))
  }

  /// Returns an association from these rows to those of a common table expression; without a condition, it
  /// pairs every row with every other.
  public func association<Destination>(
    to destination: CommonTableExpression<Destination>,
    on condition: JoinCondition<RowDecoder, Destination>? = nil
  ) -> JoinAssociation<RowDecoder, Destination> {
    JoinAssociation(destination.all().blueprint, on: condition)
  }
}

extension AssociationPath {
  /// Creates the path to the records that each record refers to.
  fileprivate static func belongsTo(
    _ destination: RequestBlueprint, _ key: String?, _ foreignKey: ForeignKey?
  ) -> AssociationPath {
    AssociationPath(to: destination, .belongsTo(foreignKey), isToOne: true, key: key ?? foreignKey?.stem)
  }

  /// Creates the path to the records that refer to each record.
  fileprivate static func has(
    _ destination: RequestBlueprint, isToOne: Bool, _ key: String?, _ foreignKey: ForeignKey?
  ) -> AssociationPath {
    AssociationPath(to: destination, .has(foreignKey), isToOne: isToOne, key: key)
  }

  fileprivate init(
    to destination: RequestBlueprint, _ condition: AssociationLink.Condition, isToOne: Bool, key: String?
  ) {
    let key =
      key.map { isToOne ? AssociationKey.singular($0) : .plural($0) } ?? .inflected(destination.tableName)
    self.init(
      AssociationLink(condition: condition, isToOne: isToOne, key: key, blueprint: destination), key: key)
  }
}
