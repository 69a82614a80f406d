import KindredBackend
import KindredOutput
import KindredPlanning
import KindredPostgreSQL
import KindredSQLSyntax

extension PostgreSQLWriteTransaction: StatementGroups {
  var groups: (any StatementGroups)? { self }

  var largestGroup: Int { Self.largestGroup.count }

  func rows(of statements: [BoundStatement]) throws -> [[[SQLValue]]] {
    guard statements.count > 1 else {
      return try statements.map { try self.rows(of: $0.statement, $0.parameters) }
    }
    var rows: [[[SQLValue]]] = []
    rows.reserveCapacity(statements.count)
    var group: [Query] = []
    var size = 0
    func runGroup() throws {
      rows += try changing { try run(group) }.map { Rows($0).valuesOfChange }
      (group, size) = ([], 0)
    }
    for bound in statements {
      let statement = bound.statement
      group.append(try Query(statement.text.sql, statement.bindings, bound.parameters, below: []))
      size += group.last?.size ?? 0
      if group.count >= Self.largestGroup.count || size >= Self.largestGroup.size { try runGroup() }
    }
    if !group.isEmpty { try runGroup() }
    return rows
  }

  func undoingFailure<Result>(_ body: () throws -> Result) throws -> Result {
    // What has been put off isn't a part of it.
    try insert()
    let name = savepointName()
    let begin = Self.savepoint(name)
    marks.append(begin)
    do {
      let result = try body()
      try insert()
      if marks.contains(begin) { marks.removeAll { $0 == begin } } else { marks.append(Self.release(name)) }
      return result
    } catch {
      (insertions, insertionsSize) = ([], 0)
      guard isOpen else { throw error }
      if marks.contains(begin) { marks.removeAll { $0 == begin } } else { undo(name) }
      throw error
    }
  }

  func readEach(
    of plan: ExecutablePlan, _ parameters: [Parameters],
    _ take: (_ number: Int, _ part: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    guard parameters.count > 1, let batch = plan.plan.nodes.first?.batch, plan.plan.searches.isEmpty else {
      return try readOneByOne(of: plan, parameters, take)
    }
    var size = AnswerBatchSize(largest: Self.largestGroup.count)
    var rest = parameters[...]
    while !rest.isEmpty {
      let start = rest.startIndex
      let records = try KeyedRecords(plan, batch, rest.prefix(size.count), in: self)
      var length = 0
      try records.read { number, part in
        length += part?.count ?? 0
        try take(start + number, part)
      }
      rest = rest.dropFirst(size.count)
      size.adapt(toBytes: length)
    }
  }
}

/// How many records of an answer are read at once: few at first, and then about as many as make up 1 MiB.
///
/// The rows of a statement are in memory before the length of the answer is known.
private struct AnswerBatchSize {
  private(set) var count = 16
  private let largest: Int

  private static let bytes = 1 << 20

  init(largest: Int) { self.largest = largest }

  /// Adapts the number to the length of the answer for as many records.
  mutating func adapt(toBytes length: Int) {
    count = max(1, min(largest, count * 4, count * Self.bytes / max(1, length)))
  }
}
