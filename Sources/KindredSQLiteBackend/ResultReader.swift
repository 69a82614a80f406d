import CKindredSQLite
import KindredModel
import KindredPlanning
import KindredBackend
import KindredClock
import KindredOutput
import KindredSQLite
import KindredSQLSyntax

/// Reads the result of a plan on a connection in a transaction, so that all parts show the same state: prepares and
/// binds its statements, and writes the tree of nested cursors part by part.
public final class ResultReader: ResultSource {
  /// The number of records on all pages; nil unless the plan counts them.
  public private(set) var totalCount: Int64?

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
  /// The bytes of a long BLOB, if they are the result.
  private var bytes: StoredBlobReader?
  /// The cursor of the page's first record; nil if there is none, or no page precedes this one.
  private var firstCursor: Cursor?
  /// The cursor of the page's last record, if the page has a limit and is full, or was found from its end.
  private var lastCursor: Cursor?
  /// Whether records precede the page, and follow it, in the direction in which it was found.
  private var (hasBehind, hasBeyond) = (false, false)
  /// The cursor of the page's last record, if it was looked for before the records were read.
  private var cursorAhead: Cursor??

  /// Creates a reader for the result of a plan with these parameter values.
  ///
  /// - Parameter limit: The maximum number of records of the page.
  public init(
    _ executable: ExecutablePlan, on connection: Connection, parameters: Parameters,
    limit: Int? = nil
  ) {
    self.executable = executable
    self.connection = connection
    self.parameters = parameters
    let isTimed = executable.readsClock && parameters.nameNow(in: executable.plan)
    time = isTimed ? parameters.cursor?.time ?? CalendarTime.milliseconds : nil
    self.parameters.time = time.map(CalendarTime.text)
    writer = ResultWriter(executable, limit: limit, SQLiteRowSource(executable))
    statements =
      connection.cached(ofPlan: executable.number)
      ?? Array(repeating: nil, count: executable.plan.path.count + executable.nodeCount)
  }

  /// Returns the statements to the connection's cache.
  public func close() {
    bytes = nil
    guard !statements.isEmpty else { return }
    writer.removeAll()
    for statement in repeated { connection.release(statement) }
    repeated.removeAll()
    connection.release(statements, ofPlan: executable.number)
    statements.removeAll()
  }

  // MARK: Starting

  /// Reads up to the first record.
  ///
  /// - Parameter isRepeated: Whether another reader of this plan has just filled the transient tables.
  /// - Throws: `RequestError` if a record of the path or a single requested record does not exist, or a full-text
  ///   pattern is malformed; `DatabaseError`.
  public func start(isRepeated: Bool) throws {
    try findPath(isRepeated: isRepeated)
    try startRoot()
  }

  /// Reads up to the first record, after finding the cursor of the page.
  ///
  /// - Throws: like `start`.
  public func startAfterCursor() throws {
    // In another transaction than the try before, with which the transient tables went.
    try findPath(isRepeated: false)
    cursorAhead = .some(try lookAhead())
    try startRoot()
  }

  /// Runs what precedes the root's statement: the checks of patterns, and the statements of the path.
  private func findPath(isRepeated: Bool) throws {
    if !isRepeated { try prepareTransients { $0.parents == nil } }
    for search in executable.plan.searches { try check(search) }
    for (number, step) in executable.plan.path.enumerated() {
      let statement = try statement(number, StatementText(step.statement.sql))
      try bind(step.statement, to: statement, below: writer.count)
      guard try statement.step() else { throw RequestError(.notFound, step.absence) }
      writer.push(SQLiteRowSource.Position(statement: statement.handle), node: -1)
    }
    try setPages()
    if let anchor = executable.plan.anchor { parameters.cursor = try whole(parameters.cursor, by: anchor) }
    // Before the records, so that what sorting takes is free again.
    hasBehind = try executable.plan.behind.map { try first($0) != nil } ?? false
    hasBeyond = try executable.plan.beyond.map { try first($0) != nil } ?? false
    lastCursor = try executable.plan.last.flatMap { try cursors(by: $0, most: 1).first }
    if !isRepeated { try prepareTransients { $0.parents != nil } }
  }

  /// Creates some of the transient tables that the plan's statements read.
  private func prepareTransients(_ isWanted: (TransientTable) -> Bool) throws {
    for transient in executable.plan.transients where isWanted(transient) {
      try TransientTables.refresh(transient, on: connection) { try self.storeParents($0) }
    }
  }

  /// The maximum number of parents for whose keys alone a transient table is filled.
  private static let maximumParents = 1001

  /// Stores the values of columns of the root's rows as the keys of a transient table; returns false if there are too many.
  private func storeParents(_ columns: [Int]) throws -> Bool {
    let root = try prepare(0, recursionLevel: 0)
    return try TransientTables.storeParents(columns, of: root, atMost: Self.maximumParents, on: connection) {
      try check(writer.source.bind(root.handle, 0, below: writer.frames, writer.count))
    }
  }

  /// Runs the root's statement up to its first row, below the records of the path.
  private func startRoot() throws {
    let root = try prepare(0, recursionLevel: 0).handle
    try check(writer.source.bind(root, 0, below: writer.frames, writer.count))
    writer.begin(SQLiteRowSource.Position(statement: root))
    if case .obstacle(.failed(let code)) = writer.nextRow() { throw failure(code) }
    guard !writer.isFinished || !executable.plan.isSingle else {
      throw RequestError(.notFound, executable.plan.absence)
    }
    if !writer.isFinished, hasBehind || hasBeyond { firstCursor = cursor() }
    if let count = executable.plan.count { totalCount = try first(count)?.first.flatMap(\.integer) }
  }

  private func setPages() throws {
    for node in 0..<executable.nodeCount where executable.nodes[node].isRecursive {
      guard let recursion = executable.statements[node].recursion else { continue }
      func number(_ binding: SQL.Binding?) throws -> Int? {
        try binding.flatMap { try parameters.value(of: $0).integer }.map { Int($0) }
      }
      let page = try SQLiteRowSource.Page(
        limit: number(recursion.limit) ?? .max, offset: number(recursion.offset) ?? 0)
      writer.source.setPage(page, of: node)
    }
  }

  /// Creates the transient tables that a plan's statements read.
  ///
  /// - Parameter transients: Not the plan, a copy of which would count references that all threads share.
  public static func prepare(_ transients: [TransientTable], on connection: Connection) throws {
    for transient in transients { try TransientTables.refresh(transient, on: connection) }
  }

  /// Runs a statement that makes SQLite parse a full-text pattern, so that a malformed one is reported before
  /// anything is read.
  private func check(_ search: Plan.SearchCheck) throws {
    try search.check(parameters.value(of: .parameter(search.literal)))
    do {
      _ = try first(search.statement)
    } catch let error as DatabaseError where error.code == SQLITE_ERROR && error.interruption == nil {
      throw RequestError(
        .invalidExpression, "the full-text pattern is malformed: \(error.text)", at: search.origin)
    }
  }

  // MARK: Reading

  /// Returns the next part of the result, which is valid until the next call; nil at the end.
  public func next() throws -> UnsafeRawBufferPointer? {
    if let bytes {
      try connection.checkInterruption()
      return try bytes.next()
    }
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
      case .obstacle(.failed(let code)): throw failure(code)
      }
    }
    return writer.output.count > 0 ? writer.output.bytes : nil
  }

  /// Returns the error of the innermost statement.
  private func failure(_ code: Int32) -> DatabaseError {
    let sql = writer.count > 0 ? sqlite3_sql(handle(writer.count - 1)) : nil
    return connection.error(code, sql: sql.map { String(cString: $0) })
  }

  /// The bytes of a result that consists of a single BLOB; nil for other values.
  ///
  /// Valid after `start` and before `next`.
  public var blob: [UInt8]? {
    guard longBlob == nil, case .blob(let bytes) = rootStatement?.value(0) else { return nil }
    return bytes
  }

  /// The length and the first bytes of a result that consists of a single BLOB that is long.
  ///
  /// Valid after `start` and before `next`.
  public var longBlob: LongBlob? {
    guard executable.plan.storedColumn != nil, let root = rootStatement, root.columnType(0) == .blob,
      let long = LongStoredValue(root.bytes(0))
    else { return nil }
    return LongBlob(count: long.count, beginning: Array(long.beginning))
  }

  /// Makes `next` return these bytes of the long BLOB that is the result.
  public func read(bytes range: Range<Int>) throws {
    guard let column = executable.plan.storedColumn, let root = rootStatement,
      let long = LongStoredValue(root.bytes(0))
    else { return }
    bytes = try StoredBlobReader(range, of: column.column, in: column.table, long.rowID, on: connection)
  }

  /// Transfers the part that was read last with its memory, which outlives the reader.
  public func takePart() -> ResultPart { writer.output.takePart() }

  /// Whether the last part has been read.
  public var isAtEnd: Bool { bytes?.isAtEnd ?? writer.isFinished }

  /// Whether records follow the last one of the page.
  var hasMore: Bool { writer.hasMore }

  // MARK: Pages

  /// Returns the places of the pages before and after this one.
  ///
  /// - Throws: `DatabaseError`.
  public func neighbours() throws -> PageNeighbours {
    let plan = executable.plan
    let (precedes, follows) = plan.isBackward ? (hasBeyond, hasBehind) : (hasBehind, true)
    return try PageNeighbours(isBackward: plan.isBackward, precedes: precedes, follows: follows) {
      try firstCursor.map { try finished($0, plan.passedOfFirst) }
    } last: {
      try (plan.isBackward ? lastCursor : lastCursorIfMore()).map { try finished($0, plan.passedOfLast) }
    }
  }

  /// Returns the cursor of the last record of a page that is found from its start; nil if no more follow.
  private func lastCursorIfMore() throws -> Cursor? {
    isAtEnd ? hasMore ? lastCursor : nil : try cursorAhead ?? lookAhead()
  }

  /// Returns this cursor before the page has been read to its end.
  private func lookAhead() throws -> Cursor? {
    let found = try executable.plan.lookahead.map { try cursors(by: $0, most: 2) } ?? []
    return found.count == 2 ? found[0] : nil
  }

  /// Returns the cursors of the first records that a statement finds.
  private func cursors(by statement: Plan.Statement, most: Int) throws -> [Cursor] {
    try connection.withStatement(statement.sql) { open in
      try bind(statement, to: open)
      var cursors: [Cursor] = []
      while cursors.count < most, try open.step() {
        cursors.append(Cursor(values: (0..<open.columnCount).map { open.cursorValue($0) }))
      }
      return cursors
    }
  }

  private func cursor() -> Cursor? {
    guard let columns = executable.plan.cursorColumns, let open = rootStatement else { return nil }
    return Cursor(values: columns.map { open.cursorValue(Int32($0)) })
  }

  // MARK: Statements

  /// Returns the statement of a frame; the outermost has index 0.
  private func handle(_ index: Int) -> OpaquePointer { writer.frames[index].position.statement }

  /// The statement of the innermost frame, while that is the root's.
  private var rootStatement: Statement? {
    let root = handle(writer.count - 1)
    return statements.lazy.compactMap(\.self).first { $0.handle == root }
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
    try bind(executable.statements[Int(node)].constants, to: prepared, parameters)
    return prepared
  }

  /// Binds a statement below the outermost frames: of the path, unless others are given, like the root's.
  func bind(
    _ statement: Plan.Statement, to open: Statement, _ parameters: Parameters? = nil, below count: Int? = nil
  ) throws {
    try bind(statement.constants, to: open, parameters ?? self.parameters)
    for ancestor in statement.ancestors {
      let above = handle((count ?? executable.plan.path.count) - Int(ancestor.level))
      try check(
        sqlite3_bind_value(open.handle, ancestor.parameter, sqlite3_column_value(above, ancestor.column)))
    }
  }

  private func bind(
    _ constants: [ExecutablePlan.Constant], to statement: Statement, _ parameters: Parameters
  ) throws {
    for constant in constants {
      try parameters.bind(constant.binding, at: constant.parameter, to: statement)
    }
  }

  private func first(_ statement: Plan.Statement) throws -> [SQLValue]? {
    try connection.withStatement(statement.sql) { open in
      try bind(statement, to: open)
      return try open.step() ? open.row : nil
    }
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}

extension SQLValue {
  var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}
