import KindredModel
import KindredSQLSyntax

/// A recursive node while its select is built.
final class RecursionContext {
  let node: RequestNode
  /// The record of the level above, or for the first level, the one that the recursion starts from.
  let base: StatementRecord
  /// Whether it is the second level, which repeats itself on all levels below.
  let isRepetition: Bool
  /// Whether the second level is being planned below this one.
  fileprivate(set) var isRepeated = false
  /// The columns of the first level's record that levels below read, and how to read the same from any level's record.
  fileprivate var reads: [(column: Int, read: Read)] = []

  /// How an expression reads a record.
  enum Read {
    case column(String)
    /// - Parameter isInRule: Whether an access rule reads it.
    case path(ResolvedPath, isInRule: Bool)
  }

  init(node: RequestNode, base: StatementRecord, isRepetition: Bool) {
    self.node = node
    self.base = base
    self.isRepetition = isRepetition
  }

  /// Notes that the column is read by a statement below.
  func note(_ column: Int, _ read: Read) {
    if isRepeated { reads.append((column, read)) }
  }
}

extension ContentBuilder {
  /// Adds the member for the next level to the record of a recursive node.
  mutating func addRepetition(
    of context: RecursionContext, in record: StatementRecord, to shape: inout RecordShapeBuilder, name: String
  ) throws {
    let (node, base) = (context.node, context.base)
    guard let levels = node.recursion else { return }
    let identity = record.identityColumns.map {
      record.statement.column(record.column($0.name, in: record.statement))
    }
    let baseIdentity = base.identityColumns.map {
      base.statement.column(base.column($0.name, in: base.statement))
    }
    var repetition = number
    if !context.isRepetition, levels > 1 {
      var next = node
      next.isRequired = false
      context.isRepeated = true
      defer { context.isRepeated = false }
      repetition = try add(next, below: record, hops: [], name: name, isRepetition: true)
    }
    try shape.reserve(node.key, at: node.origin)
    shape.add(node.key, .child(node: repetition), isRepetition: true)
    recursion = Plan.Recursion(
      levels: levels, identity: identity, baseIdentity: baseIdentity, repetition: repetition,
      limit: node.limit.map { .parameter($0) }, offset: node.offset.map { .parameter($0) })
  }
}

extension TreeBuilder {
  /// Aligns the columns of a recursion's second level with those of the first one: since the second level is also its
  /// own parent, it must have everything that is read from the first level at the same position.
  func align(_ record: StatementRecord) throws {
    guard let recursion = record.recursion, let first = recursion.base.recursion else { return }
    var number = 0
    // Reading records further above extends the list.
    while number < first.reads.count {
      let read = first.reads[number]
      number += 1
      let sql = try context.expressions.compile(read.read, in: record)
      guard record.statement.place(sql, at: read.column) else {
        throw RequestError(
          .invalidExpression,
          "`\(recursion.node.key)` can't be recursive if it reads its parent in this way; leave out `../`",
          at: recursion.node.origin)
      }
    }
  }
}
