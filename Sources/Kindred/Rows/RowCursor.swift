import CKindredSQLite
import KindredSQLSyntax
import KindredSQLite

/// The rows of a statement, read one by one.
public final class RowCursor: Cursor {
  /// The layout of the rows.
  let layout: RowLayout

  private let selectStatement: SelectStatement
  private let failures: DecodingFailures
  private let supplement: PreparedRequest.Supplement?
  private var isAtEnd = false
  /// Rows that have been read, and supplemented together, in reverse order.
  private var ready: [Row] = []

  /// Runs a statement from the start.
  ///
  /// - Throws: `DatabaseError` where the arguments don't fit; what the adapter throws.
  init(_ request: PreparedRequest) throws {
    selectStatement = request.statement
    failures = request.statement.database.failures
    let statement = try selectStatement.start()
    let columns = request.layout ?? RowLayout(columnNames: statement.columnNames)
    layout =
      try request.adapter.map { adapter in
        let adapted = try adapter.adapt(columns)
        return RowLayout(columns: adapted.columns, scopes: adapted.scopes, statement: columns)
      } ?? columns
    supplement = request.supplement
  }

  /// The next row; `nil` at the end.
  ///
  /// - Throws: `DatabaseError`.
  public func next() throws -> Row? {
    guard let supplement else { return try read() }
    if ready.isEmpty {
      var rows: [Row] = []
      while rows.count < Self.batchSize, let row = try read() { rows.append(row) }
      ready = rows.isEmpty ? [] : try supplement(rows).reversed()
    }
    return ready.popLast()
  }

  /// The next row, when no other will be asked for.
  func first() throws -> Row? {
    guard ready.isEmpty, let supplement else { return try next() }
    return try read().flatMap { try supplement([$0]).first }
  }

  /// All rows that are left.
  func all() throws -> [Row] {
    var rows: [Row] = []
    guard let supplement else {
      while let row = try read() { rows.append(row) }
      return rows
    }
    // What was supplemented already comes first.
    let first = Array(ready.reversed())
    ready = []
    while let row = try read() { rows.append(row) }
    return rows.isEmpty ? first : first + (try supplement(rows))
  }

  /// What is made of all rows that are left.
  func all<Element>(_ transform: (Row) throws -> Element) throws -> [Element] {
    // Collections are fetched together, for all rows at once.
    guard supplement == nil else { return try all().map(transform) }
    var elements: [Element] = []
    while let row = try read() { elements.append(try transform(row)) }
    return elements
  }

  /// Throws what a subscript met with in the rows, and could not throw.
  public func checkDecoding() throws { try failures.check() }

  /// How many rows a cursor supplements together: enough to spread the cost of a statement, and few enough to
  /// give the first row soon.
  private static let batchSize = 100

  private func read() throws -> Row? {
    guard !isAtEnd else { return nil }
    // Asked for each time: when the access has ended, another thread may have the statement.
    let statement = try selectStatement.prepared
    guard try statement.step() else {
      isAtEnd = true
      statement.reset()
      return nil
    }
    return Row(layout: layout, values: statement.row, failures: failures)
  }
}
