import CKindredSQLite
import KindredAssociations
import KindredBackend
import KindredOutput
import KindredSQLite
import KindredSQLSyntax

/// Reads the result of a plan on a connection that is in a transaction, so that its parts agree with one another.
public final class ResultReader: ResultSource {
  /// How many records there are on all pages; nil unless the plan counts them.
  public private(set) var totalCount: Int64?

  private let connection: Connection
  private let executable: ExecutablePlan
  private let executor: PlanExecutor

  /// A reader of the result that a plan has for these values.
  public init(
    _ executable: ExecutablePlan, on connection: Connection, parameters: Parameters,
    limit: Int? = nil
  ) {
    self.connection = connection
    self.executable = executable
    executor = PlanExecutor(
      executable, on: connection, parameters: parameters, limit: limit)
  }

  private var plan: Plan { executable.plan }

  /// Reads up to the first record.
  ///
  /// - Parameter isRepeated: whether another reader of this plan has just made the transient tables.
  /// - Throws: `RequestError` where the path leads nowhere or a full-text pattern is malformed; `DatabaseError`.
  public func start(isRepeated: Bool) throws {
    if !isRepeated { try Self.prepareTransients(of: plan, on: connection) }
    for search in plan.searches { try check(search) }
    try executor.start()
    if let count = plan.count { totalCount = try first(count)?.first.flatMap(\.integer) }
  }

  /// Makes the transient tables that the plan's statements read.
  public static func prepareTransients(of plan: Plan, on connection: Connection) throws {
    for transient in plan.transients { try TransientTables.refresh(transient, on: connection) }
  }

  /// The next part of the result; valid until the next call, nil at the end.
  public func next() throws -> UnsafeRawBufferPointer? { try executor.next() }

  /// The bytes of a result that is a single BLOB; nil for values of other types.
  ///
  /// To be called after `start` and before `next`.
  public var blob: [UInt8]? { executor.firstBlob }

  /// Hands over the part that was read last, which outlives the reader; there can be no next one.
  public func takePart() -> ResultPart { executor.takePart() }

  /// Whether the last part has been read.
  public var isAtEnd: Bool { executor.isAtEnd }

  /// Returns the cursor of the page's last record; nil where no more follow.
  ///
  /// - Throws: `DatabaseError`
  public func pageCursor() throws -> Cursor? {
    guard let last = isAtEnd ? lastCursor : try lookAhead() else { return nil }
    return try executor.finished(last)
  }

  private var lastCursor: Cursor? { executor.hasMore ? executor.lastCursor : nil }

  /// The same before the end has been read.
  private func lookAhead() throws -> Cursor? {
    guard let lookahead = plan.lookahead else { return nil }
    return try connection.withStatement(lookahead.sql) { statement in
      try executor.bind(lookahead, to: statement)
      guard try statement.step() else { return nil }
      let cursor = Cursor(values: (0..<statement.columnCount).map { statement.cursorValue($0) })
      return try statement.step() ? cursor : nil
    }
  }

  /// Gives the statements back to the connection.
  ///
  /// To be called once, at any time.
  public func close() { executor.close() }

  private func first(_ statement: Plan.Statement) throws -> [SQLValue]? {
    try connection.withStatement(statement.sql) { open in
      try executor.bind(statement, to: open)
      return try open.step() ? open.row : nil
    }
  }

  /// Lets SQLite read a full-text pattern before anything else runs: it knows whether it is well-formed.
  private func check(_ search: Plan.SearchCheck) throws {
    try search.checkColumns(of: executor.parameters.value(of: .parameter(search.literal)))
    do {
      _ = try first(search.statement)
    } catch let error as DatabaseError where error.code == SQLITE_ERROR && error.interruption == nil {
      throw RequestError(
        .invalidExpression, "the full-text pattern is malformed: \(error.message)", at: search.origin)
    }
  }
}

extension SQLValue {
  var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}
