import KindredAssociations

/// A connection from the records of one type to those of another, which requests use.
///
/// As a `DerivableRequest`, it is refined like a request is: `Author.books.filter(Column("kind") == "novel")`.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest {
  /// The records that it starts from.
  associatedtype OriginRowDecoder
  /// How it leads to the others.
  var path: AssociationPath { get set }
}

/// An association that leads to one record at most.
public protocol AssociationToOne<OriginRowDecoder, RowDecoder>: Association {}

/// An association that leads to any number of records.
public protocol AssociationToMany<OriginRowDecoder, RowDecoder>: Association {}

extension Association {
  /// What is said of the associated records.
  public var blueprint: RequestBlueprint {
    get { path.destination.blueprint }
    set { path.destination.blueprint = newValue }
  }

  /// The association under another key: one of an association to many records is that of a collection, and is put in
  /// the singular where one record is joined to another.
  public func forKey(_ key: String) -> Self {
    var association = self
    association.path.key = path.key(named: key)
    association.path.destination.key = association.path.key
    return association
  }

  /// The association under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }
}

/// From a record to the one that it refers to.
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
  /// The records that it starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that it leads to.
  public typealias RowDecoder = Destination
  /// How it leads to them.
  public var path: AssociationPath
}

/// From a record to those that refer to it.
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
  /// The records that it starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that it leads to.
  public typealias RowDecoder = Destination
  /// How it leads to them.
  public var path: AssociationPath
}

/// From a record to the one that refers to it.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
  /// The records that it starts from.
  public typealias OriginRowDecoder = Origin
  /// The record that it leads to.
  public typealias RowDecoder = Destination
  /// How it leads to it.
  public var path: AssociationPath
}

/// From a record to those that others lead to.
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
  /// The records that it starts from.
  public typealias OriginRowDecoder = Origin
  /// The records that it leads to.
  public typealias RowDecoder = Destination
  /// How it leads to them.
  public var path: AssociationPath
}

/// From a record to the one that another leads to.
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
  /// The records that it starts from.
  public typealias OriginRowDecoder = Origin
  /// The record that it leads to.
  public typealias RowDecoder = Destination
  /// How it leads to it.
  public var path: AssociationPath
}

/// From a record to the rows of a common table expression, by a condition.
public struct JoinAssociation<Origin, Destination>: AssociationToMany {
  /// The records that it starts from.
  public typealias OriginRowDecoder = Origin
  /// The rows that it leads to.
  public typealias RowDecoder = Destination
  /// How it leads to them.
  public var path: AssociationPath

  init(_ blueprint: RequestBlueprint, on condition: @escaping JoinCondition) {
    // Such a table may have any name: what is not a word of English stays as it is.
    let key = AssociationKey.inflected(blueprint.tableName)
    path = AssociationPath(
      AssociationLink(condition: .on([JoinRule(condition)]), isToOne: false, key: key, blueprint: blueprint),
      key: key)
  }
}
