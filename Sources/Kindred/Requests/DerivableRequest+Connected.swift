/// Refinements that a closure finds by the database when the request runs.
extension RequestSource {
  /// Selects what a closure returns when the request runs, in place of any selected before.
  public func selectWhenConnected(
    _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Refined { select([SQLSelection(.deferred { try selection(BlueprintResolver($0).db) })]) }

  /// Selects what a closure returns when the request runs, in addition to the others.
  public func annotatedWhenConnected(
    with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
  ) -> Refined { annotated(with: [SQLSelection(.deferred { try selection(BlueprintResolver($0).db) })]) }

  /// Keeps only records that satisfy the condition that a closure returns when the request runs.
  public func filterWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Refined {
    filter(SQLExpression { resolver in try resolver.expression(predicate(resolver.db).sqlExpression) })
  }

  /// Keeps only groups that satisfy the condition that a closure returns when the request runs.
  public func havingWhenConnected(
    _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
  ) -> Refined {
    having(SQLExpression { resolver in try resolver.expression(predicate(resolver.db).sqlExpression) })
  }
}
