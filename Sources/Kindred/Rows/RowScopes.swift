/// The nested rows of a row, by name.
public struct RowScopes: Sequence, Sendable {
  let row: Row

  /// The names in the order of the request.
  public var names: [String] { row.layout.scopes.map(\.name) }

  /// The number of nested rows.
  public var count: Int { row.layout.scopes.count }

  /// Whether there are no nested rows.
  public var isEmpty: Bool { row.layout.scopes.isEmpty }

  /// The nested row with a name.
  public subscript(name: String) -> Row? { row.scope(name) }

  /// Returns an iterator over the names and rows.
  public func makeIterator() -> AnyIterator<(name: String, row: Row)> {
    var scopes = row.layout.scopes.makeIterator()
    return AnyIterator { scopes.next().map { ($0.name, row.scope($0.name, layout: $0.layout)) } }
  }
}

/// The nested rows of a row on all levels.
public struct RowScopesTree: Sendable {
  let row: Row

  /// The names on all levels.
  public var names: Set<String> {
    row.scopes.reduce(into: Set(row.scopes.names)) { $0.formUnion($1.row.scopesTree.names) }
  }

  /// The nested row with a name, found by breadth-first search.
  public subscript(name: String) -> Row? {
    if let scope = row.scope(name) { return scope }
    // Few rows have scopes within scopes.
    guard row.layout.scopes.contains(where: { !$0.layout.scopes.isEmpty }) else { return nil }
    var level = row.scopes.map(\.row)
    while !level.isEmpty {
      for row in level {
        if let scope = row.scope(name) { return scope }
      }
      level = level.flatMap { $0.scopes.map(\.row) }
    }
    return nil
  }
}
