/// A transformation of the rows of a statement into rows with other columns and with scopes.
///
///     // One scope per table of `SELECT book.*, author.* …`
///     let adapters = splittingRowAdapters(columnCounts: [3, 2])
///     let adapter = ScopeAdapter(["book": adapters[0], "author": adapters[1]])
///     let row = try Row.fetchOne(db, sql: sql, adapter: adapter)
///     let author = row?.scopes["author"]
public protocol RowAdapter: Sendable {
  /// Returns the layout that the adapter gives to rows of `layout`.
  ///
  /// - Throws: `RowDecodingError` if a column is missing.
  func adapt(_ layout: RowLayout) throws -> RowLayout
}

extension RowAdapter {
  /// Returns an adapter that adds scopes to the rows of this one.
  ///
  /// The adapters of the scopes receive the rows of the statement.
  public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
    scopes.isEmpty ? self : ScopeAdapter(base: self, scopes)
  }
}

/// An adapter that hides all columns.
public struct EmptyRowAdapter: RowAdapter {
  /// Creates an adapter that hides all columns.
  public init() {}

  /// Returns a layout without columns.
  public func adapt(_ layout: RowLayout) -> RowLayout { RowLayout(columns: []) }
}

/// An adapter that selects columns and renames them.
public struct ColumnMapping: RowAdapter {
  private let mapping: [String: String]

  /// Creates an adapter from a dictionary of new column names to names of the statement's columns.
  public init(_ mapping: [String: String]) {
    self.mapping = mapping
  }

  /// Returns the renamed columns in the order of the statement.
  ///
  /// - Throws: `RowDecodingError` if the statement lacks one of the columns.
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

/// An adapter that renames all columns.
public struct RenameColumnAdapter: RowAdapter {
  private let rename: @Sendable (String) -> String

  /// Creates an adapter that gives each column the name that a closure returns for its own.
  public init(_ rename: @escaping @Sendable (String) -> String) {
    self.rename = rename
  }

  /// Returns the columns with their new names.
  public func adapt(_ layout: RowLayout) -> RowLayout {
    RowLayout(columns: layout.columns.map { RowLayout.Column(name: rename($0.name), index: $0.index) })
  }
}

/// An adapter that keeps the columns from a position to the end.
public struct SuffixRowAdapter: RowAdapter {
  private let start: Int

  /// Creates an adapter that keeps the columns from a position on, which counts from 0.
  public init(fromIndex start: Int) {
    self.start = start
  }

  /// Returns the columns; none if the statement has fewer.
  public func adapt(_ layout: RowLayout) -> RowLayout {
    RowLayout(columns: Array(layout.columns.dropFirst(max(0, start))))
  }
}

/// An adapter that keeps the columns in a range of positions.
public struct RangeRowAdapter: RowAdapter {
  private let range: Range<Int>

  /// Creates an adapter that keeps the columns in a range of positions, which count from 0.
  public init(_ range: Range<Int>) {
    self.range = range
  }

  /// Creates an adapter that keeps the columns in a range of positions, which count from 0.
  public init(_ range: ClosedRange<Int>) {
    // `Range(range)` would trap if the upper bound is `Int.max`, which no position of a column reaches.
    self.range = range.lowerBound..<(range.upperBound == .max ? .max : range.upperBound + 1)
  }

  /// Returns those of the columns that the statement has.
  public func adapt(_ layout: RowLayout) -> RowLayout {
    RowLayout(columns: layout.columns(in: range))
  }
}

/// An adapter that adds scopes, which are nested rows.
public struct ScopeAdapter: RowAdapter {
  private let base: (any RowAdapter)?
  private let scopes: [String: any RowAdapter]

  /// Creates an adapter that adds a scope for each entry to the rows of the statement.
  public init(_ scopes: [String: any RowAdapter]) {
    base = nil
    self.scopes = scopes
  }

  /// Creates an adapter that adds a scope for each entry to the rows of `base`.
  ///
  /// The adapters of the scopes receive the rows of the statement.
  public init(base: any RowAdapter, _ scopes: [String: any RowAdapter]) {
    self.base = base
    self.scopes = scopes
  }

  /// Creates an adapter that adds a scope for each entry to the rows of `base`.
  ///
  /// The adapters of the scopes receive the rows of the statement.
  public init(base: any RowAdapter, scopes: [String: any RowAdapter]) { self.init(base: base, scopes) }

  /// Returns the layout with its scopes, ordered by their first columns.
  ///
  /// - Throws: `RowDecodingError` if an adapter lacks a column.
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
  /// The index of the first value, by which scopes are ordered as in the statement.
  fileprivate var firstIndex: Int { columns.first?.index ?? scopes.first?.layout.firstIndex ?? .max }
}

/// Returns adapters that split the columns of a statement: one for each count, and one for the remaining columns.
///
/// Negative counts count as 0.
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
