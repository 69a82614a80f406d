/// Lists of rows that were fetched along with a row: what `including(all:)` asks for.
///
/// They form a tree as the scopes do: of `Book.including(required: Book.author.including(all: Author.awards))`,
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

  // There are a few at most, and as many as rows: arrays cost less than dictionaries.
  /// In the order in which they came.
  private var lists: [List] = []
  /// In the order of their names.
  private var scopes: [Scope] = []

  /// None.
  public init() {}

  /// Whether there is no list, here or in a scope.
  public var isEmpty: Bool { lists.isEmpty && scopes.allSatisfy(\.rows.isEmpty) }

  /// The keys of all lists, also those in scopes.
  public var keys: Set<String> { scopes.reduce(into: Set(ownKeys)) { $0.formUnion($1.rows.keys) } }

  /// The keys of the row's own lists, in the order in which they came.
  var ownKeys: [String] { lists.map(\.key) }

  /// The list of that key: of this row, or else of the nearest scope that has it.
  public subscript(key: String) -> [Row]? {
    if let rows = list(key) { return rows }
    // Most requests have none in scopes.
    var level = scopes
    while !level.isEmpty {
      for scope in level {
        if let rows = scope.rows.list(key) { return rows }
      }
      level = level.flatMap(\.rows.scopes)
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

  /// How many rows the row's own list of that key has.
  func count(_ key: String) -> Int { list(key)?.count ?? 0 }

  func scope(_ name: String) -> PrefetchedRows {
    scopes.first { $0.name == name }?.rows ?? PrefetchedRows()
  }

  private func list(_ key: String) -> [Row]? { lists.first { $0.key == key }?.rows }
}
