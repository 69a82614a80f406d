import KindredAssociations

/// What requests and associations have in common: all that refines their records.
///
/// It is there to be extended:
///
///     extension DerivableRequest<Author> {
///       func filter(country: String) -> Self { filter(Column("country") == country) }
///     }
///
///     let french = Author.all().filter(country: "France")
///     let books = Book.joining(required: Book.author.filter(country: "France"))
public protocol DerivableRequest<RowDecoder>: Sendable {
  /// What the rows are decoded into.
  associatedtype RowDecoder
  /// What is said of the records.
  var blueprint: RequestBlueprint { get set }
}

extension DerivableRequest {
  /// The same with a change.
  func with(_ change: (inout RequestBlueprint) -> Void) -> Self {
    var result = self
    change(&result.blueprint)
    return result
  }

  // MARK: Selection

  /// With these columns and expressions, instead of those that were selected before.
  public func select(_ selection: [any SQLSelectable]) -> Self {
    with { ($0.selection, $0.annotations) = (selection.map(\.sqlSelection), []) }
  }

  /// With these columns and expressions, instead of those that were selected before.
  public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

  /// With a column, by the name that Swift code gives it: `select(\.$name)`.
  public func select<Selected: SQLSelectable>(_ column: KeyPath<RecordColumns, Selected>) -> Self {
    select(RecordColumns()[keyPath: column])
  }

  /// With the columns of an SQL snippet.
  public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
    select(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// With the columns of an SQL literal.
  public func select(literal: SQLLiteral) -> Self { select([literal]) }

  /// With these columns and expressions after the others.
  public func annotated(with selection: [any SQLSelectable]) -> Self {
    with { $0.annotations += selection.map(\.sqlSelection) }
  }

  /// With these columns and expressions after the others.
  public func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }

  /// Without rows that are the same.
  public func distinct() -> Self { refined { $0.isDistinct = true } }

  // MARK: Filters

  /// Only those that satisfy a condition, beside other conditions.
  public func filter(_ predicate: some SQLSpecificExpressible) -> Self {
    with { $0.filters.append(predicate.sqlExpression) }
  }

  /// Only those that satisfy a condition about columns: `filter { $0.country == "France" }`.
  public func filter(_ predicate: (RecordColumns) -> SQLExpression) -> Self {
    filter(predicate(RecordColumns()))
  }

  /// Only those that satisfy an SQL snippet.
  public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
    filter(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// Only those that satisfy an SQL literal.
  public func filter(literal: SQLLiteral) -> Self { filter(literal.sqlExpression) }

  /// None.
  public func none() -> Self { filter(SQLExpression(.boolean(false))) }

  /// Only those whose full-text index matches a pattern: none where it is `nil`.
  public func matching(_ pattern: FTS3Pattern?) -> Self {
    guard let pattern else { return none() }
    return filter(
      SQLExpression { resolver in try resolver.fullTextMatch(pattern.rawPattern) })
  }

  // MARK: Order

  /// In this order, instead of the one before.
  public func order(_ terms: [any SQLOrderingTerm]) -> Self {
    with { $0.ordering = RequestOrdering(terms: terms.map(\.sqlOrdering)) }
  }

  /// In this order, instead of the one before.
  public func order(_ terms: any SQLOrderingTerm...) -> Self { order(terms) }

  /// In the order of a column, by the name that Swift code gives it: `order(\.$year.desc)`.
  public func order<Term: SQLOrderingTerm>(_ term: KeyPath<RecordColumns, Term>) -> Self {
    order(RecordColumns()[keyPath: term])
  }

  /// In the order of an SQL snippet.
  public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
    order(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// In the order of an SQL literal.
  public func order(literal: SQLLiteral) -> Self {
    order(literal.splitAtCommas())
  }

  /// In the order of the primary key, or of the rowid.
  public func orderByPrimaryKey() -> Self {
    with { $0.ordering = RequestOrdering(byPrimaryKey: true) }
  }

  /// In the opposite order, that of what is joined included; without an order, it stays without one.
  public func reversed() -> Self { with { $0.ordering.isReversed.toggle() } }

  /// In no order; what is joined has none either.
  public func unordered() -> Self { with { $0.removeOrder() } }

  /// Some of them: no more than `limit`, and those before `offset` left out.
  public func limit(_ limit: Int, offset: Int? = nil) -> Self {
    refined { ($0.limit, $0.offset) = (limit, offset) }
  }

  // MARK: Groups

  /// One row per group of records that have the same values of these expressions.
  public func group(_ expressions: [any SQLSpecificExpressible]) -> Self {
    let expressions = expressions.map(\.sqlExpression)
    return refined { $0.group = expressions }
  }

  /// One row per group of records that have the same values of these expressions.
  public func group(_ expressions: any SQLSpecificExpressible...) -> Self { group(expressions) }

  /// Only the groups that satisfy a condition, beside other conditions.
  public func having(_ predicate: some SQLSpecificExpressible) -> Self {
    refined { $0.havings.append(predicate.sqlExpression) }
  }

  /// The same with a change that an association allows in `including(all:)` only.
  func refined(_ change: (inout RequestBlueprint) -> Void) -> Self {
    with {
      change(&$0)
      $0.isForCollectionsOnly = true
    }
  }

  // MARK: Tables

  /// Under an alias, by which expressions elsewhere in the request speak of the record.
  public func aliased(_ alias: TableAlias) -> Self { with { $0.aliases.append(alias) } }

  /// With a table of its own.
  public func with<Rows>(_ table: CommonTableExpression<Rows>) -> Self {
    with { $0.commonTables.append(table.blueprint) }
  }
}
