import CKindredSQLite
import KindredSQLite

/// A cursor over the rows of a statement.
public final class RowCursor: Cursor {
  /// The layout of the rows.
  private(set) var layout: RowLayout

  private let selectStatement: Statement
  private let failures: DecodingFailures
  private let supplement: PreparedRequest.Supplement?
  private let keyColumns: [Int]
  /// The adapter of the rows, until the layout is known to be that of the schema.
  private var adapter: (any RowAdapter)?
  /// How often the statement had been prepared again when the layout was derived; nil once it is that of the schema.
  private var repreparations: Int?
  private var isAtEnd = false
  /// The run of the statement that this cursor reads.
  private let run: Int
  private var width: Int
  /// Rows that have been read and completed with their collections, in reverse order.
  private var ready: [Row] = []
  /// The values of the rows that were read last.
  private var storage: RowStorage?

  /// Starts the statement of a request.
  ///
  /// - Throws: `DatabaseError` if the arguments don't match the parameters; the error that the adapter throws.
  init(_ request: PreparedRequest) throws {
    selectStatement = request.statement
    failures = request.statement.database.failures
    let statement = try selectStatement.start()
    run = selectStatement.run
    let columns = request.layout ?? RowLayout(columnNames: statement.columnNames)
    layout = try Self.layout(of: columns, request.adapter)
    if request.layout == nil { (adapter, repreparations) = (request.adapter, statement.repreparations) }
    supplement = request.supplement
    keyColumns = request.keyColumns
    width = Int(statement.columnCount)
  }

  private static func layout(of columns: RowLayout, _ adapter: (any RowAdapter)?) throws -> RowLayout {
    guard let adapter else { return columns }
    let adapted = try adapter.adapt(columns)
    return RowLayout(columns: adapted.columns, scopes: adapted.scopes, statement: columns)
  }

  /// Derives the layout again if the first step has prepared the statement again, for other columns.
  private func update(_ statement: DriverStatement, since before: Int) throws {
    repreparations = nil
    guard statement.repreparations != before else { return }
    layout = try Self.layout(of: RowLayout(columnNames: statement.columnNames), adapter)
    width = Int(statement.columnCount)
  }

  deinit {
    // A statement that is left running would keep its tables from being dropped.
    if !isAtEnd { selectStatement.end(run: run) }
  }

  /// Returns the next row; `nil` at the end.
  ///
  /// - Throws: `DatabaseError`.
  public func next() throws -> Row? {
    guard let supplement else { return try read() }
    if ready.isEmpty {
      var rows: [Row] = []
      while rows.count < Self.batchSize, let row = try read(beside: rows.count) { rows.append(row) }
      if !rows.isEmpty { try supplement(&rows) }
      rows.reverse()
      ready = rows
    }
    return ready.popLast()
  }

  /// Returns the next row when no other is needed, so that no collections of further rows are read.
  func first() throws -> Row? {
    guard ready.isEmpty, let supplement else {
      let row = try next()
      try finishWriting()
      return row
    }
    guard let row = try read() else { return nil }
    var rows = [row]
    try supplement(&rows)
    return rows[0]
  }

  /// Runs a statement that writes to its end.
  ///
  /// SQLite would commit its changes when it is reset, and there flush full-text tables outside of any step, which a
  /// defensive connection refuses: the transaction would be rolled back without an error.
  private func finishWriting() throws {
    guard !isAtEnd, try !selectStatement.prepared.isReadOnly else { return }
    while try read() != nil {}
  }

  /// Returns the decoded next row when no other is needed; nil if there is none, or it holds no value.
  func first<Element>(_ decode: (Row) throws -> Element?) throws -> Element? {
    try describingErrors { try first().flatMap(decode) }
  }

  /// Returns a cursor over the decoded rows.
  func decoding<Element>(_ decode: @escaping (Row) throws -> Element) -> MapCursor<RowCursor, Element> {
    map { row in try self.describingErrors { try decode(row) } }
  }

  /// Returns all remaining rows.
  func all() throws -> [Row] {
    var rows: [Row] = []
    // Rows that are complete already come first.
    let first = Array(ready.reversed())
    ready = []
    while let row = try read(beside: rows.count) { rows.append(row) }
    if !rows.isEmpty { try supplement?(&rows) }
    return first.isEmpty ? rows : first + rows
  }

  /// Returns the transformed remaining rows.
  func all<Element>(_ transform: (Row) throws -> Element) throws -> [Element] {
    try describingErrors {
      // Rows that are kept share their memory.
      if Element.self == Row.self { return try all().map(transform) }
      var elements: [Element] = []
      while let row = try next() { elements.append(try transform(row)) }
      return elements
    }
  }

  /// Returns the result of `body`; an error of decoding is given the SQL of the statement.
  func describingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    try RowDecodingError.inStatement(selectStatement.sql, body)
  }

  /// Throws the error that a subscript met in the rows and could not throw.
  public func checkDecoding() throws { try describingErrors { try failures.check() } }

  /// The number of rows whose collections are read together: enough to spread the cost of a statement, and few
  /// enough to return the first row soon and to stay in the processor's cache until they are decoded.
  private static let batchSize = 256

  /// Reads a row.
  ///
  /// - Parameter count: The number of rows that are kept together with it.
  private func read(beside count: Int = 0) throws -> Row? {
    guard !isAtEnd else { return nil }
    // Looked up for each row, because another thread may use the statement once the access has ended.
    let statement = try selectStatement.prepared
    guard run == selectStatement.run else {
      throw DatabaseError.misuse(
        "the cursor has ended, because its statement was started again", sql: selectStatement.sql)
    }
    let hasRow = try selectStatement.step(statement)
    if let repreparations { try update(statement, since: repreparations) }
    guard hasRow else {
      isAtEnd = true
      statement.reset()
      return nil
    }
    let storage = place(beside: count)
    let row = Row(layout: layout, storage: storage, start: storage.append(statement))
    try statement.checkKeys(keyColumns, of: row)
    return row
  }

  /// Returns storage with a place for a row: that of the last one, if nothing else refers to it.
  private func place(beside count: Int) -> RowStorage {
    if count > 0, let storage, !storage.isFull { return storage }
    if count == 0, isKnownUniquelyReferenced(&storage), let storage {
      storage.removeRows()
      return storage
    }
    let new = RowStorage(width: width, besides: count, failures: failures)
    storage = new
    return new
  }
}

/// A cursor over the records of a statement.
public typealias RecordCursor<Record> = MapCursor<RowCursor, Record>

/// A cursor over the values in the first column of a statement.
public typealias DatabaseValueCursor<Value> = MapCursor<RowCursor, Value>

/// A cursor over the values in the first column of a statement.
public typealias FastDatabaseValueCursor<Value> = MapCursor<RowCursor, Value>
