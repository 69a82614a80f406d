/// Requests of all records with their associations; `DerivableRequest` has the same methods for requests.
extension TableRecord {
  /// Includes one associated record in each row, and leaves out records that have none (`INNER JOIN`).
  public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().including(required: association) }

  /// Includes one associated record in each row if there is one (`LEFT JOIN`).
  public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().including(optional: association) }

  /// Includes a collection of all associated records, read by a separate statement.
  public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().including(all: association) }

  /// Keeps only records that have an associated record, without selecting it (`INNER JOIN`).
  public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(required: association) }

  /// Joins an associated record without selecting it, so that expressions can refer to it (`LEFT JOIN`).
  public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().joining(optional: association) }

  /// Adds the selected columns of an associated record, and leaves out records that have none.
  public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withRequired: association) }

  /// Adds the selected columns of an associated record; they are NULL if there is none.
  public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
  where A.OriginRowDecoder == Self { all().annotated(withOptional: association) }

  /// Adds aggregates after the columns of the record.
  public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
    all().annotated(with: aggregates)
  }

  /// Adds aggregates after the columns of the record.
  public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self>
  {
    all().annotated(with: aggregates)
  }

  /// Keeps only the records whose associated records satisfy a condition.
  public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
    all().having(predicate)
  }
}

extension TableRecord where Self: EncodableRecord {
  /// Returns a request of the records that are associated with this one.
  ///
  /// Nothing is read before the request is fetched. Fetching throws an `AssociationError` if the record encodes no
  /// value for a column that the association needs.
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
