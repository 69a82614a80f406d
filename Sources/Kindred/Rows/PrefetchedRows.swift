/// The collections of a row that `including(all:)` has fetched.
///
/// They form the same tree as the scopes: in `Book.including(required: Book.author.including(all: Author.awards))`,
/// the awards belong to the scope of the author.
public struct PrefetchedRows: Hashable, Sendable {
  private struct Part: Hashable, Sendable {
    let name: String
    var content: Content
  }

  private enum Content: Hashable, Sendable {
    case list([Row])
    case scope(PrefetchedRows)
  }

  // Every row has them, but only a few of them, so one array is cheaper than dictionaries.
  /// The collections of this row, in the order in which they were added; then those of its scopes, ordered by name.
  private var parts: [Part] = []

  /// Creates an empty value.
  public init() {}

  /// Whether there is no collection, neither here nor in a scope.
  public var isEmpty: Bool {
    parts.allSatisfy { if case .scope(let rows) = $0.content { rows.isEmpty } else { false } }
  }

  /// The keys of all collections, including those in scopes.
  public var keys: Set<String> { scopes.reduce(into: Set(ownKeys)) { $0.formUnion($1.keys) } }

  /// The keys of the row's own collections, in the order in which they were added.
  var ownKeys: [String] { parts.compactMap { if case .list = $0.content { $0.name } else { nil } } }

  private var scopes: [PrefetchedRows] {
    parts.compactMap { if case .scope(let rows) = $0.content { rows } else { nil } }
  }

  /// The collection of a key, found by breadth-first search in this row and its scopes.
  public subscript(key: String) -> [Row]? {
    guard !parts.isEmpty else { return nil }
    if let rows = list(key) { return rows }
    // In most requests, scopes have no collections.
    var level = scopes
    while !level.isEmpty {
      for scope in level {
        if let rows = scope.list(key) { return rows }
      }
      level = level.flatMap(\.scopes)
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
    let firstScope =
      parts.firstIndex { if case .scope = $0.content { true } else { false } } ?? parts.endIndex
    guard let name = path.first else {
      if let index = parts[..<firstScope].firstIndex(where: { $0.name == key }) {
        parts[index].content = .list(rows)
      } else {
        parts.insert(Part(name: key, content: .list(rows)), at: firstScope)
      }
      return
    }
    let index = parts[firstScope...].firstIndex { $0.name >= name } ?? parts.endIndex
    var scope = PrefetchedRows()
    if index < parts.endIndex, parts[index].name == name, case .scope(let known) = parts[index].content {
      scope = known
      parts.remove(at: index)
    }
    scope.set(rows, forKey: key, in: path.dropFirst())
    parts.insert(Part(name: name, content: .scope(scope)), at: index)
  }

  /// Returns the number of rows in the row's own collection of a key.
  func count(_ key: String) -> Int { list(key)?.count ?? 0 }

  func scope(_ name: String) -> PrefetchedRows {
    for part in parts where part.name == name { if case .scope(let rows) = part.content { return rows } }
    return PrefetchedRows()
  }

  private func list(_ key: String) -> [Row]? {
    for part in parts where part.name == key { if case .list(let rows) = part.content { return rows } }
    return nil
  }
}
