import KindredSQLSyntax

/// A node that repeats below itself, while it is planned.
final class RecursionContext {
  let node: RequestNode
  /// The record that the first level starts from, or that of the level above.
  let base: Scope
  let number: Int
  /// Whether it is the second level, which repeats itself.
  let isRepetition: Bool
  var result: Plan.Recursion?

  init(node: RequestNode, base: Scope, number: Int, isRepetition: Bool) {
    self.node = node
    self.base = base
    self.number = number
    self.isRepetition = isRepetition
  }
}

/// Associations from a table to itself that repeat below themselves.
extension Planning {
  /// Adds the member that holds the next level to a record of a recursive node.
  func planRepetition(
    _ context: RecursionContext, in scope: Scope, _ program: ProgramBuilder, name: String
  ) throws {
    let (node, base) = (context.node, context.base)
    guard let levels = node.recursion else { return }
    let identity = scope.keyColumns.map { scope.statement.column(scope.column($0.name, in: scope.statement)) }
    let baseIdentity = base.keyColumns.map { base.statement.column(base.column($0.name, in: base.statement)) }
    var repetition = context.number
    if !context.isRepetition, levels > 1 {
      var next = node
      next.isRequired = false
      repetition = try planNested(next, below: scope, hops: [], name: name, isRepetition: true)
    }
    try program.repetition(node.key, repetition, at: node.origin)
    context.result = Plan.Recursion(
      levels: levels, identity: identity, baseIdentity: baseIdentity, repetition: repetition)
  }

  /// Makes the statement of the second level fit to be the one above itself: what it reads of the first level, it
  /// must find at the same places in its own columns.
  func alignRepetition(_ context: RecursionContext, _ statement: StatementBuilder) throws {
    let above = context.base.statement.columns
    for sql in above.dropFirst(statement.columns.count) { _ = statement.column(sql) }
    guard above.count == statement.columns.count else {
      throw RequestError(
        .invalidExpression,
        "`\(context.node.key)` can't repeat while it reads the record above in this way: leave out `../`",
        at: context.node.origin)
    }
  }
}
