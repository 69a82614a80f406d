/// A way to see the rows of a statement: other columns, and rows inside of the row.
///
///     // One scope per table of `SELECT book.*, author.* …`
///     let adapters = splittingRowAdapters(columnCounts: [3, 2])
///     let adapter = ScopeAdapter(["book": adapters[0], "author": adapters[1]])
///     let row = try Row.fetchOne(db, sql: sql, adapter: adapter)
///     let author = row?.scopes["author"]
public protocol RowAdapter: Sendable {
  /// The layout in which the rows of `layout` are seen.
  ///
  /// - Throws: `RowDecodingError` where a column is missing.
  func adapt(_ layout: RowLayout) throws -> RowLayout
}

extension RowAdapter {
  /// The same rows with more rows inside of them: those of `scopes`, whose adapters see the rows as the
  /// statement gives them.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes)
  }
}

/// Rows without columns.
public struct EmptyRowAdapter: RowAdapter {
  /// An adapter that hides all columns.
  public init() {}

  /// A layout without columns.
  public func adapt(_ layout: RowLayout) -> RowLayout { RowLayout(columns: []) }
}

/// Some columns, under other names.
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// The columns that are the keys of `mapping`, with the values of those that they are mapped to.
  public init(_ mapping: [String: String]) {
    self.mapping = mapping
  }

  /// The columns, in the order of the statement.
  ///
  /// - Throws: `RowDecodingError` where the statement has no such column.
  public func adapt(_ layout: RowLayout) throws -> RowLayout {
    let columns = try mapping.map { name, base in
      guard let position = layout.position(of: base) else {
        throw RowDecodingError(.columnNotFound, key: base, type: Row.self)
      }
      return RowLayout.Column(name: name, index: layout.columns[position].index)
    }
    return RowLayout(columns: columns.sorted { ($0.index, $0.name) < ($1.index, $1.name) })
  }
}

/// The columns from a position on.
public struct SuffixRowAdapter: RowAdapter {
  private let start: Int

  /// The columns from that position on, which counts from 0.
  public init(fromIndex start: Int) {
    self.start = start
  }

  /// The columns; none where the statement has fewer.
  public func adapt(_ layout: RowLayout) -> RowLayout {
    RowLayout(columns: Array(layout.columns.dropFirst(max(0, start))))
  }
}

/// The columns in a range of positions.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// The columns in that range of positions, which count from 0.
  public init(_ range: Range<Int>) {
    self.range = range
  }

  /// The columns in that range of positions, which count from 0.
  public init(_ range: ClosedRange<Int>) {
    // `Range(range)` traps at the largest integer, which no column has.
    self.range = range.lowerBound..<max(range.lowerBound, range.upperBound &+ 1)
  }

  /// The columns; only those that the statement has.
  public func adapt(_ layout: RowLayout) -> RowLayout {
    RowLayout(columns: layout.columns(in: range))
  }
}

/// Rows inside of the row.
public struct ScopeAdapter: RowAdapter {
  private let base: (any RowAdapter)?
  private let scopes: [String: any RowAdapter]

  /// The rows of the statement, with a row inside of them for each adapter.
  public init(_ scopes: [String: any RowAdapter]) {
    base = nil
    self.scopes = scopes
  }

  /// The rows that `base` gives, with a row inside of them for each adapter.
  ///
  /// The adapters of the scopes see the rows as the statement gives them.
  public init(base: any RowAdapter, _ scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// The layout with scopes, in the order of their columns.
  ///
  /// - Throws: `RowDecodingError` where an adapter misses a column.
  public func adapt(_ layout: RowLayout) throws -> RowLayout {
    let base = try base?.adapt(layout) ?? layout
    let own = try scopes.map { RowLayout.Scope(name: $0.key, layout: try $0.value.adapt(layout)) }
    let others = base.scopes.filter { scopes[$0.name] == nil }
    return RowLayout(
      columns: base.columns,
      scopes: others + own.sorted { ($0.layout.firstIndex, $0.name) < ($1.layout.firstIndex, $1.name) })
  }
}

extension RowLayout {
  /// Where the values begin, to bring scopes into the order of the statement.
  fileprivate var firstIndex: Int { columns.first?.index ?? scopes.first?.layout.firstIndex ?? .max }
}

/// Adapters that split the columns of a statement: one per count, and one for the columns that are left.
///
/// Negative counts are taken as 0.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
  var start = 0
  var adapters: [any RowAdapter] = []
  for count in columnCounts {
    let end = start.addingReportingOverflow(max(0, count))
    adapters.append(RangeRowAdapter(start..<(end.overflow ? .max : end.partialValue)))
    start = end.overflow ? .max : end.partialValue
  }
  return adapters + [SuffixRowAdapter(fromIndex: start)]
}
