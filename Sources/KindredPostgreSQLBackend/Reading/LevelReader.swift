import KindredModel
import KindredPlanning
import KindredOutput
import KindredPostgreSQL
import KindredSQLSyntax

/// Reads the levels below the root's rows: all nodes of a level in one round trip, each by one statement for all
/// parent records.
///
/// If that gives more rows than may be held in memory, only some of the parent records are read at once, or, of a
/// single one, only some of its rows.
final class LevelReader {
  /// Runs statements in one round trip; `isLast` tells that none follow, unless a result has too many rows.
  typealias Run = (_ queries: [Query], _ isLast: Bool) throws -> [QueryResult]

  let plan: ExecutablePlan
  private let parameters: Parameters
  /// For each node its child nodes.
  private let children: [[Int]]
  /// For each node the values that are read from its parent records: first for its own statement, then for those
  /// below it.
  private let inputs: [[SQL.Binding]]
  /// For each recursive node the offset and the limit of its records.
  private let pages: [(offset: Int, limit: Int)]
  /// For each node the number of parent records that are read at once.
  private var windows: [Int]
  /// The maximum number of rows of a node that are held in memory.
  private var largest: Int { sizes.level }
  private let sizes: BatchSizes
  private let cursorName: () -> String
  /// The statements that close cursors, to be sent with the next ones.
  private var closings: [Query] = []
  /// Whether the first rows of the root, with everything below them, are the whole result.
  private(set) var isComplete = true

  /// Creates a reader for a plan with these parameter values.
  ///
  /// - Parameter cursorName: Returns a name for a cursor that is unique in the transaction.
  init(
    _ plan: ExecutablePlan, _ parameters: Parameters, _ sizes: BatchSizes,
    cursorName: @escaping () -> String
  ) throws {
    self.sizes = sizes
    self.cursorName = cursorName
    windows = Array(repeating: .max, count: plan.nodeCount)
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

  /// Whether there are no levels below the root.
  var readsRootOnly: Bool { children.first?.isEmpty ?? true }

  /// Returns the parent record of the root, which consists of the rows of the path.
  func path(_ rows: [Rows]) -> Ordinals {
    var path = Ordinals(inputs: inputs[0])
    for binding in inputs[0] {
      guard case .ancestor(let level, let column) = binding, level <= rows.count else {
        path.append(nil)
        continue
      }
      path.append(rows[rows.count - level].result.value(0, column))
    }
    _ = path.endRecord(origin: nil)
    return path
  }

  /// Reads the levels below a level, as far as they are not too large to be held in memory.
  func read(below level: Level, _ run: Run) throws {
    var wave = [level]
    while !wave.isEmpty {
      var reads: [Read] = []
      var partial: [(child: Int, level: Level)] = []
      for level in wave {
        for child in children[level.node] where continues(with: child, below: level) {
          if windows[child] == 0 {
            level.set(.later, of: child)
            partial.append((child, level))
          } else {
            reads.append(try read(of: child, below: level, places: 0..<min(level.count, windows[child])))
          }
        }
      }
      wave = []
      let isLast =
        isComplete && partial.isEmpty && reads.allSatisfy { $0.isWhole && children[$0.node].isEmpty }
      for (read, result) in zip(reads, try self.run(reads.map(\.query), isLast: isLast, run)) {
        if let level = try take(result, of: read) {
          wave.append(level)
          if !read.isWhole { partial.append((read.node, read.parent)) }
        } else {
          narrow(read)
          read.parent.set(.later, of: read.node)
          partial.append((read.node, read.parent))
        }
      }
      if !partial.isEmpty { isComplete = false }
      try showCounts(of: partial, run)
    }
  }

  /// Reads a child and the levels below it for the parent record at a place, and for as many after it as can be held in
  /// memory.
  func read(_ child: Int, below level: Level, from place: Int, _ run: Run) throws {
    while true {
      let end = min(level.count, place + max(1, min(windows[child], level.count)))
      let read = try read(of: child, below: level, places: place..<end)
      if read.places.count == 1, windows[child] == 0, !plan.nodes[child].isRecursive {
        return try open(read, run)
      }
      if let made = try take(self.run([read.query], isLast: false, run)[0], of: read) {
        return try self.read(below: made, run)
      }
      narrow(read)
    }
  }

  /// Creates the level of a result; nil if it has too many rows.
  private func take(_ result: QueryResult, of read: Read) throws -> Level? {
    guard !read.isLimited || result.rowCount <= largest else { return nil }
    let level = level(of: Rows(result), read)
    if plan.nodes[read.node].isRecursive { leaveOut(of: level) }
    read.parent.set(
      Level.Child(level: level, first: read.places.lowerBound, ordinals: read.ordinals), of: read.node)
    if read.isWhole { try showCounts(of: level, in: read) }
    if windows[read.node] != .max, result.rowCount < largest / 2 {
      windows[read.node] = min(max(1, windows[read.node]) * 2, Self.largestWindow)
    }
    return level
  }

  private static let largestWindow = 1 << 20

  /// Makes the next read of a node cover fewer parent records; 0 means that the rows of one must be read in parts.
  private func narrow(_ read: Read) { windows[read.node] = read.places.count / 2 }

  private func level(of rows: Rows, _ read: Read) -> Level {
    Level(
      node: read.node, recursionLevel: read.recursionLevel, rows: rows, link: read.link, above: read.records,
      parent: read.parent, nodeCount: plan.nodeCount)
  }

  // MARK: Parts

  /// Reads the first rows of a single parent record.
  private func open(_ read: Read, _ run: Run) throws {
    var cursor = RowCursor(name: cursorName(), sizes)
    let rows = Rows(try self.run([cursor.declaration(read.query), cursor.fetch], isLast: false, run)[1])
    let level = level(of: rows, read)
    read.parent.set(
      Level.Child(level: level, first: read.places.lowerBound, ordinals: read.ordinals), of: read.node)
    try add(&cursor, to: level, read, run)
    // The parent records after it may have fewer.
    windows[read.node] = 1
  }

  /// Returns the level of the next rows of the parent record that a level belongs to.
  func more(of level: Level, _ run: Run) throws -> Level? {
    guard let rest = level.rest, let parent = level.parent else { return nil }
    level.rest = nil
    var cursor = rest.cursor
    cursor.adapt(toBytes: level.rows.size * Self.partsInMemory)
    // The writer frees the previous rows when it continues; if the record is visited again, they are read again.
    parent.set(.later, of: level.node)
    let rows = Rows(try self.run([cursor.fetch], isLast: false, run)[0])
    let next = self.level(of: rows, rest.read)
    try add(&cursor, to: next, rest.read, run)
    return next
  }

  private func add(_ cursor: inout RowCursor, to level: Level, _ read: Read, _ run: Run) throws {
    if level.rows.count < cursor.size {
      closings.append(cursor.closing)
    } else {
      level.rest = LevelCursor(cursor: cursor, read: read)
    }
    try self.read(below: level, run)
  }

  /// Reads the rows below the root that a writer needs to go on.
  func clear(
    _ obstacle: LevelRowSource.Obstacle, of writer: inout ResultWriter<LevelRowSource>, _ run: Run
  ) throws {
    switch obstacle {
    case .needsRows: break
    case .needsMore(let level):
      if let next = try more(of: level, run) { writer.goOn(with: next) }
    case .needsLevel(let child, let level, let place):
      try read(child, below: level, from: place, run)
    }
  }

  /// The number of parts that may be in memory at once: one for each level of nodes, and some for the levels below.
  private static let partsInMemory = 8

  /// Runs statements, after the statements that close cursors.
  func run(_ queries: [Query], isLast: Bool, _ run: Run) throws -> [QueryResult] {
    guard !queries.isEmpty else { return [] }
    guard !closings.isEmpty else { return try run(queries, isLast) }
    let results = try run(closings + queries, isLast)
    defer { closings = [] }
    return Array(results.dropFirst(closings.count))
  }

  // MARK: Statements

  /// A statement that reads a node.
  struct Read {
    let node: Int
    let recursionLevel: Int
    /// The level of the parent records, which holds the one that is read.
    unowned let parent: Level
    /// The places of the parent level.
    let places: Range<Int>
    let records: Ordinals
    let ordinals: [Int32]
    let query: Query
    let link: Plan.Link
    /// Whether the statement returns no more rows than can be held, and one.
    let isLimited: Bool

    /// Whether it reads the rows of all records of the parent level.
    var isWhole: Bool { places.count == parent.count }
  }

  /// Returns whether there is a level of the child; not if there are no parent records, or the recursion ends.
  private func continues(with child: Int, below level: Level) -> Bool {
    level.count > 0
      && (!repeats(level, child) || level.recursionLevel < Int(plan.nodes[level.node].levels))
  }

  private func repeats(_ level: Level, _ child: Int) -> Bool {
    Int(plan.nodes[level.node].repetition) == child
  }

  /// Returns the statement that reads a child for some places of a level.
  func read(of child: Int, below level: Level, places: Range<Int>) throws -> Read {
    let node = plan.nodes[child]
    let recursionLevel = node.isRecursive ? repeats(level, child) ? level.recursionLevel + 1 : 1 : 0
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
    ordinals.reserveCapacity(places.count)
    var ordinal = places.isEmpty ? 0 : level.ordinal(of: places.lowerBound)
    for place in places {
      while level.range(of: ordinal).upperBound <= place { ordinal += 1 }
      let row = level.row(at: place)
      for source in sources {
        if let column = source.column {
          records.append(level.rows.result.value(row, column))
        } else if let input = source.input {
          level.above.withValue(input, of: ordinal) { records.append($0) }
        } else {
          records.append(nil)
        }
      }
      // In a recursion equal records are kept apart, because a record may be its own ancestor on one path only.
      ordinals.append(records.endRecord(origin: node.isRecursive ? place : nil))
    }
    let values = try values(of: batch.statement, for: records)
    // A recursion is read as a whole for each parent record, because its pages are made here.
    let isLimited = !(places.count == 1 && (node.isRecursive || windows[child] == 0))
    let sql = batch.statement.sql
    return Read(
      node: child, recursionLevel: recursionLevel, parent: level, places: places,
      records: records, ordinals: ordinals,
      query: Query(isLimited ? "\(sql) LIMIT \(largest + 1)" : sql, values), link: batch.link,
      isLimited: isLimited)
  }

  /// Returns the values of a statement for many parent records.
  func values(of statement: Plan.Statement, for records: Ordinals) throws -> [[UInt8]?] {
    try statement.bindings.map { binding in
      if case .batch(let input) = binding { return records.array(of: input) }
      return try parameters.text(of: binding)
    }
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

/// A cursor that returns the rows of one parent record, and how it is read.
struct LevelCursor {
  let cursor: RowCursor
  let read: LevelReader.Read
}
