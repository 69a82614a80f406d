import KindredModel

/// A request or an association, with the methods that refine its records.
///
/// Programs extend it with refinements of their own:
///
///     extension DerivableRequest<Author> {
///       func filter(country: String) -> Self { filter(Column("country") == country) }
///     }
///
///     let french = Author.all().filter(country: "France")
///     let books = Book.joining(required: Book.author.filter(country: "France"))
public protocol DerivableRequest<RowDecoder>: RequestSource where Refined == Self {
  /// How the records are selected, filtered and ordered.
  var blueprint: RequestBlueprint { get set }
}

extension DerivableRequest {
  /// The request itself.
  public func all() -> Self { self }
}

/// What can be refined: a table, or a request or an association that may be refined already.
public protocol RequestSource<RowDecoder>: Sendable {
  /// The type that the rows are decoded into.
  associatedtype RowDecoder
  /// What a refinement returns.
  associatedtype Refined: DerivableRequest<RowDecoder>

  /// Returns a request of all records.
  func all() -> Refined
}

extension RequestSource {
  /// Returns a request with a changed blueprint.
  func with(_ change: (inout RequestBlueprint) -> Void) -> Refined {
    var result = all()
    change(&result.blueprint)
    return result
  }

  // MARK: Selection

  /// Selects columns and expressions, in place of any selected before.
  public func select(_ selection: [any SQLSelectable]) -> Refined {
    with { ($0.selection, $0.annotations) = (selection.map(\.sqlSelection), []) }
  }

  /// Selects columns and expressions, in place of any selected before.
  public func select(_ selection: any SQLSelectable...) -> Refined { select(selection) }

  /// Selects the columns of an SQL snippet, in place of any selected before.
  public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Refined {
    select(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// Selects the columns of an SQL literal, in place of any selected before.
  public func select(literal: SQLLiteral) -> Refined { select([literal]) }

  /// Selects columns and expressions in addition to the others.
  public func annotated(with selection: [any SQLSelectable]) -> Refined {
    with { $0.annotations += selection.map(\.sqlSelection) }
  }

  /// Selects columns and expressions in addition to the others.
  public func annotated(with selection: any SQLSelectable...) -> Refined { annotated(with: selection) }

  /// Removes duplicate rows (`DISTINCT`).
  public func distinct() -> Refined { refined { $0.isDistinct = true } }

  // MARK: Filters

  /// Keeps only records that satisfy a condition, in addition to other conditions.
  public func filter(_ predicate: some SQLSpecificExpressible) -> Refined {
    with { $0.filters.append(predicate.sqlExpression) }
  }

  /// Keeps only records that satisfy an SQL snippet.
  public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Refined {
    filter(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// Keeps only records that satisfy an SQL literal.
  public func filter(literal: SQLLiteral) -> Refined { filter(literal.sqlExpression) }

  /// Keeps all of the records, or none of them.
  @_disfavoredOverload
  public func filter(_ predicate: Bool) -> Refined { filter(SQLExpression(.boolean(predicate))) }

  /// Keeps none of the records.
  public func none() -> Refined { filter(SQLExpression(.boolean(false))) }

  /// Keeps only records that are found by a pattern in the full-text index of their table; none if it is `nil`.
  public func matching(_ pattern: FTS3Pattern?) -> Refined {
    matching(rawPattern: pattern?.rawPattern)
  }

  func matching(rawPattern: String?) -> Refined {
    guard let rawPattern else { return none() }
    return filter(
      SQLExpression { _ in Expression(.program(.search(.value(.text(rawPattern)))), at: Origin()) })
  }

  // MARK: Order

  /// Orders the records, in place of any order given before.
  public func order(_ terms: [any SQLOrderingTerm]) -> Refined {
    with { $0.ordering = RequestOrdering(terms: terms.map(\.sqlOrdering)) }
  }

  /// Orders the records, in place of any order given before.
  public func order(_ terms: any SQLOrderingTerm...) -> Refined { order(terms) }

  /// Orders the records by an SQL snippet, in place of any order given before.
  public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Refined {
    order(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// Orders the records by an SQL literal, in place of any order given before.
  public func order(literal: SQLLiteral) -> Refined {
    order(literal.splitAtCommas())
  }

  /// Orders the records by the primary key, or by the rowid if there is none.
  public func orderByPrimaryKey() -> Refined {
    with { $0.ordering = RequestOrdering(byPrimaryKey: true) }
  }

  /// Reverses the order, including that of joined records; has no effect if there is none.
  public func reversed() -> Refined { with { $0.ordering.isReversed.toggle() } }

  /// Appends the primary key to the order, or the rowid if there is none, so that no two records have the same place.
  public func withStableOrder() -> Refined { with { $0.ordering.isStable = true } }

  /// Removes the order, including that of joined records.
  public func unordered() -> Refined { with { $0.removeOrder() } }

  /// Keeps at most `limit` records, after skipping the first `offset` ones.
  public func limit(_ limit: Int, offset: Int? = nil) -> Refined {
    refined { ($0.limit, $0.offset) = (limit, offset) }
  }

  // MARK: Groups

  /// Groups the records that have equal values of these expressions into one row (`GROUP BY`).
  public func group(_ expressions: [any SQLExpressible]) -> Refined {
    let expressions = expressions.map(\.sqlExpression)
    return refined { $0.group = expressions }
  }

  /// Groups the records that have equal values of these expressions into one row (`GROUP BY`).
  public func group(_ expressions: any SQLExpressible...) -> Refined { group(expressions) }

  /// Groups the records by an SQL snippet.
  public func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Refined {
    group(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// Groups the records by an SQL literal.
  public func group(literal: SQLLiteral) -> Refined { group(literal.splitAtCommas()) }

  /// Groups the records that have the same primary key, or the same rowid if there is none.
  public func groupByPrimaryKey() -> Refined { refined { $0.groupsByPrimaryKey = true } }

  /// Keeps only groups that satisfy a condition, in addition to other conditions (`HAVING`).
  public func having(_ predicate: some SQLSpecificExpressible) -> Refined {
    refined { $0.havings.append(predicate.sqlExpression) }
  }

  /// Keeps only groups that satisfy an SQL snippet.
  public func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Refined {
    having(literal: SQLLiteral(sql: sql, arguments: arguments))
  }

  /// Keeps only groups that satisfy an SQL literal.
  public func having(literal: SQLLiteral) -> Refined { having(literal.sqlExpression) }

  /// Returns a copy with a change that associations support only in `including(all:)`.
  func refined(_ change: (inout RequestBlueprint) -> Void) -> Refined {
    with {
      change(&$0)
      $0.isForCollectionsOnly = true
    }
  }

  // MARK: Tables

  /// Gives the record an alias, by which expressions elsewhere in the request refer to it.
  public func aliased(_ alias: TableAlias<Void>) -> Refined { with { $0.aliases.append(alias) } }

  /// Gives the record an alias, by which expressions elsewhere in the request refer to it.
  public func aliased(_ alias: TableAlias<RowDecoder>) -> Refined { with { $0.aliases.append(alias) } }

  /// Defines a common table expression for the request.
  public func with<Rows>(_ table: CommonTableExpression<Rows>) -> Refined {
    with { $0.commonTables.append(table.blueprint) }
  }
}

// MARK: - Names

// GRDB's names for what a request can be, all of which a `DerivableRequest` is.

/// A request whose rows have a type.
public typealias TypedRequest = DerivableRequest

/// A request whose columns can be chosen.
public typealias SelectionRequest = DerivableRequest

/// A request whose records can be filtered.
public typealias FilteredRequest = DerivableRequest

/// A request whose records can be ordered.
public typealias OrderedRequest = DerivableRequest

/// A request whose records can be grouped.
public typealias AggregatingRequest = DerivableRequest

/// A request to which associations can be joined.
public typealias JoinableRequest = DerivableRequest

/// A request of the records of a table.
public typealias TableRequest = DerivableRequest
