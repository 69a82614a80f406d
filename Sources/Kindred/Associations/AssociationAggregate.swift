import KindredAssociations

/// A value that is computed of the records associated with one: `Author.books.count`.
///
/// Each is computed by itself, of its own population: none multiplies the rows of another, or changes its value.
public struct AssociationAggregate<RowDecoder>: Sendable {
  /// The value.
  let expression: SQLExpression
  /// The name in the results; nil where none follows.
  let name: String?

  init(_ expression: SQLExpression, name: String? = nil) {
    self.expression = expression
    self.name = name
  }

  /// The aggregate under another name.
  public func forKey(_ key: String) -> AssociationAggregate { AssociationAggregate(expression, name: key) }

  /// The aggregate under the name of a coding key.
  public func forKey(_ key: some CodingKey) -> AssociationAggregate { forKey(key.stringValue) }

  var selection: SQLSelection { SQLSelection(.expression(expression, name: name)) }
}

extension AssociationToMany {
  /// How many associated records there are, each counted once: `bookCount`.
  public var count: AssociationAggregate<OriginRowDecoder> { aggregate(.count) }

  /// Whether there is no associated record: `hasNoBook`.
  public var isEmpty: AssociationAggregate<OriginRowDecoder> { aggregate(.isEmpty) }

  /// The least value, NULL where there is none: `minBookYear`.
  public func min(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.min, of: value.sqlExpression)
  }

  /// The greatest value, NULL where there is none: `maxBookYear`.
  public func max(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.max, of: value.sqlExpression)
  }

  /// The average value, NULL where there is none: `averageBookPrice`.
  public func average(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.average, of: value.sqlExpression)
  }

  /// The sum of the values, NULL where there is none: `bookAwardsSum`.
  public func sum(_ value: some SQLSpecificExpressible) -> AssociationAggregate<OriginRowDecoder> {
    aggregate(.sum, of: value.sqlExpression)
  }

  /// The sum of the values, 0.0 where there is none: `bookAwardsSum`.
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
      let node = try resolver.node(path, key: path.key.joined)
      let argument = try value.map {
        try resolver.resolver(for: path.destination.blueprint.tableName).expression($0)
      }
      return Expression(.program(.aggregate(function, of: node, argument)), at: Origin())
    }
    // An expression that is no column has no name that could be in the aggregate's.
    let column = value.map { $0.columnName } ?? ""
    return AssociationAggregate(
      expression, name: column.flatMap { function.defaultName(of: path.key.joined, column: $0) })
  }
}

extension DerivableRequest {
  /// With these aggregates after the other columns.
  public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
    refined { $0.annotations += aggregates.map(\.selection) }
  }

  /// With these aggregates after the other columns.
  public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self {
    annotated(with: aggregates)
  }

  /// Only those whose associated records satisfy a condition, beside other conditions.
  public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
    refined { $0.filters.append(predicate.expression) }
  }
}
