import CKindredSQLite
import KindredAssociations
import KindredSQLite
import KindredSQLSyntax

/// Runs a plan: the tree of nested cursors, written down as it is read.
///
/// The stack of cursors is a value of its own and not the program's, so that reading can stop after any row until the
/// reader of the result has taken what there is.
public final class PlanExecutor {
  let executable: ExecutablePlan
  let connection: Connection
  let parameters: Parameters
  let output: OutputBuffer
  /// Rows of the root at most; one more is read to tell whether more follow.
  let limit: Int?

  /// Whether records follow the last one of the page.
  public private(set) var hasMore = false
  /// The cursor of the page's last record, where a page has a limit and is full.
  public private(set) var lastCursor: Cursor?

  private var frames: [Frame] = []
  /// Statements in use, by depth of the stack and node.
  private var statements: [Int: Statement] = [:]
  private var isFinished = false

  /// A statement that is being read.
  private struct Frame {
    var node: Int
    var statement: OpaquePointer
    var instruction = 0
    var rows = 0
    /// Whether a row is being written, and not one to be read.
    var isInRow = false
    /// How often the node has repeated, from 1.
    var recursionLevel = 0
  }

  public init(
    _ executable: ExecutablePlan, on connection: Connection, parameters: Parameters,
    limit: Int? = nil, bufferSize: Int = 64 << 10
  ) {
    self.executable = executable
    self.connection = connection
    self.parameters = parameters
    self.limit = limit
    output = OutputBuffer(capacity: bufferSize + bufferSize / 4)
  }

  /// Gives the statements back to the connection.
  public func close() {
    frames.removeAll()
    for statement in statements.values { connection.release(statement) }
    for statement in pathStatements { connection.release(statement) }
    statements.removeAll()
    pathStatements.removeAll()
    isFinished = true
  }

  private var pathStatements: [Statement] = []

  // MARK: Starting

  /// Runs the statements of the path, and the root's to its first row.
  ///
  /// - Throws: `RequestError` (`notFound`) where the path or a single record leads nowhere; `DatabaseError`.
  public func start() throws {
    for step in executable.plan.path {
      let statement = try connection.cached(step.statement.sql)
      pathStatements.append(statement)
      try bind(step.statement.constants, to: statement)
      try bind(step.statement.ancestors, to: statement.handle)
      guard try statement.step() else { throw RequestError(.notFound, step.absence) }
      frames.append(Frame(node: -1, statement: statement.handle))
    }
    try push(0)
    append(executable.nodes[0].frame.opening)
    try nextRow(frames.count - 1)
    guard !isFinished || !executable.plan.isSingle else {
      throw RequestError(.notFound, executable.plan.absence)
    }
  }

  private func finish() {
    append(executable.nodes[0].frame.closing)
    isFinished = true
  }

  // MARK: Reading

  /// The next part of the result, of about `size` bytes; valid until the next call, nil at the end.
  public func next(upTo size: Int = 64 << 10) throws -> UnsafeRawBufferPointer? {
    if hasHandedOut { output.removeAll() }
    if !isFinished { try run(upTo: size) }
    hasHandedOut = true
    return output.count > 0 ? output.bytes : nil
  }

  private var hasHandedOut = false

  /// Whether the last part has been read.
  public var isAtEnd: Bool { isFinished }

  private func run(upTo size: Int) throws {
    try executable.text.withUnsafeBufferPointer { text in
      guard let text = text.baseAddress ?? UnsafePointer(output.base) else { return }
      while !isFinished {
        let top = frames.count - 1
        if !frames[top].isInRow {
          try nextRow(top)
          if output.count >= size { return }
        } else {
          try writeRow(top, text)
        }
      }
    }
  }

  /// Reads the next row of the cursor on top of the stack, or ends it.
  private func nextRow(_ top: Int) throws {
    let node = executable.nodes[frames[top].node]
    let isRoot = frames[top].node == 0
    // One row is all there is of a to-one association.
    guard node.isToMany || frames[top].rows == 0, try step(frames[top].statement) else {
      return end(top, node, isRoot: isRoot)
    }
    if let recursion = node.recursion, isOwnAncestor(top, recursion) {
      return
    }
    if isRoot, let limit, frames[top].rows >= limit {
      hasMore = true
      return end(top, node, isRoot: true)
    }
    if frames[top].rows > 0 {
      append(node.frame.separator)
    }
    frames[top].rows += 1
    frames[top].instruction = 0
    frames[top].isInRow = true
  }

  private func end(_ top: Int, _ node: ExecutablePlan.Node, isRoot: Bool) {
    sqlite3_reset(frames[top].statement)
    if isRoot {
      frames.removeLast()
      finish()
      return
    }
    if node.isToMany {
      append(node.frame.closing)
    } else if frames[top].rows == 0 {
      append(node.frame.missing)
    }
    frames.removeLast()
  }

  /// Writes the row of the cursor on top of the stack, up to its end or to a cursor of its own.
  private func writeRow(_ top: Int, _ text: UnsafePointer<UInt8>) throws {
    let node = executable.nodes[frames[top].node]
    let statement = frames[top].statement
    var index = frames[top].instruction
    try node.instructions.withUnsafeBufferPointer { instructions in
      while index < instructions.count {
        let instruction = instructions[index]
        index += 1
        switch instruction.operation {
        case .value, .boolean, .json:
          output.append(instruction.prefix, of: text)
          output.append(column: instruction.operand, of: statement, as: instruction.operation)
        case .text:
          output.append(instruction.prefix, of: text)
        case .optional:
          output.append(instruction.prefix, of: text)
          if sqlite3_column_type(statement, instruction.operand) == SQLITE_NULL {
            output.append(instruction.missing, of: text)
            index = Int(instruction.end)
          }
        case .csvValue, .csvBoolean:
          output.append(instruction.prefix, of: text)
          let isBoolean = instruction.operation == .csvBoolean
          if !output.append(csvColumn: instruction.operand, of: statement, isBoolean: isBoolean) {
            output.append(instruction.missing, of: text)
          }
        case .htmlValue, .htmlBoolean:
          output.append(instruction.prefix, of: text)
          let isBoolean = instruction.operation == .htmlBoolean
          output.append(htmlColumn: instruction.operand, of: statement, isBoolean: isBoolean)
        case .segment:
          output.append(instruction.prefix, of: text)
          output.append(segmentColumn: instruction.operand, of: statement)
        case .child:
          let child = Int(instruction.operand)
          let level = recursionLevel(of: child, below: top)
          if let recursion = node.recursion, child == recursion.repetition, level > recursion.levels {
            continue
          }
          frames[top].instruction = index
          output.append(instruction.prefix, of: text)
          output.append(executable.nodes[child].frame.opening, of: text)
          try push(child)
          frames[top + 1].recursionLevel = level
          return
        }
      }
      frames[top].isInRow = false
      if frames[top].node == 0, let limit, frames[top].rows == limit { lastCursor = cursor(statement) }
    }
  }

  private func append(_ text: ExecutablePlan.Text) {
    executable.text.withUnsafeBufferPointer { all in
      if let start = all.baseAddress { output.append(text, of: start) }
    }
  }

  private func cursor(_ statement: OpaquePointer) -> Cursor? {
    guard let columns = executable.plan.cursorColumns, let open = openStatement(statement) else { return nil }
    return Cursor(values: columns.map { open.value(Int32($0)) })
  }

  private func openStatement(_ handle: OpaquePointer) -> Statement? {
    statements.values.first { $0.handle == handle }
  }

  // MARK: Cursors

  private func push(_ node: Int) throws {
    let slot = frames.count * executable.nodes.count + node
    let statement: Statement
    if let open = statements[slot] {
      statement = open
    } else {
      statement = try connection.cached(executable.nodes[node].sql)
      statements[slot] = statement
      try bind(executable.nodes[node].constants, to: statement)
    }
    try bind(executable.nodes[node].ancestors, to: statement.handle)
    frames.append(Frame(node: node, statement: statement.handle))
  }

  /// Binds a statement that stands beside the root's: the rows of the path are above it.
  func bind(_ beside: Plan.Statement, to statement: Statement) throws {
    try bind(beside.constants, to: statement)
    let path = executable.plan.path.count
    for ancestor in beside.ancestors {
      let above = frames[path - ancestor.level].statement
      let code = sqlite3_bind_value(
        statement.handle, ancestor.parameter, sqlite3_column_value(above, ancestor.column))
      guard code == SQLITE_OK else { throw connection.error(code) }
    }
  }

  private func bind(_ constants: [ExecutablePlan.Constant], to statement: Statement) throws {
    for constant in constants {
      try statement.bind(try parameters.value(of: constant.binding), at: constant.parameter)
    }
  }

  /// The columns of the rows above go from SQLite to SQLite.
  private func bind(_ ancestors: [ExecutablePlan.Ancestor], to statement: OpaquePointer) throws {
    for ancestor in ancestors {
      let above = frames[frames.count - ancestor.level].statement
      let code = sqlite3_bind_value(
        statement, ancestor.parameter, sqlite3_column_value(above, ancestor.column))
      guard code == SQLITE_OK else { throw connection.error(code) }
    }
  }

  private func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw connection.error(code)
    }
  }

  // MARK: Recursion

  private func recursionLevel(of child: Int, below top: Int) -> Int {
    guard executable.nodes[child].recursion != nil else { return 0 }
    let above = frames[top].node
    return executable.nodes[above].recursion?.repetition == child ? frames[top].recursionLevel + 1 : 1
  }

  /// Whether the record on top of the stack is one of those that it is below.
  private func isOwnAncestor(_ top: Int, _ recursion: Plan.Recursion) -> Bool {
    var index = top
    while let above = executable.nodes[frames[index].node].recursion {
      let matches = zip(recursion.identity, above.baseIdentity).allSatisfy { own, other in
        ColumnComparison.isSame(frames[top].statement, Int32(own), frames[index - 1].statement, Int32(other))
      }
      if matches { return true }
      if frames[index].recursionLevel == 1 { return false }
      index -= 1
    }
    return false
  }
}
