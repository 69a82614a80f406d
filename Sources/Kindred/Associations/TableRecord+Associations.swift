import KindredAssociations

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
    BelongsToAssociation(
      path: path(to: destination, .belongsTo(foreignKey), isToOne: true, key: key ?? foreignKey?.stem))
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
    HasManyAssociation(path: path(to: destination, .has(foreignKey), isToOne: false, key: key))
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
    HasOneAssociation(path: path(to: destination, .has(foreignKey), isToOne: true, key: key))
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

  private static func path<Destination: TableRecord>(
    to destination: Destination.Type, _ condition: AssociationLink.Condition, isToOne: Bool, key: String?
  ) -> AssociationPath {
    let key =
      key.map { isToOne ? AssociationKey.singular($0) : .plural($0) }
      ?? .inflected(Destination.databaseTableName)
    return AssociationPath(
      AssociationLink(
        condition: condition, isToOne: isToOne, key: key, blueprint: RequestBlueprint(destination)),
      key: key)
  }
}
