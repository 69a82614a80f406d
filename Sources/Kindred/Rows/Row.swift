import KindredSQLSyntax

/// A row of a database: values under the names of columns, rows inside of it under the names of scopes, and
/// lists of rows that were fetched along with it.
///
///     let row = try Row.fetchOne(db, sql: "SELECT id, title FROM book")
///     let title: String? = row?["title"]
///
/// A row is a copy: it stays what it is when the cursor that gave it goes on.
public struct Row: Sendable {
  /// The columns and the scopes.
  public let layout: RowLayout
  /// The lists of rows that were fetched along, by key.
  public var prefetchedRows: PrefetchedRows

  /// The values of the whole tree, as the statement gave them.
  let values: [SQLValue]
  /// Where errors of reading go: common to the rows of an access.
  let failures: DecodingFailures
  /// How many values are being decoded, one inside of the other, that are each this very row.
  private(set) var selfDepth = 0

  /// A row of those values.
  init(
    layout: RowLayout, values: [SQLValue], prefetchedRows: PrefetchedRows = PrefetchedRows(),
    failures: DecodingFailures
  ) {
    self.layout = layout
    self.values = values
    self.prefetchedRows = prefetchedRows
    self.failures = failures
  }

  /// A row without columns.
  public init() {
    self.init(layout: RowLayout(columns: []), values: [], failures: DecodingFailures(isDetached: true))
  }

  /// A row of those columns, in the order of their names.
  public init(_ columns: [String: (any DatabaseValueConvertible)?]) {
    self.init(pairs: columns.sorted { $0.key < $1.key })
  }

  private init(pairs: [(key: String, value: (any DatabaseValueConvertible)?)]) {
    self.init(
      layout: RowLayout(columnNames: pairs.map(\.key)),
      values: pairs.map { $0.value?.databaseValue.storage ?? .null },
      failures: DecodingFailures(isDetached: true))
  }

  /// The names of the columns.
  public var columnNames: [String] { layout.columns.map(\.name) }

  /// The values of the columns.
  public var databaseValues: [DatabaseValue] {
    layout.columns.indices.map { DatabaseValue(value(at: $0)) }
  }

  /// How many columns there are; those of scopes don't count.
  public var count: Int { layout.columns.count }

  /// Whether there is no column.
  public var isEmpty: Bool { layout.columns.isEmpty }

  /// Whether there is a column of that name, whatever its case.
  public func hasColumn(_ name: String) -> Bool { layout.position(of: name) != nil }

  /// Whether all columns are NULL, and those of all scopes: the row stands for a record that is missing.
  public var containsOnlyNulls: Bool { containsOnlyNulls(in: layout) }

  /// Whether the column at that position is NULL, or isn't there.
  public func hasNull(atIndex position: Int) -> Bool { value(at: position) == .null }

  /// The rows inside of this one.
  public var scopes: RowScopes { RowScopes(row: self) }

  /// The rows inside of this one, and those inside of them.
  public var scopesTree: RowScopesTree { RowScopesTree(row: self) }

  /// This row without its scopes and the rows fetched along.
  public var unscoped: Row {
    Row(layout: RowLayout(columns: layout.columns), values: values, failures: failures)
  }

  /// The row for a property that holds the record of the row itself; `nil` where these properties have no end, which
  /// only classes can have.
  var forItself: Row? {
    guard selfDepth < 16 else { return nil }
    var row = self
    row.selfDepth += 1
    return row
  }

  /// The value at that position; NULL where there is none.
  func value(at position: Int) -> SQLValue {
    guard layout.columns.indices.contains(position) else { return .null }
    let index = layout.columns[position].index
    return values.indices.contains(index) ? values[index] : .null
  }

  /// The scope of that name, with the rows that were fetched along with it.
  func scope(_ name: String) -> Row? {
    layout.scope(name).map { scope(name, layout: $0) }
  }

  func scope(_ name: String, layout: RowLayout) -> Row {
    Row(layout: layout, values: values, prefetchedRows: prefetchedRows.scope(name), failures: failures)
  }

  private func containsOnlyNulls(in layout: RowLayout) -> Bool {
    layout.columns.allSatisfy { !values.indices.contains($0.index) || values[$0.index] == .null }
      && layout.scopes.allSatisfy { containsOnlyNulls(in: $0.layout) }
  }
}

extension Row: ExpressibleByDictionaryLiteral {
  /// A row of those columns, in their order.
  public init(dictionaryLiteral columns: (String, (any DatabaseValueConvertible)?)...) {
    self.init(pairs: columns.map { (key: $0.0, value: $0.1) })
  }
}

extension Row: Hashable {
  /// Whether both have the same columns with the same values, in the same order, and are equal in their
  /// scopes and in the rows that were fetched along.
  public static func == (left: Row, right: Row) -> Bool {
    left.columnNames == right.columnNames && left.databaseValues == right.databaseValues
      && left.scopes.names.sorted() == right.scopes.names.sorted()
      && left.scopes.allSatisfy { right.scope($0.name) == $0.row }
      && left.prefetchedRows == right.prefetchedRows
  }

  /// Hashes the columns.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(columnNames)
    hasher.combine(databaseValues)
  }
}

/// A row goes through its columns: `for (column, value) in row`.
extension Row: Sequence {
  /// Goes through the names and the values of the columns.
  public func makeIterator() -> AnyIterator<(column: String, value: DatabaseValue)> {
    var positions = layout.columns.indices.makeIterator()
    return AnyIterator {
      positions.next().map { (layout.columns[$0].name, DatabaseValue(value(at: $0))) }
    }
  }
}
