import CKindredSQLite
import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLite
import KindredSQLSyntax

/// Reads the result of a plan on a connection in a transaction, so that all parts show the same state.
public final class ResultReader: ResultSource {
  /// The number of records on all pages; nil unless the plan counts them.
  public private(set) var totalCount: Int64?

  private let connection: Connection
  private let executable: ExecutablePlan
  private let executor: PlanExecutor
  /// The cursor of the page's last record, if it was looked for before the records were read.
  private var cursorAhead: Cursor??

  /// Creates a reader for the result of a plan with these parameter values.
  public init(
    _ executable: ExecutablePlan, on connection: Connection, parameters: Parameters,
    limit: Int? = nil
  ) {
    self.connection = connection
    self.executable = executable
    executor = PlanExecutor(
      executable, on: connection, parameters: parameters, limit: limit)
  }

  /// Reads up to the first record.
  ///
  /// - Parameter isRepeated: Whether another reader of this plan has just filled the transient tables.
  /// - Throws: `RequestError` if a record of the path does not exist or a full-text pattern is malformed;
  ///   `DatabaseError`.
  public func start(isRepeated: Bool) throws {
    try prepare(isRepeated: isRepeated)
    try executor.start()
    try countAll()
  }

  /// Reads up to the first record, after finding the cursor of the page.
  ///
  /// - Throws: like `start`.
  public func startAfterCursor() throws {
    // In another transaction than the try before, with which the transient tables went.
    try prepare(isRepeated: false)
    try executor.findPath()
    cursorAhead = .some(try lookAhead())
    try executor.startRoot()
    try countAll()
  }

  private func prepare(isRepeated: Bool) throws {
    if !isRepeated { try Self.prepare(executable.plan.transients, on: connection) }
    for search in executable.plan.searches { try check(search) }
  }

  private func countAll() throws {
    if let count = executable.plan.count { totalCount = try first(count)?.first.flatMap(\.integer) }
  }

  /// Creates the transient tables that a plan's statements read.
  ///
  /// - Parameter transients: Not the plan, a copy of which would count references that all threads share.
  public static func prepare(_ transients: [TransientTable], on connection: Connection) throws {
    for transient in transients { try TransientTables.refresh(transient, on: connection) }
  }

  /// Returns the next part of the result, which is valid until the next call; nil at the end.
  public func next() throws -> UnsafeRawBufferPointer? { try executor.next() }

  /// The bytes of a result that consists of a single BLOB; nil for other values.
  ///
  /// Valid after `start` and before `next`.
  public var blob: [UInt8]? { executor.firstBlob }

  /// Transfers the part that was read last, which outlives the reader.
  public func takePart() -> ResultPart { executor.takePart() }

  /// Whether the last part has been read.
  public var isAtEnd: Bool { executor.isAtEnd }

  /// Returns the cursor of the page's last record; nil if no more follow.
  ///
  /// - Throws: `DatabaseError`.
  public func pageCursor() throws -> Cursor? {
    guard let last = isAtEnd ? lastCursor : try cursorAhead ?? lookAhead() else { return nil }
    return try executor.finished(last)
  }

  private var lastCursor: Cursor? { executor.hasMore ? executor.lastCursor : nil }

  /// Returns this cursor before the page has been read to its end.
  private func lookAhead() throws -> Cursor? {
    guard let lookahead = executable.plan.lookahead else { return nil }
    return try connection.withStatement(lookahead.sql) { statement in
      try executor.bind(lookahead, to: statement)
      guard try statement.step() else { return nil }
      let cursor = Cursor(values: (0..<statement.columnCount).map { statement.cursorValue($0) })
      return try statement.step() ? cursor : nil
    }
  }

  /// Returns the statements to the connection's cache.
  ///
  /// Call it once, at any time.
  public func close() { executor.close() }

  private func first(_ statement: Plan.Statement) throws -> [SQLValue]? {
    try connection.withStatement(statement.sql) { open in
      try executor.bind(statement, to: open)
      return try open.step() ? open.row : nil
    }
  }

  /// Runs a statement that makes SQLite parse a full-text pattern, so that a malformed one is reported before
  /// anything is read.
  private func check(_ search: Plan.SearchCheck) throws {
    try search.check(executor.parameters.value(of: .parameter(search.literal)))
    do {
      _ = try first(search.statement)
    } catch let error as DatabaseError where error.code == SQLITE_ERROR && error.interruption == nil {
      throw RequestError(
        .invalidExpression, "the full-text pattern is malformed: \(error.text)", at: search.origin)
    }
  }
}

extension SQLValue {
  var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}
