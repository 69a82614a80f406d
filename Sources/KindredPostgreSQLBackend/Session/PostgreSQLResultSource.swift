import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredPostgreSQL

/// The result of a plan: a page is read at once, a collection without a limit by a cursor in batches.
final class PostgreSQLResultSource: ResultSource {
  private let executable: ExecutablePlan
  private var parameters: Parameters
  private let limit: Int
  private let transaction: any StatementRunner
  @exclusivity(unchecked) private var writer: ResultWriter<LevelRowSource>
  private var reader: LevelReader?
  private var path: [Rows] = []
  private var root: Level?
  /// The cursor that returns the root's rows; nil if they have all been read.
  private var cursor: RowCursor?
  private var hasHandedOut = false
  /// Whether the records written so far are those of the first batch.
  private var isFirstBatch = true
  /// The number of bytes written for the last batch of rows, without those in the buffer.
  private var bytesOfRows = 0
  private var hasMore = false
  /// Whether records precede the page, and follow it, in the direction in which it was found.
  private var (hasBehind, hasBeyond) = (false, false)
  private var firstCursor: Cursor?
  private var lastCursor: Cursor?
  private(set) var totalCount: Int64?
  private(set) var estimatedCount: Int64?

  init(
    _ plan: ExecutablePlan, _ parameters: Parameters, limit: Int?, in transaction: any StatementRunner
  ) {
    executable = plan
    self.parameters = parameters
    self.limit = limit ?? .max
    self.transaction = transaction
    writer = ResultWriter(plan, limit: nil, LevelRowSource())
  }

  private var plan: Plan { executable.plan }

  // MARK: Reading

  func start(isRepeated: Bool) throws {
    let given = parameters
    do {
      try transaction.retrying {
        parameters = given
        try open()
        guard !(reader?.isComplete ?? true) else { return }
        let hasEnded = transaction.hasEnded
        transaction.stayOpen()
        // What is left has to be read in the same state.
        if hasEnded {
          parameters = given
          try open()
        }
      }
    } catch let error as PostgreSQLError {
      if error.isOfShards { throw plan.naming(error) }
      throw plan.requestError(of: error) ?? error
    }
    if plan.isSingle, root?.count == 0 { throw RequestError(.notFound, plan.absence) }
    if !(cursor?.isAtEnd ?? true) || !(reader?.isComplete ?? true) { try transaction.holdLong() }
    transaction.hasGivenRows = true
    writer.source.hasMoreRows = hasMoreRows
    if let root { writer.begin(LevelRowSource.Position(root, of: 0)) }
  }

  /// Runs the statements of the path, and reads the first batch of rows.
  private func open() throws {
    path = []
    for search in plan.searches { try check(search) }
    for step in plan.path {
      let result = try run(step.statement)
      guard result.rowCount > 0 else { throw RequestError(.notFound, step.absence) }
      path.append(Rows(result))
    }
    if let anchor = plan.anchor { parameters.cursor = try whole(parameters.cursor, by: anchor) }
    if let before = plan.passedBefore {
      // The statement reads the parameters, so they are changed after it.
      let passed = try run(before).integer(0, 0) ?? 0
      parameters.cursor?.passed = passed
    }
    let reader = try LevelReader(executable, parameters, transaction.batches) { [transaction] in
      transaction.cursorName()
    }
    self.reader = reader
    guard let statement = plan.nodes.first?.statement else { return }
    var queries: [Query] = []
    if limit == .max, !plan.isSingle {
      let cursor = RowCursor(name: transaction.cursorName(), transaction.batches)
      queries += [cursor.declaration(try query(statement)), cursor.fetch]
      self.cursor = cursor
    } else {
      cursor = nil
      queries.append(try statement.paged(parameters, below: path) ?? query(statement))
    }
    if let count = plan.count { queries.append(try query(count)) }
    if plan.isSingle, queries.count == 1 { queries[0].hasOneRow = true }
    let probes = [plan.behind, plan.beyond].map { $0 != nil }
    queries += try [plan.behind, plan.beyond].compactMap(\.self).map { try query($0) }
    let results = try run(queries, isLast: reader.readsRootOnly && plan.estimate == nil)
    let rows = results[cursor == nil ? 0 : 1]
    if plan.count != nil { totalCount = results[cursor == nil ? 1 : 2].integer(0, 0) }
    hasBeyond = probes[1] && results.last?.rowCount ?? 0 > 0
    hasBehind = probes[0] && results[results.count - (probes[1] ? 2 : 1)].rowCount > 0
    if let estimate = plan.estimate, totalCount ?? 0 > Plan.exactCount {
      totalCount = nil
      // The number of all records would reveal how many records are hidden.
      estimatedCount = plan.readsRestricted ? nil : try self.estimate(estimate)
    }
    try read(Rows(rows), by: reader)
  }

  /// Returns how many rows PostgreSQL expects of a statement; nil if a policy applies to a table that it reads.
  private func estimate(_ statement: Plan.Statement) throws -> Int64? {
    let values = try query(statement).values
    let lines = try transaction.run([
      Query("EXPLAIN (FORMAT JSON, VERBOSE) \(statement.sql)", values, isReusable: false)
    ])[0]
    let text = lines.texts.joined(separator: "\n")
    let expected = try transaction.run([Query(Self.expected, [Array(text.utf8)])])[0]
    return expected.integer(0, 0)
  }

  private static let expected = """
    SELECT greatest(($1::jsonb #>> '{0,Plan,Plan Rows}')::numeric::int8, \(Plan.exactCount + 1))
    WHERE NOT EXISTS (
      SELECT FROM jsonb_path_query($1::jsonb, 'strict $.**') AS node
      JOIN pg_namespace n ON n.nspname = node->>'Schema'
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = node->>'Relation Name'
      WHERE c.relrowsecurity AND NOT (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user))
    """

  /// Reads the levels below the root's rows.
  private func read(_ rows: Rows, by reader: LevelReader) throws {
    // Tables that inherit from one may repeat its keys.
    let root = Level(
      root: rows, path: reader.path(path), limit: plan.isSingle ? 1 : limit, nodeCount: executable.nodeCount)
    try reader.read(below: root) { try run($0, isLast: $1) }
    self.root = root
    if firstCursor == nil, hasBehind || hasBeyond { firstCursor = pageCursor(of: root, at: 0) }
    if cursor == nil {
      hasMore = rows.count > limit
      if hasMore && limit > 0 || plan.isBackward { lastCursor = pageCursor(of: root, at: root.count - 1) }
    } else if rows.count < cursor?.size ?? 0 {
      cursor?.isAtEnd = true
    }
  }

  private func pageCursor(of root: Level, at row: Int) -> Cursor? {
    guard let columns = plan.cursorColumns, root.count > 0 else { return nil }
    return Cursor(values: columns.map { column in root.rows.withPlace(row, column) { Cursor.Value($0) } })
  }

  /// Whether the cursor may return more rows of the root.
  private var hasMoreRows: Bool { cursor.map { !$0.isAtEnd } ?? false }

  func next() throws -> UnsafeRawBufferPointer? {
    if hasHandedOut {
      bytesOfRows += writer.output.count
      writer.output.removeAll()
    }
    hasHandedOut = true
    while case .obstacle(let obstacle) = writer.run() {
      switch obstacle {
      case .needsRows:
        // A client that can have the first records doesn't wait for others.
        if isFirstBatch, writer.output.count > 0 {
          isFirstBatch = false
          return writer.output.bytes
        }
        try readNextRows()
      case .needsMore, .needsLevel:
        try reader?.clear(obstacle, of: &writer) { queries, _ in try transaction.run(queries) }
      }
    }
    return writer.output.count > 0 ? writer.output.bytes : nil
  }

  /// Reads the next batch of the root's rows.
  private func readNextRows() throws {
    guard var cursor, let reader else { return }
    cursor.adapt(toBytes: bytesOfRows + writer.output.count)
    bytesOfRows = -writer.output.count
    self.cursor = cursor
    // Frees the batch that has been written before the next one is read.
    root = nil
    writer.freeRows()
    let results = try transaction.run([cursor.fetch])
    try read(Rows(results[0]), by: reader)
    writer.source.hasMoreRows = hasMoreRows
    if let root { writer.goOn(with: root) }
  }

  func takePart() -> ResultPart {
    bytesOfRows += writer.output.count
    return writer.output.takePart()
  }

  var isAtEnd: Bool { writer.isFinished }

  var mayWait: Bool { !isAtEnd }

  var blob: [UInt8]? {
    guard let root, root.count > 0 else { return nil }
    return root.rows.withPlace(0, 0) { place in
      place.kind == .bytes && !place.isNull ? Hexadecimal.bytes(of: place.bytes) : nil
    }
  }

  func close() {
    root = nil
    path = []
    writer.removeAll()
    _ = writer.output.takePart()
  }

  // MARK: Statements

  private func query(_ statement: Plan.Statement, _ parameters: Parameters? = nil) throws -> Query {
    let parameters = parameters ?? self.parameters
    return try Query(statement.sql, statement.bindings, parameters, below: path)
  }

  private func run(_ statement: Plan.Statement, _ parameters: Parameters? = nil) throws -> QueryResult {
    try transaction.run([query(statement, parameters)])[0]
  }

  /// Runs statements after which others may follow, unless they are the last ones.
  private func run(_ queries: [Query], isLast: Bool) throws -> [QueryResult] {
    guard cursor == nil, plan.path.isEmpty, plan.searches.isEmpty, plan.anchor == nil,
      plan.passedOfFirst == nil, plan.passedOfLast == nil
    else { return try transaction.run(queries) }
    return try transaction.run(queries, isLast: isLast)
  }

  /// Runs a statement that makes PostgreSQL parse a full-text pattern, so that a malformed one is reported before
  /// anything is read.
  private func check(_ search: Plan.SearchCheck) throws {
    do {
      _ = try run(search.statement)
    } catch let error as PostgreSQLError where error.state == "42601" {
      throw RequestError(
        .invalidExpression, "the full-text pattern is malformed: \(error.message)", at: search.origin)
    }
  }

  // MARK: Pages

  func neighbours() throws -> PageNeighbours {
    let (precedes, follows) = plan.isBackward ? (hasBeyond, hasBehind) : (hasBehind, hasMore)
    return try PageNeighbours(isBackward: plan.isBackward, precedes: precedes, follows: follows) {
      try firstCursor.map { try finished($0, plan.passedOfFirst) }
    } last: {
      try (lastCursor ?? plan.last.flatMap { try pageCursor(by: $0) }).map {
        try finished($0, plan.passedOfLast)
      }
    }
  }

  /// Returns the cursor of the record that a statement finds.
  private func pageCursor(by statement: Plan.Statement) throws -> Cursor? {
    let rows = Rows(try run(statement))
    return rows.count == 0 ? nil : Cursor(values: values(of: rows))
  }

  /// Returns the cursor of a page's first or last record as clients receive it.
  ///
  /// - Parameter passed: Counts the equal records that precede it; nil if no two records can be equal.
  private func finished(_ record: Cursor, _ passed: Plan.Statement?) throws -> Cursor {
    var cursor = record
    if let passed {
      var parameters = parameters
      parameters.cursor?.values += record.values
      parameters.cursor = parameters.cursor ?? record
      cursor.passed = try run(passed, parameters).integer(0, 0) ?? 0
    }
    return try cursor.abridged(isHidden: plan.cursorIsHidden) { try digest(of: record) }
  }

  /// Returns the digest of complete values, which the database computes as it does for those of a record.
  private func digest(of cursor: Cursor) throws -> [UInt8] {
    guard let statement = plan.digest else { return [] }
    var parameters = parameters
    parameters.cursor = cursor
    let result = try run(statement, parameters)
    return withExtendedLifetime(result) { Hexadecimal.bytes(of: result.bytes(0, 0)) }
  }

  /// Returns an abridged cursor with its values completed from the record that it was made from.
  private func whole(_ cursor: Cursor?, by anchor: Plan.Statement) throws -> Cursor? {
    guard let cursor else { return nil }
    let rows = Rows(try run(anchor))
    guard rows.count > 0 else {
      let place = plan.isBackward ? "before" : "after"
      throw RequestError(
        .invalidValue, "the record of the cursor has changed; start again without `\(place)`",
        at: Origin(parameter: place))
    }
    var whole = cursor
    whole.values = values(of: rows)
    return whole
  }

  private func values(of rows: Rows) -> [Cursor.Value] {
    (0..<rows.result.columnCount).map { rows.withPlace(0, $0) { Cursor.Value($0) } }
  }
}

/// A transaction in which statements run and see one state.
protocol StatementRunner: AnyObject {
  /// The number of records that are read from a cursor at once.
  var batches: BatchSizes { get }

  /// Whether rows have been returned, so that nothing can be tried again.
  var hasGivenRows: Bool { get set }

  /// Runs statements in one round trip.
  ///
  /// - Throws: `PostgreSQLError`.
  func run(_ queries: [Query]) throws -> [QueryResult]

  /// Runs statements of a result that is read as a whole, in one round trip.
  ///
  /// The last ones end the transaction, which then returns the same results if the same statements are run again.
  ///
  /// - Throws: `PostgreSQLError`.
  func run(_ queries: [Query], isLast: Bool) throws -> [QueryResult]

  /// Whether the last statements of a result have ended the transaction.
  var hasEnded: Bool { get }

  /// Makes the transaction last until it is closed; if it has ended, it begins again.
  func stayOpen()

  /// Runs `body`, and may run it again if it fails with a transient error.
  func retrying<Result>(_ body: () throws -> Result) throws -> Result

  /// Returns a name for a cursor that is unique in the transaction.
  func cursorName() -> String

  /// Notes that a client may read the result for an unlimited time.
  ///
  /// - Throws: `ReaderSource.NoneFree` if there are too many such results already and the request can queue, else
  ///   `PostgreSQLError`.
  func holdLong() throws
}

/// A cursor that returns rows whose number is not limited, those of the root or of one parent record.
struct RowCursor {
  let name: String
  /// The number of rows that are fetched at once.
  private(set) var size: Int
  private let largest: Int
  /// Whether all rows have been fetched.
  var isAtEnd = false

  init(name: String, _ batches: BatchSizes) {
    self.name = name
    size = batches.first
    largest = batches.largest
  }

  func declaration(_ query: Query) -> Query {
    Query(
      "DECLARE \(name) NO SCROLL CURSOR FOR \(query.sql)", query.values, isReusable: false,
      needsTransactionBlock: true)
  }

  var fetch: Query { Query("FETCH FORWARD \(size) FROM \(name)", isReusable: false) }

  var closing: Query { Query("CLOSE \(name)", isReusable: false) }

  /// Adapts the size of the next batch to the number of bytes written for the last one.
  mutating func adapt(toBytes bytes: Int) {
    if bytes > 4 << 20 {
      size = max(1, size / 2)
    } else if bytes < 1 << 20 {
      size = min(largest, size * 2)
    }
  }
}
