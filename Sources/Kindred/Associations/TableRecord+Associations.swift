import KindredAssociations

extension TableRecord {
  /// An association to the record that these records refer to.
  ///
  /// - Parameters:
  ///   - destination: The type of the record that is referred to.
  ///   - key: The name in requests; else that of the table, or of the column of `foreignKey` without its `Id`.
  ///   - foreignKey: The columns, where the schema has no foreign key to the table, or several.
  public static func belongsTo<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> BelongsToAssociation<Self, Destination> {
    BelongsToAssociation(
      path: path(to: destination, .belongsTo(foreignKey), isToOne: true, key: key ?? foreignKey?.stem))
  }

  /// An association to the records that refer to these.
  ///
  /// - Parameters:
  ///   - destination: The type of the records that refer to this one.
  ///   - key: The name in requests; else that of the table.
  ///   - foreignKey: The columns of the other table, where the schema has no foreign key of it, or several.
  public static func hasMany<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasManyAssociation<Self, Destination> {
    HasManyAssociation(path: path(to: destination, .has(foreignKey), isToOne: false, key: key))
  }

  /// An association to the one record that refers to each of these.
  ///
  /// - Parameters:
  ///   - destination: The type of the record that refers to this one.
  ///   - key: The name in requests; else that of the table.
  ///   - foreignKey: The columns of the other table, where the schema has no foreign key of it, or several.
  public static func hasOne<Destination: TableRecord>(
    _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
  ) -> HasOneAssociation<Self, Destination> {
    HasOneAssociation(path: path(to: destination, .has(foreignKey), isToOne: true, key: key))
  }

  /// An association to the records that those of another association lead to.
  ///
  /// - Parameters:
  ///   - destination: The type of the records at the end.
  ///   - pivot: From these records to those in between.
  ///   - target: From those in between to the end.
  ///   - key: The name in requests; else that of `target`.
  public static func hasMany<Pivot: Association, Target: Association>(
    _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
  ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
  where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
    HasManyThroughAssociation(path: AssociationPath(through: pivot.path, using: target.path, key: key))
  }

  /// An association to the one record that the one of another association leads to.
  ///
  /// - Parameters:
  ///   - destination: The type of the record at the end.
  ///   - pivot: From these records to the one in between.
  ///   - target: From the one in between to the end.
  ///   - key: The name in requests; else that of `target`.
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
