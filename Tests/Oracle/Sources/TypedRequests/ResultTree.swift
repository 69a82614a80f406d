import OracleValues

/// A row with its scopes and prefetched rows, as either library returns it.
package struct ResultTree: Sendable, Hashable, Comparable {
  package struct Column: Sendable, Hashable {
    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  package var columns: [Column]
  package var scopes: [String: ResultTree]
  package var collections: [String: [ResultTree]]

  package init(
    columns: [Column] = [], scopes: [String: ResultTree] = [:], collections: [String: [ResultTree]] = [:]
  ) {
    self.columns = columns
    self.scopes = scopes
    self.collections = collections
  }

  /// Whether it stands for a missing record.
  package var containsOnlyNulls: Bool {
    columns.allSatisfy(\.value.isNull) && scopes.values.allSatisfy(\.containsOnlyNulls)
  }

  /// The row without scopes that stand for missing records, and without empty ones.
  package var withoutMissing: ResultTree {
    ResultTree(
      columns: columns,
      scopes: scopes.filter { !$0.value.containsOnlyNulls }.mapValues(\.withoutMissing),
      collections: collections.mapValues { $0.map(\.withoutMissing) })
  }

  /// The row with the collections of its scopes, for each key that of the highest level, as lookups find them.
  package var withFoundCollections: ResultTree {
    var tree = self
    var level = scopes.sorted { $0.key < $1.key }.map(\.value)
    while !level.isEmpty {
      for scope in level { tree.collections.merge(scope.collections) { first, _ in first } }
      level = level.flatMap { $0.scopes.sorted { $0.key < $1.key }.map(\.value) }
    }
    tree.scopes = scopes.mapValues(\.withFoundCollections)
    tree.collections = tree.collections.mapValues { $0.map(\.withFoundCollections) }
    return tree
  }

  /// The row without scopes that have no columns, since their content is also found from above.
  package var withoutEmptyScopes: ResultTree {
    ResultTree(
      columns: columns,
      scopes: scopes.filter { $0.value.hasColumns }.mapValues(\.withoutEmptyScopes),
      collections: collections.mapValues { $0.map(\.withoutEmptyScopes) })
  }

  private var hasColumns: Bool { !columns.isEmpty || scopes.values.contains(where: \.hasColumns) }

  package static func < (left: ResultTree, right: ResultTree) -> Bool { left.description < right.description }
}

extension ResultTree: CustomStringConvertible {
  package var description: String {
    let columns = columns.map { "\($0.name): \($0.value.literal)" }
    let scopes = scopes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let collections = collections.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "{" + (columns + scopes + collections).joined(separator: ", ") + "}"
  }
}

/// Everything that a library returns for a request.
package struct Fetched: Sendable, Hashable {
  /// The rows.
  package var rows: [ResultTree]
  /// The debug descriptions of the rows, without the lines that show the statement's columns.
  package var descriptions: [String]
  /// The rows decoded by a `Decodable` type that requests every existing key.
  package var decoded: [ResultTree]
  /// The properties of the decoded records.
  package var records: [[String: String]]
  /// The number of rows by `fetchCount`.
  package var count: Int

  package init(
    rows: [ResultTree], descriptions: [String], decoded: [ResultTree], records: [[String: String]], count: Int
  ) {
    self.rows = rows
    self.descriptions = descriptions
    self.decoded = decoded
    self.records = records
    self.count = count
  }
}

/// The keys that a `Decodable` type requests: names of columns, and the shapes of scopes and collections.
package struct Shape: Sendable {
  package var columns: [(name: String, isText: Bool)]
  package var scopes: [String: Shape]
  package var collections: [String: Shape]

  /// Creates the shape that covers all rows.
  package init(of rows: [ResultTree]) {
    let texts = Set(
      rows.flatMap(\.columns).filter { if case .text = $0.value { true } else { false } }.map(\.name))
    columns = rows.first?.columns.map { ($0.name, texts.contains($0.name)) } ?? []
    scopes = [:]
    collections = [:]
    for key in Set(rows.flatMap(\.scopes.keys)) {
      scopes[key] = Shape(of: rows.compactMap { $0.scopes[key] })
    }
    for key in Set(rows.flatMap(\.collections.keys)) {
      collections[key] = Shape(of: rows.flatMap { $0.collections[key] ?? [] })
      // If a scope and a collection have the same key, lookups find the collection.
      scopes[key] = nil
    }
  }

  /// The shape at the decoder's current position.
  @TaskLocal package static var current = Shape(of: [])
}

/// An error for a request that a library does not support.
package struct Unsupported: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
