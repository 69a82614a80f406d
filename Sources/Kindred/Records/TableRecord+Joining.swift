/// Requests of all records with their associations: see `DerivableRequest`.
extension TableRecord {
  /// With one associated record in each row; records that have none are left out.
  public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().including(required: association) }

  /// With one associated record in each row, where there is one.
  public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().including(optional: association) }

  /// With a collection of all associated records.
  public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().including(all: association) }

  /// Without the records that have no associated one, which is not selected.
  public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(required: association) }

  /// With an associated record to speak of, which is not selected.
  public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(optional: association) }

  /// With the selected columns of an associated record; records that have none are left out.
  public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withRequired: association) }

  /// With the selected columns of an associated record: NULL where there is none.
  public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withOptional: association) }

  /// With these aggregates after the other columns.
  public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: aggregates)
  }

  /// With these aggregates after the other columns.
  public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self>
  {
    all().annotated(with: aggregates)
  }

  /// Only those whose associated records satisfy a condition.
  public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
    all().having(predicate)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// The records that are associated with this one.
  ///
  /// It reads nothing before it is fetched; fetching throws an `AssociationError` where the record encodes no value
  /// for the columns that the association needs.
  public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
  where A.OriginRowDecoder == Self {
    var blueprint = association.blueprint
    blueprint.origin = RequestOrigin(record: self, path: association.path)
    return QueryInterfaceRequest(blueprint: blueprint)
  }
}

extension RequestOrigin {
  fileprivate init<Record: TableRecord & EncodableRecord>(record: Record, path: AssociationPath) {
    var path = path
    path.originTableName = Record.databaseTableName
    var container = PersistenceContainer()
    do {
      try record.encode(to: &container)
      self.init(values: container.values, path: path, failure: nil)
    } catch {
      self.init(values: [:], path: path, failure: error)
    }
  }
}
