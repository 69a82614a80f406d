/// The collections of a row that `including(all:)` has fetched.
///
/// They form the same tree as the scopes: in `Book.including(required: Book.author.including(all: Author.awards))`,
/// the awards belong to the scope of the author.
public struct PrefetchedRows: Hashable, Sendable {
  private struct List: Hashable, Sendable {
    let key: String
    var rows: [Row]
  }

  private struct Scope: Hashable, Sendable {
    let name: String
    var rows: PrefetchedRows
  }

  // Every row has them, but only a few of them, so arrays are cheaper than dictionaries.
  /// The collections of this row, in the order in which they were added.
  private var lists: [List] = []
  /// The collections of its scopes, ordered by name.
  private var scopes: [Scope] = []

  /// Creates an empty value.
  public init() {}

  /// Whether there is no collection, neither here nor in a scope.
  public var isEmpty: Bool { lists.isEmpty && scopes.allSatisfy(\.rows.isEmpty) }

  /// The keys of all collections, including those in scopes.
  public var keys: Set<String> { scopes.reduce(into: Set(ownKeys)) { $0.formUnion($1.rows.keys) } }

  /// The keys of the row's own collections, in the order in which they were added.
  var ownKeys: [String] { lists.map(\.key) }

  /// The collection of a key, found by breadth-first search in this row and its scopes.
  public subscript(key: String) -> [Row]? {
    if let rows = list(key) { return rows }
    // In most requests, scopes have no collections.
    var level = scopes
    while !level.isEmpty {
      for scope in level {
        if let rows = scope.rows.list(key) { return rows }
      }
      level = level.flatMap(\.rows.scopes)
    }
    return nil
  }

  /// Sets a collection.
  ///
  /// - Parameters:
  ///   - rows: The rows of the collection.
  ///   - key: The key of the collection.
  ///   - path: The names of the scopes that lead to the row to which the collection belongs.
  public mutating func set(_ rows: [Row], forKey key: String, in path: some Collection<String> = []) {
    guard let name = path.first else {
      if let index = lists.firstIndex(where: { $0.key == key }) {
        lists[index].rows = rows
      } else {
        lists.append(List(key: key, rows: rows))
      }
      return
    }
    let index = scopes.firstIndex { $0.name >= name } ?? scopes.endIndex
    if index == scopes.endIndex || scopes[index].name != name {
      scopes.insert(Scope(name: name, rows: PrefetchedRows()), at: index)
    }
    scopes[index].rows.set(rows, forKey: key, in: path.dropFirst())
  }

  /// Returns the number of rows in the row's own collection of a key.
  func count(_ key: String) -> Int { list(key)?.count ?? 0 }

  func scope(_ name: String) -> PrefetchedRows {
    scopes.first { $0.name == name }?.rows ?? PrefetchedRows()
  }

  private func list(_ key: String) -> [Row]? { lists.first { $0.key == key }?.rows }
}
