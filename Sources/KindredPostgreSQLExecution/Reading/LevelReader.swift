import KindredAssociations
import KindredOutput
import KindredPostgreSQL
import KindredSQLSyntax

/// Reads the levels below the root's rows: all nodes of a level in one round trip, each by one statement for all
/// parent records.
struct LevelReader {
  private let plan: ExecutablePlan
  private let parameters: Parameters
  /// For each node its child nodes.
  private let children: [[Int]]
  /// For each node the values that are read from its parent records: first for its own statement, then for those
  /// below it.
  private let inputs: [[SQL.Binding]]
  /// For each recursive node the offset and the limit of its records.
  private let pages: [(offset: Int, limit: Int)]

  /// Creates a reader for a plan with these parameter values.
  init(_ plan: ExecutablePlan, _ parameters: Parameters) throws {
    self.plan = plan
    self.parameters = parameters
    children = (0..<plan.nodeCount).map { node in
      let range = Int(plan.nodes[node].firstInstruction)..<Int(plan.nodes[node].endInstruction)
      var numbers: [Int] = []
      for index in range where plan.instructions[index].operation == .child {
        let child = Int(plan.instructions[index].operand)
        if !numbers.contains(child) { numbers.append(child) }
      }
      return numbers
    }
    inputs = Self.inputs(of: plan.plan, children)
    pages = try plan.plan.nodes.map { node in
      guard let recursion = node.recursion else { return (0, .max) }
      func number(_ binding: SQL.Binding?) throws -> Int? {
        guard let binding, case .integer(let value) = try parameters.value(of: binding) else { return nil }
        return Int(value)
      }
      return (try number(recursion.offset) ?? 0, try number(recursion.limit) ?? .max)
    }
  }

  /// A statement reads values of more distant ancestors by way of its parent's statement, which is given them as
  /// well.
  private static func inputs(of plan: Plan, _ children: [[Int]]) -> [[SQL.Binding]] {
    var inputs = plan.nodes.map { $0.batch?.columns ?? [] }
    var isComplete = false
    while !isComplete {
      isComplete = true
      for (node, below) in children.enumerated() {
        for binding in below.flatMap({ inputs[$0] }) {
          guard case .ancestor(let level, let column) = binding, level > 1 else { continue }
          let wanted = SQL.Binding.ancestor(level: level - 1, column: column)
          guard !inputs[node].contains(wanted) else { continue }
          inputs[node].append(wanted)
          isComplete = false
        }
      }
    }
    return inputs
  }

  /// Returns the parent record of the root, which consists of the rows of the path.
  func path(_ rows: [Rows]) -> Ordinals {
    var path = Ordinals(inputs: inputs[0])
    let values = inputs[0].map { binding -> [UInt8]? in
      guard case .ancestor(let level, let column) = binding, level <= rows.count else { return nil }
      return rows[rows.count - level].value(0, column)
    }
    _ = path.number(of: values, origin: nil)
    return path
  }

  /// Reads all levels below the root's rows.
  func read(below root: Level, _ run: ([Query]) throws -> [QueryResult]) throws {
    var wave = [root]
    while !wave.isEmpty {
      var reads: [Read] = []
      for level in wave {
        for child in children[level.node] {
          if let read = try read(of: child, below: level) { reads.append(read) }
        }
      }
      wave = []
      guard !reads.isEmpty else { return }
      let results = try run(reads.map(\.query))
      for (read, result) in zip(reads, results) {
        let level = Level(
          node: read.node, recursionLevel: read.recursionLevel, rows: Rows(result), link: read.link,
          above: read.records, parent: read.parent, nodeCount: plan.nodeCount)
        if plan.nodes[read.node].isRecursive { leaveOut(of: level) }
        read.parent.set(Level.Child(level: level, ordinals: read.ordinals), of: read.node)
        wave.append(level)
      }
    }
  }

  /// A statement that reads a node.
  private struct Read {
    let node: Int
    let recursionLevel: Int
    let parent: Level
    let records: Ordinals
    let ordinals: [Int32]
    let query: Query
    let link: Plan.Link
  }

  /// Returns the statement that reads a child; nil if there are no parent records, or the recursion ends.
  private func read(of child: Int, below level: Level) throws -> Read? {
    let node = plan.nodes[child]
    let repeats = Int(plan.nodes[level.node].repetition) == child
    let recursionLevel = node.isRecursive ? repeats ? level.recursionLevel + 1 : 1 : 0
    guard level.count > 0, !repeats || recursionLevel <= Int(plan.nodes[level.node].levels) else {
      return nil
    }
    guard let batch = plan.plan.nodes[child].batch else {
      throw RequestError(
        .invalidExpression, "`\(plan.plan.nodes[child].name)` can't be read from PostgreSQL in this form")
    }
    var records = Ordinals(inputs: inputs[child])
    // Each input comes from a column of the parent's row, or from an input of the parent's level.
    let sources = inputs[child].map { binding -> (column: Int?, input: Int?) in
      guard case .ancestor(let number, let column) = binding else { return (nil, nil) }
      if number == 1 { return (column, nil) }
      return (nil, inputs[level.node].firstIndex(of: .ancestor(level: number - 1, column: column)))
    }
    var ordinals: [Int32] = []
    ordinals.reserveCapacity(level.count)
    for ordinal in 0..<level.above.count {
      for place in level.range(of: ordinal) {
        let row = level.row(at: place)
        let values = sources.map { source -> [UInt8]? in
          if let column = source.column { return level.rows.value(row, column) }
          return source.input.flatMap { level.above.value($0, of: ordinal) }
        }
        // In a recursion equal records are kept apart, because a record may be its own ancestor on one path only.
        ordinals.append(records.number(of: values, origin: node.isRecursive ? place : nil))
      }
    }
    let values = try batch.statement.bindings.map { binding -> [UInt8]? in
      if case .batch(let input) = binding { return records.array(of: input) }
      return try parameters.text(of: binding)
    }
    return Read(
      node: child, recursionLevel: recursionLevel, parent: level, records: records, ordinals: ordinals,
      query: Query(batch.statement.sql, values), link: batch.link)
  }

  // MARK: Recursion

  /// Removes the records that are their own ancestors, and those outside the page of each parent record.
  private func leaveOut(of level: Level) {
    let page = pages[level.node]
    level.keep { ordinal, places in
      var left: [Int] = []
      var skipped = 0
      for place in places where left.count < page.limit {
        if isOwnAncestor(level.row(at: place), ordinal, of: level) { continue }
        if skipped < page.offset {
          skipped += 1
        } else {
          left.append(place)
        }
      }
      return left
    }
  }

  private func isOwnAncestor(_ row: Int, _ ordinal: Int, of level: Level) -> Bool {
    guard let recursion = plan.plan.nodes[level.node].recursion else { return false }
    var (below, record) = (level, ordinal)
    while let above = plan.plan.nodes[below.node].recursion, let parent = below.parent {
      let place = Int(below.above.origins[record])
      let parentRow = parent.row(at: place)
      let matches = zip(recursion.identity, above.baseIdentity).allSatisfy { own, other in
        level.rows.hasSame(row, own, as: parent.rows, parentRow, other)
      }
      if matches { return true }
      if below.recursionLevel == 1 { return false }
      (below, record) = (parent, parent.ordinal(of: place))
    }
    return false
  }
}

extension Rows {
  /// Returns the bytes of a value; nil for NULL.
  func value(_ row: Int, _ column: Int) -> [UInt8]? {
    result.isNull(row, column) ? nil : Array(result.bytes(row, column))
  }

  /// Returns whether two values are equal and not NULL.
  func hasSame(_ row: Int, _ column: Int, as other: Rows, _ otherRow: Int, _ otherColumn: Int) -> Bool {
    !result.isNull(row, column) && !other.result.isNull(otherRow, otherColumn)
      && result.bytes(row, column).elementsEqual(other.result.bytes(otherRow, otherColumn))
  }
}
