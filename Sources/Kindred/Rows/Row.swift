import KindredSQLSyntax

/// A row of a result: values by column names, nested rows by scope names, and prefetched collections of rows.
///
///     let row = try Row.fetchOne(db, sql: "SELECT id, title FROM book")
///     let title: String? = row?["title"]
///
/// A row is a copy, and remains valid when the cursor that returned it moves on.
public struct Row: Sendable {
  /// The columns and the scopes of the row.
  public let layout: RowLayout
  /// The prefetched collections, by key.
  public var prefetchedRows: PrefetchedRows

  /// The values of all columns of the statement, shared by the row and its scopes.
  private let storage: RowStorage
  /// The position of the row's first value.
  private let start: Int32
  /// The number of nested values being decoded that are all this row itself.
  private var selfDepth: Int32 = 0

  /// Creates a row of values in a layout.
  package init(
    layout: RowLayout, values: [SQLValue], prefetchedRows: PrefetchedRows = PrefetchedRows(),
    failures: DecodingFailures
  ) {
    self.init(
      layout: layout, storage: RowStorage(values, failures: failures), start: 0,
      prefetchedRows: prefetchedRows)
  }

  /// Creates a row whose first value is at `start`.
  init(
    layout: RowLayout, storage: RowStorage, start: Int, prefetchedRows: PrefetchedRows = PrefetchedRows()
  ) {
    self.layout = layout
    self.storage = storage
    self.start = Int32(truncatingIfNeeded: start)
    self.prefetchedRows = prefetchedRows
  }

  /// Collects the errors of decoding, for all rows of an access.
  var failures: DecodingFailures { storage.failures }

  /// Returns the same values in another layout, without collections.
  func values(in layout: RowLayout) -> Row {
    Row(layout: layout, storage: storage, start: Int(start))
  }

  /// Creates a row without columns.
  public init() {
    self.init(layout: RowLayout(columns: []), values: [], failures: DecodingFailures(isDetached: true))
  }

  /// Creates a row of columns ordered by name.
  public init(_ columns: [String: (any DatabaseValueConvertible)?]) {
    self.init(pairs: columns.sorted { $0.key < $1.key })
  }

  /// Creates a row of columns ordered by name; `nil` if a key is no name, or a value can't be stored.
  public init?(_ columns: [AnyHashable: Any]) {
    var pairs: [(key: String, value: (any DatabaseValueConvertible)?)] = []
    for (key, value) in columns {
      guard let name = key as? String, let stored = DatabaseValue(value: value) else { return nil }
      pairs.append((name, stored))
    }
    self.init(pairs: pairs.sorted { $0.key < $1.key })
  }

  private init(pairs: [(key: String, value: (any DatabaseValueConvertible)?)]) {
    self.init(
      layout: RowLayout(columnNames: pairs.map(\.key)),
      values: pairs.map { $0.value?.databaseValue.sqlValue ?? .null },
      failures: DecodingFailures(isDetached: true))
  }

  /// The names of the columns.
  public var columnNames: [String] { layout.columns.map(\.name) }

  /// The values of the columns.
  public var databaseValues: [DatabaseValue] {
    layout.columns.indices.map { DatabaseValue(value(at: $0)) }
  }

  /// The name and the value of the first column; `nil` if there is none.
  public var first: (String, DatabaseValue)? { first { _ in true } }

  /// The number of columns, without those of scopes.
  public var count: Int { layout.columns.count }

  /// Whether there are no columns.
  public var isEmpty: Bool { layout.columns.isEmpty }

  /// Returns whether there is a column with a name, ignoring case.
  public func hasColumn(_ name: String) -> Bool { layout.position(of: name) != nil }

  /// Whether all columns are NULL, including those of scopes, as they are for a missing record.
  public var containsOnlyNulls: Bool { containsOnlyNulls(in: layout) }

  /// Whether a column is not NULL, or one of a scope.
  public var containsNonNullValue: Bool { !containsOnlyNulls }

  /// The row of the statement, before adapters and scopes.
  public var unadapted: Row {
    layout.statement.map { values(in: $0) } ?? unscoped
  }

  /// The row itself, which is a copy already.
  public func copy() -> Row { self }

  /// Returns the first value that is not NULL of columns; `nil` if all are.
  public func coalesce<Value: DatabaseValueConvertible>(_ names: some Collection<String>) -> Value? {
    names.lazy.compactMap { name in
      layout.position(of: name).flatMap { position -> Value? in
        hasNull(atIndex: position) ? nil : Value.fromDatabaseValue(DatabaseValue(value(at: position)))
      }
    }.first
  }

  /// Returns the first value that is not NULL of columns; `nil` if all are.
  public func coalesce<Value: DatabaseValueConvertible>(
    _ columns: some Collection<any ColumnExpression>
  ) -> Value? { coalesce(columns.map(\.name)) }

  /// Returns whether the column at a position is NULL or missing.
  public func hasNull(atIndex position: Int) -> Bool {
    guard layout.columns.indices.contains(position) else { return true }
    return storage.isNull(layout.columns[position].index, ofRowAt: Int(start))
  }

  /// The nested rows of this row.
  public var scopes: RowScopes { RowScopes(row: self) }

  /// The nested rows of this row on all levels.
  public var scopesTree: RowScopesTree { RowScopesTree(row: self) }

  /// The row without its scopes and prefetched collections.
  public var unscoped: Row { values(in: RowLayout(columns: layout.columns)) }

  /// The row for a property that holds the record of the row itself; `nil` if the nesting is too deep, because a
  /// class can have such properties without end.
  var forItself: Row? {
    guard selfDepth < 16 else { return nil }
    var row = self
    row.selfDepth += 1
    return row
  }

  /// Returns the value at a position; NULL if there is none.
  func value(at position: Int) -> SQLValue {
    guard layout.columns.indices.contains(position) else { return .null }
    return value(ofColumn: layout.columns[position].index) ?? .null
  }

  /// Returns the value of a column of the statement; nil if there is none.
  func value(ofColumn column: Int) -> SQLValue? { storage.value(column, ofRowAt: Int(start)) }

  /// Returns the nested row with a name, with its prefetched collections.
  func scope(_ name: String) -> Row? {
    layout.scope(name).map { scope(name, layout: $0) }
  }

  func scope(_ name: String, layout: RowLayout) -> Row {
    Row(
      layout: layout, storage: storage, start: Int(start), prefetchedRows: prefetchedRows.scope(name))
  }

  private func containsOnlyNulls(in layout: RowLayout) -> Bool {
    layout.columns.allSatisfy { storage.isNull($0.index, ofRowAt: Int(start)) }
      && layout.scopes.allSatisfy { containsOnlyNulls(in: $0.layout) }
  }
}

extension Row: ExpressibleByDictionaryLiteral {
  /// Creates a row of columns in the given order.
  public init(dictionaryLiteral columns: (String, (any DatabaseValueConvertible)?)...) {
    self.init(pairs: columns.map { (key: $0.0, value: $0.1) })
  }
}

extension Row: Hashable {
  /// Whether both have the same columns with the same values in the same order, and equal scopes and prefetched
  /// collections.
  public static func == (left: Row, right: Row) -> Bool {
    left.columnNames == right.columnNames && left.databaseValues == right.databaseValues
      && left.scopes.names.sorted() == right.scopes.names.sorted()
      && left.scopes.allSatisfy { right.scope($0.name) == $0.row }
      && left.prefetchedRows == right.prefetchedRows
  }

  /// Hashes the names and values of the columns.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(columnNames)
    hasher.combine(databaseValues)
  }
}
