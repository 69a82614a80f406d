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
  /// Whether the second level is being planned, below this one.
  var isRepeated = false
  /// What the second level and those below it read of the first level's record: its column, and how the same is read
  /// of any level's.
  private(set) var reads: [(column: Int, expression: (Scope) throws -> SQL)] = []

  /// Notes that the column is read by a statement below.
  func note(_ column: Int, _ expression: @escaping (Scope) throws -> SQL) {
    if isRepeated { reads.append((column, expression)) }
  }

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
    _ context: RecursionContext, in scope: Scope, _ shape: RecordShapeBuilder, name: String
  ) throws {
    let (node, base) = (context.node, context.base)
    guard let levels = node.recursion else { return }
    let identity = scope.identityColumns.map {
      scope.statement.column(scope.column($0.name, in: scope.statement))
    }
    let baseIdentity = base.identityColumns.map {
      base.statement.column(base.column($0.name, in: base.statement))
    }
    var repetition = context.number
    if !context.isRepetition, levels > 1 {
      var next = node
      next.isRequired = false
      context.isRepeated = true
      defer { context.isRepeated = false }
      repetition = try planNested(next, below: scope, hops: [], name: name, isRepetition: true)
    }
    try shape.reserve(node.key, at: node.origin)
    shape.add(node.key, .child(node: repetition), isRepetition: true)
    context.result = Plan.Recursion(
      levels: levels, identity: identity, baseIdentity: baseIdentity, repetition: repetition,
      limit: node.limit.map { .parameter($0) }, offset: node.offset.map { .parameter($0) })
  }

  /// Makes the statement of the second level fit to be the one above itself: what it and the statements below it read
  /// of the first level, they must find at the same places in its own columns.
  func alignRepetition(of record: Scope) throws {
    guard let context = record.recursion, let first = context.base.recursion else { return }
    var number = 0
    // What is read further above adds to it.
    while number < first.reads.count {
      let read = first.reads[number]
      number += 1
      guard record.statement.place(try read.expression(record), at: read.column) else {
        throw RequestError(
          .invalidExpression,
          "`\(context.node.key)` can't repeat while it reads the record above in this way: leave out `../`",
          at: context.node.origin)
      }
    }
  }
}
