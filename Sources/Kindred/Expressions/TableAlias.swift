import KindredAssociations

/// A name for one record of a request, by which expressions about others can speak of it.
///
///     let author = TableAlias()
///     let posthumous = Book
///       .joining(required: Book.author.aliased(author))
///       .filter(Column("publishDate") >= author[Column("deathDate")])
///
/// One alias stands for one record of one request: fetching throws where it stands for two, or for none.
public final class TableAlias: Hashable, Sendable {
  let alias: RecordAlias

  /// An alias.
  ///
  /// - Parameter name: The name of the table in the SQL of the request, for SQL snippets; any free one if `nil`.
  public init(name: String? = nil) {
    alias = RecordAlias(name: name)
  }

  /// An expression about the record.
  public subscript(expression: some SQLSpecificExpressible) -> SQLExpression {
    let alias = alias
    return SQLExpression([expression.sqlExpression]) { .program(.of(alias, $0[0])) }
  }

  /// A column of the record.
  public subscript(column: String) -> SQLExpression { self[Column(column)] }

  /// A term of an order, about the record.
  public subscript(ordering: SQLOrdering) -> SQLOrdering {
    SQLOrdering(
      expression: self[ordering.expression], isDescending: ordering.isDescending, nulls: ordering.nulls)
  }

  /// Whether the record is there: it may be missing behind an optional join.
  ///
  /// The rows of views and common table expressions have no key: one whose columns are all NULL counts as missing.
  public var exists: SQLExpression {
    let alias = alias
    return SQLExpression { resolver in try resolver.presence(of: alias) }
  }

  /// Whether both are the same alias.
  public static func == (left: TableAlias, right: TableAlias) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
