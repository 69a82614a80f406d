import KindredAssociations

/// A name for one record of a request, by which expressions elsewhere in the request refer to its columns.
///
///     let author = TableAlias()
///     let posthumous = Book
///       .joining(required: Book.author.aliased(author))
///       .filter(Column("publishDate") >= author[Column("deathDate")])
///
/// An alias stands for exactly one record of a request; otherwise fetching throws.
public final class TableAlias: Hashable, Sendable {
  let alias: RecordAlias

  /// Creates an alias.
  ///
  /// - Parameter name: The alias in the request's SQL, for use in SQL snippets; by default a name that is free.
  public init(name: String? = nil) {
    alias = RecordAlias(name: name)
  }

  /// The expression, evaluated for the record.
  public subscript(expression: some SQLSpecificExpressible) -> SQLExpression {
    let alias = alias
    return SQLExpression([expression.sqlExpression]) { .program(.of(alias, $0[0])) }
  }

  /// The column of the record with a name.
  public subscript(column: String) -> SQLExpression { self[Column(column)] }

  /// The term of an order, evaluated for the record.
  public subscript(ordering: SQLOrdering) -> SQLOrdering {
    SQLOrdering(
      expression: self[ordering.expression], isDescending: ordering.isDescending, nulls: ordering.nulls)
  }

  /// Whether the record exists; after an optional join it may be missing.
  ///
  /// The rows of views and common table expressions have no key, so a row whose columns are all NULL counts as
  /// missing.
  public var exists: SQLExpression {
    let alias = alias
    return SQLExpression { resolver in try resolver.presence(of: alias) }
  }

  /// Whether both are the same alias.
  public static func == (left: TableAlias, right: TableAlias) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
