import CKindredSQLite
import KindredModel
import KindredPlanning
import KindredClock
import KindredOutput
import KindredSQLite
import KindredSQLSyntax

/// Runs a plan: prepares and binds its statements, and writes the tree of nested cursors part by part.
public final class PlanExecutor {
  let executable: ExecutablePlan
  let connection: Connection
  var parameters: Parameters
  /// The time of the page and those after it, in milliseconds since 1970; nil unless the plan reads the clock.
  let time: Int64?
  // Single-owner and non-reentrant, so exclusivity checks are off.
  @exclusivity(unchecked) private var writer: ResultWriter<SQLiteRowSource>
  /// The statements of the path and, after them, of each node outside of recursions; nil until they are needed.
  ///
  /// The connection keeps them for the next result of the plan, so that they aren't looked up by their texts again.
  @exclusivity(unchecked) private var statements: [Statement?]
  /// The statements of the levels of recursions.
  @exclusivity(unchecked) private var repeated: [Statement] = []
  @exclusivity(unchecked) private var hasHandedOut = false

  /// The cursor of the page's last record, if the page has a limit and is full.
  public private(set) var lastCursor: Cursor?

  /// The maximum size of a part of a result in bytes, without its last value.
  public static var partSize: Int { OutputMemory.partSize }

  /// - Parameter limit: The maximum number of records of the page.
  public init(
    _ executable: ExecutablePlan, on connection: Connection, parameters: Parameters,
    limit: Int? = nil
  ) {
    self.executable = executable
    self.connection = connection
    self.parameters = parameters
    time = executable.readsClock ? parameters.cursor?.time ?? CalendarTime.milliseconds : nil
    self.parameters.time = time.map(CalendarTime.text)
    writer = ResultWriter(executable, limit: limit, SQLiteRowSource(executable))
    statements =
      connection.cached(ofPlan: executable.number)
      ?? Array(repeating: nil, count: executable.plan.path.count + executable.nodeCount)
  }

  /// Returns the statements to the connection's cache.
  public func close() {
    guard !statements.isEmpty else { return }
    writer.removeAll()
    for statement in repeated { connection.release(statement) }
    repeated.removeAll()
    connection.release(statements, ofPlan: executable.number)
    statements.removeAll()
  }

  /// Runs the statements of the path, and the root's up to its first row.
  ///
  /// - Throws: `RequestError` (`notFound`) if a record of the path or a single requested record does not exist;
  ///   `DatabaseError`.
  public func start() throws {
    try findPath()
    try startRoot()
  }

  /// Runs the statements of the path.
  ///
  /// - Throws: `RequestError` (`notFound`) if a record of the path does not exist; `DatabaseError`.
  func findPath() throws {
    for (number, step) in executable.plan.path.enumerated() {
      let statement = try statement(number, StatementText(step.statement.sql))
      try bind(step.statement.constants, to: statement)
      for ancestor in step.statement.ancestors {
        try check(
          sqlite3_bind_value(
            statement.handle, ancestor.parameter,
            sqlite3_column_value(handle(writer.count - Int(ancestor.level)), ancestor.column)))
      }
      guard try statement.step() else { throw RequestError(.notFound, step.absence) }
      writer.push(SQLiteRowSource.Position(statement: statement.handle), node: -1)
    }
    try setPages()
    if let anchor = executable.plan.anchor { parameters.cursor = try whole(parameters.cursor, by: anchor) }
  }

  /// Runs the root's statement up to its first row, below the records of the path.
  func startRoot() throws {
    let root = try prepare(0, recursionLevel: 0).handle
    try check(writer.source.bind(root, 0, below: writer.frames, writer.count))
    writer.begin(SQLiteRowSource.Position(statement: root))
    if case .obstacle(.failed(let code)) = writer.nextRow() { throw connection.error(code) }
    guard !writer.isFinished || !executable.plan.isSingle else {
      throw RequestError(.notFound, executable.plan.absence)
    }
  }

  private func setPages() throws {
    for number in 0..<executable.nodeCount where executable.nodes[number].isRecursive {
      guard let recursion = executable.statements[number].recursion else { continue }
      var page = SQLiteRowSource.Page()
      if let limit = recursion.limit, let value = try parameters.value(of: limit).integer {
        page.limit = Int(value)
      }
      if let offset = recursion.offset, let value = try parameters.value(of: offset).integer {
        page.offset = Int(value)
      }
      writer.source.setPage(page, of: number)
    }
  }

  /// Returns the next part of the result, which is valid until the next call; nil at the end.
  public func next() throws -> UnsafeRawBufferPointer? {
    if hasHandedOut { writer.output.removeAll() }
    hasHandedOut = true
    // A row may have any length, and SQLite checks the time only while it searches for the next row.
    try connection.checkInterruption()
    loop: while true {
      switch writer.run() {
      case .full, .finished: break loop
      case .lastRecord: lastCursor = cursor()
      case .obstacle(.unprepared(let node, let recursionLevel)):
        writer.source.set(
          try prepare(node, recursionLevel: recursionLevel).handle, of: node, recursionLevel: recursionLevel)
      case .obstacle(.failed(let code)): throw connection.error(code)
      }
    }
    return writer.output.count > 0 ? writer.output.bytes : nil
  }

  /// The first column of the root's row if it is a BLOB.
  var firstBlob: [UInt8]? {
    let root = handle(writer.count - 1)
    guard case .blob(let bytes) = statement(of: root)?.value(0) else { return nil }
    return bytes
  }

  /// Transfers the part that was read last with its memory.
  public func takePart() -> ResultPart { writer.output.takePart() }

  /// Whether the last part has been read.
  public var isAtEnd: Bool { writer.isFinished }

  /// Whether records follow the last one of the page.
  public var hasMore: Bool { writer.hasMore }

  private func cursor() -> Cursor? {
    let root = handle(writer.count - 1)
    guard let columns = executable.plan.cursorColumns, let open = statement(of: root) else { return nil }
    return Cursor(values: columns.map { open.cursorValue(Int32($0)) })
  }

  // MARK: Statements

  /// Returns the statement of a frame; the outermost has index 0.
  private func handle(_ index: Int) -> OpaquePointer { writer.frames[index].position.statement }

  private func statement(of handle: OpaquePointer) -> Statement? {
    statements.lazy.compactMap(\.self).first { $0.handle == handle }
  }

  /// Returns one of the kept statements, which is prepared if there is none.
  ///
  /// - Parameter text: Computed only then, as it has a hash.
  private func statement(_ number: Int, _ text: @autoclosure () -> StatementText) throws -> Statement {
    if let kept = statements[number] { return kept }
    let statement = try connection.cached(text())
    statements[number] = statement
    return statement
  }

  private func prepare(_ node: Int32, recursionLevel: Int32) throws -> Statement {
    let text = executable.statements[Int(node)].text
    let prepared: Statement
    if recursionLevel == 0 {
      prepared = try statement(executable.plan.path.count + Int(node), text)
    } else {
      prepared = try connection.cached(text)
      repeated.append(prepared)
    }
    try bind(executable.statements[Int(node)].constants, to: prepared)
    return prepared
  }

  /// Binds a statement that, like the root's, has the rows of the path as its ancestors.
  func bind(_ beside: Plan.Statement, to statement: Statement) throws {
    try bind(beside, to: statement, parameters)
  }

  func bind(_ beside: Plan.Statement, to statement: Statement, _ parameters: Parameters) throws {
    for constant in beside.constants {
      try parameters.bind(constant.binding, at: constant.parameter, to: statement)
    }
    let path = executable.plan.path.count
    for ancestor in beside.ancestors {
      let above = handle(path - Int(ancestor.level))
      try check(
        sqlite3_bind_value(
          statement.handle, ancestor.parameter, sqlite3_column_value(above, ancestor.column)))
    }
  }

  private func bind(_ constants: [ExecutablePlan.Constant], to statement: Statement) throws {
    for constant in constants {
      try parameters.bind(constant.binding, at: constant.parameter, to: statement)
    }
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}
