/// A connection from the records of one type to the records of another, for use in requests.
///
/// It is a `DerivableRequest`, so it is refined as a request is: `Author.books.filter(Column("kind") == "novel")`.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest {
  /// The records that the association starts from.
  associatedtype OriginRowDecoder
  /// The path from the origin to the destination.
  var path: AssociationPath { get set }
}

/// An association that leads to at most one record.
public protocol AssociationToOne<OriginRowDecoder, RowDecoder>: Association {}

/// An association that leads to any number of records.
public protocol AssociationToMany<OriginRowDecoder, RowDecoder>: Association {}

extension Association {
  /// How the associated records are selected, filtered and ordered.
  public var blueprint: RequestBlueprint {
    get { path.destination.blueprint }
    set { path.destination.blueprint = newValue }
  }

  /// Returns the association under another key.
  ///
  /// For a to-many association pass the plural; it is singularized where a single record is joined.
  public func forKey(_ key: String) -> Self {
    var association = self
    association.path.key = path.key(named: key)
    association.path.destination.key = association.path.key
    return association
  }

  /// Returns the association under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }
}

/// An association from a record to the one that it refers to.
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
  /// The records that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that the association leads to.
  public typealias RowDecoder = Destination
  /// The path from the origin to the destination.
  public var path: AssociationPath
}

/// An association from a record to the records that refer to it.
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
  /// The records that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that the association leads to.
  public typealias RowDecoder = Destination
  /// The path from the origin to the destination.
  public var path: AssociationPath
}

/// An association from a record to the only one that refers to it.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
  /// The records that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that the association leads to.
  public typealias RowDecoder = Destination
  /// The path from the origin to the destination.
  public var path: AssociationPath
}

/// An association from a record to any number of records, by way of other associations.
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
  /// The records that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that the association leads to.
  public typealias RowDecoder = Destination
  /// The path from the origin to the destination.
  public var path: AssociationPath
}

/// An association from a record to one record, by way of other associations.
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
  /// The records that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that the association leads to.
  public typealias RowDecoder = Destination
  /// The path from the origin to the destination.
  public var path: AssociationPath
}

/// An association from a record to the rows of a common table expression that satisfy a condition.
public struct JoinAssociation<Origin, Destination>: AssociationToMany {
  /// The records that the association starts from.
  public typealias OriginRowDecoder = Origin
  /// The rows that the association leads to.
  public typealias RowDecoder = Destination
  /// The path from the origin to the destination.
  public var path: AssociationPath

  /// Creates an association.
  ///
  /// - Parameter condition: By which two rows belong together; nil pairs every row with every other.
  init(_ blueprint: RequestBlueprint, on condition: JoinCondition<Origin, Destination>? = nil) {
    // The name of such a table need not be an English word; inflection leaves other words unchanged.
    let key = AssociationKey.inflected(blueprint.tableName)
    path = AssociationPath(
      AssociationLink(condition: .on([JoinRule(condition)]), isToOne: false, key: key, blueprint: blueprint),
      key: key)
  }
}
