/// Lists of rows that were fetched along with a row: what `including(all:)` asks for.
///
/// They form a tree as the scopes do: of `Book.including(required: Book.author.including(all: Author.awards))`,
/// the awards belong to the scope of the author.
public struct PrefetchedRows: Hashable, Sendable {
  private var lists: [String: [Row]] = [:]
  /// The keys of `lists`, in the order in which they came.
  private(set) var ownKeys: [String] = []
  private var scopes: [String: PrefetchedRows] = [:]

  /// None.
  public init() {}

  /// Whether there is no list, here or in a scope.
  public var isEmpty: Bool { lists.isEmpty && scopes.values.allSatisfy(\.isEmpty) }

  /// The keys of all lists, also those in scopes.
  public var keys: Set<String> { scopes.values.reduce(into: Set(ownKeys)) { $0.formUnion($1.keys) } }

  /// The list of that key: of this row, or else of the nearest scope that has it.
  public subscript(key: String) -> [Row]? {
    if let rows = lists[key] { return rows }
    // Most requests have none in scopes.
    var level = scopes.isEmpty ? [] : [self]
    while !level.isEmpty {
      for node in level {
        if let rows = node.lists[key] { return rows }
      }
      level = level.flatMap { $0.scopes.sorted { $0.key < $1.key }.map(\.value) }
    }
    return nil
  }

  /// Puts in a list.
  ///
  /// - Parameters:
  ///   - rows: The rows of the list.
  ///   - key: The key of the list.
  ///   - path: The names of the scopes that lead to the row which the list belongs to.
  public mutating func set(_ rows: [Row], forKey key: String, in path: some Collection<String> = []) {
    guard let scope = path.first else {
      if lists.updateValue(rows, forKey: key) == nil { ownKeys.append(key) }
      return
    }
    scopes[scope, default: PrefetchedRows()].set(rows, forKey: key, in: path.dropFirst())
  }

  /// How many rows the row's own list of that key has.
  func count(_ key: String) -> Int { lists[key]?.count ?? 0 }

  func scope(_ name: String) -> PrefetchedRows {
    // Almost no request has any in a scope.
    scopes.isEmpty ? PrefetchedRows() : scopes[name] ?? PrefetchedRows()
  }
}
