import KindredModel

/// A value computed from the records that are associated with another: `Author.books.count`.
///
/// Each aggregate is computed independently, from its own records: none multiplies the rows of another.
///
/// It is an expression as any other: `Author.order(Author.books.count.desc)`.
public struct AssociationAggregate<RowDecoder>: SQLSpecificExpressible {
  /// The value that is computed.
  let expression: SQLExpression
  /// The name in the results; nil if the aggregate has no default name.
  let name: String?

  init(_ expression: SQLExpression, name: String? = nil) {
    self.expression = expression
    self.name = name
  }

  /// Returns the aggregate under another name.
  public func forKey(_ key: String) -> AssociationAggregate { AssociationAggregate(expression, name: key) }

  /// Returns the aggregate under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> AssociationAggregate { forKey(key.stringValue) }

  /// The value that is computed.
  public var sqlExpression: SQLExpression { expression }

  /// The value, under the name of the aggregate.
  public var sqlSelection: SQLSelection { SQLSelection(.expression(expression, name: name)) }
}

extension AssociationToMany {
  /// The number of associated records, each counted once: `bookCount`.
  public var count: AssociationAggregate<OriginRowDecoder> { aggregate(.count) }

  /// Whether there is no associated record: `hasNoBook`.
  public var isEmpty: AssociationAggregate<OriginRowDecoder> { aggregate(.isEmpty) }

  /// The least value, or NULL if there is none: `minBookYear`.
  public func min(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.min, of: value.sqlExpression)
  }

  /// The greatest value, or NULL if there is none: `maxBookYear`.
  public func max(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.max, of: value.sqlExpression)
  }

  /// The average value, or NULL if there is none: `averageBookPrice`.
  public func average(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.average, of: value.sqlExpression)
  }

  /// The sum of the values, or NULL if there is none: `bookAwardsSum`.
  public func sum(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.sum, of: value.sqlExpression)
  }

  /// The sum of the values, or 0.0 if there is none: `bookAwardsSum`.
  public func total(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.total, of: value.sqlExpression)
  }

  private func aggregate(
    _ function: Expression.AggregateFunction, of value: SQLExpression? = nil
  ) -> AssociationAggregate<OriginRowDecoder> {
    let path = path
    let expression = SQLExpression { resolver in
      guard !path.links.contains(where: \.blueprint.isLimitedOrGrouped) else {
        throw AssociationError.onlyForCollections
      }
      let node = try resolver.node(resolver.withJoinedConditions(path), key: path.key.joined)
      let argument = try value.map {
        try resolver.resolver(for: path.destination.blueprint.tableName).expression($0)
      }
      return Expression(.program(.aggregate(function, of: node, argument)), at: Origin())
    }
    // The default name contains that of the column; other expressions have none.
    let column = value.map { $0.columnName } ?? ""
    return AssociationAggregate(
      expression, name: column.flatMap { function.defaultName(of: path.key.joined, column: $0) })
  }
}

/// Aggregates of what a closure or key path returns: `Author.books.max(\.year)`.
extension AssociationToMany where RowDecoder: TableRecord {
  /// The least value, or NULL if there is none: `minBookYear`.
  public func min(
    _ value: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try min(value(RowDecoder.databaseComponents).sqlExpression)
  }

  /// The greatest value, or NULL if there is none: `maxBookYear`.
  public func max(
    _ value: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try max(value(RowDecoder.databaseComponents).sqlExpression)
  }

  /// The average value, or NULL if there is none: `averageBookPrice`.
  public func average(
    _ value: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try average(value(RowDecoder.databaseComponents).sqlExpression)
  }

  /// The sum of the values, or NULL if there is none: `bookAwardsSum`.
  public func sum(
    _ value: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try sum(value(RowDecoder.databaseComponents).sqlExpression)
  }

  /// The sum of the values, or 0.0 if there is none: `bookAwardsSum`.
  public func total(
    _ value: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
  ) rethrows -> AssociationAggregate<OriginRowDecoder> {
    try total(value(RowDecoder.databaseComponents).sqlExpression)
  }
}

extension RequestSource {
  /// Adds aggregates after the columns that are already selected.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Refined {
    refined {
      $0.annotations += aggregates.map(\.sqlSelection)
      $0.hasAggregates = true
    }
  }

  /// Adds aggregates after the columns that are already selected.
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Refined {
    annotated(with: aggregates)
  }

  /// Keeps only the records whose associated records satisfy a condition, in addition to other conditions.
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Refined {
    refined {
      $0.filters.append(predicate.expression)
      $0.hasAggregates = true
    }
  }
}
