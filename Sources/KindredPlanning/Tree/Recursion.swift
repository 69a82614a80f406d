import KindredModel
import KindredSQLSyntax

/// A recursive node while its select is built.
final class RecursionContext {
  let node: RequestNode
  /// The record of the level above, or for the first level, the one that the recursion starts from.
  let base: StatementRecord
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

  init(node: RequestNode, base: StatementRecord) {
    self.node = node
    self.base = base
  }

  /// Notes that the column is read by a statement below.
  func note(_ column: Int, _ read: Read) {
    if isRepeated { reads.append((column, read)) }
  }
}

extension ContentBuilder {
  /// Adds the member for the next level to the record of a recursive node.
  mutating func addRepetition(
    of resolved: ResolvedNode, in record: StatementRecord, to members: inout [RecordShape.Member]
  ) throws {
    guard let context = record.recursion, let next = resolved.repetition, let levels = resolved.node.recursion
    else { return }
    let (node, base) = (resolved.node, context.base)
    let identity = record.table.distinguishingColumns.map {
      record.statement.column(record.column($0.name, in: record.statement))
    }
    let baseIdentity = base.table.distinguishingColumns.map {
      base.statement.column(base.column($0.name, in: base.statement))
    }
    var repetition = number
    if case .level(let next) = next {
      context.isRepeated = true
      defer { context.isRepeated = false }
      repetition = try add(next, below: record, isRepetition: true)
    }
    members.append(
      RecordShape.Member(
        name: node.key, shape: .child(node: repetition), isRepetition: true, place: resolved.place(of: node)))
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
