import OracleValues

/// A row with its scopes and the rows that were fetched along, as either library gives it.
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

  /// Whether it stands for a record that is missing.
  package var containsOnlyNulls: Bool {
    columns.allSatisfy(\.value.isNull) && scopes.values.allSatisfy(\.containsOnlyNulls)
  }

  /// Without the scopes that stand for records that are missing, and without those that say nothing.
  package var withoutMissing: ResultTree {
    ResultTree(
      columns: columns,
      scopes: scopes.filter { !$0.value.containsOnlyNulls }.mapValues(\.withoutMissing),
      collections: collections.mapValues { $0.map(\.withoutMissing) })
  }

  /// With the collections of scopes, of each key those of the highest level, as look-ups find them.
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

  /// Without the scopes that have no columns: what is in them is found from above too.
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

/// All that a library says of a request.
package struct Fetched: Sendable, Hashable {
  /// The rows.
  package var rows: [ResultTree]
  /// The rows' descriptions for programmers, without the lines that show the statement.
  package var descriptions: [String]
  /// The rows, decoded by a Decodable type that asks for every key that there is.
  package var decoded: [ResultTree]
  /// The properties of the records, in Swift.
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

/// What a Decodable type is to ask for: the names of columns, and what is inside of scopes and collections.
package struct Shape: Sendable {
  package var columns: [(name: String, isText: Bool)]
  package var scopes: [String: Shape]
  package var collections: [String: Shape]

  /// What the rows have, taken together.
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
      // Of a scope and a collection of one key, the collection is found.
      scopes[key] = nil
    }
  }

  /// What is asked for where the decoder is at work.
  @TaskLocal package static var current = Shape(of: [])
}

/// A description says what a library can't do.
package struct Unsupported: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
