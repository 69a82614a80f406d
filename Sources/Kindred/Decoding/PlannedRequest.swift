import KindredAssociations
import KindredExecution
import KindredSQLSyntax
import KindredSQLite

/// The statements of a plan on a database: that of the records, and those that give the collections of each of them.
///
/// A collection's statement is prepared once, and run for each record with the record's columns bound: the engine's
/// nested cursors.
final class PlannedRequest {
  private let nodes: [Node]
  private let failures = DecodingFailures()

  /// A statement, and how its rows are seen.
  private struct Node {
    let statement: SelectStatement
    let bindings: [SQL.Binding]
    let layout: RowLayout
    let collections: [Prefetch]
  }

  /// Rows that belong to a row, or to a scope of it.
  struct Prefetch {
    let path: [String]
    let key: String
    let node: Int
  }

  init(_ plan: Plan, on db: Database) throws {
    try ResultReader.prepareTransients(of: plan, on: db.connection)
    nodes = try plan.nodes.map { node in
      let statement = try db.makeSelectStatement(sql: node.statement.sql)
      let names = try statement.columnNames
      let layout = RowLayout(
        node.layout, names: names, statement: RowLayout(columnNames: node.layout.names(names)))
      return Node(
        statement: statement, bindings: node.statement.bindings, layout: layout,
        collections: node.layout.collections(in: []))
    }
  }

  /// The request, ready to run.
  func prepared() throws -> PreparedRequest {
    guard let root = nodes.first else { throw DatabaseError.misuse("a plan without statements") }
    var request = PreparedRequest(statement: root.statement)
    request.statement.arguments = try arguments(root.bindings, above: [])
    request.layout = root.layout
    if !root.collections.isEmpty {
      request.supplement = { rows in
        try rows.map { try self.completed($0, root.collections, above: []) }
      }
    }
    return request
  }

  /// A row with its collections.
  private func completed(_ row: Row, _ collections: [Prefetch], above: [[SQLValue]]) throws -> Row {
    guard !collections.isEmpty else { return row }
    var row = row
    let values = above + [row.values]
    for collection in collections {
      row.prefetchedRows.set(
        try rows(of: nodes[collection.node], above: values), forKey: collection.key, in: collection.path)
    }
    return row
  }

  private func rows(of node: Node, above: [[SQLValue]]) throws -> [Row] {
    let statement = try node.statement.prepared
    defer { statement.reset() }
    statement.reset()
    for (index, binding) in node.bindings.enumerated() {
      try statement.bind(try value(of: binding, above: above), at: Int32(truncatingIfNeeded: index + 1))
    }
    var rows: [Row] = []
    while try statement.step() {
      rows.append(Row(layout: node.layout, values: statement.row, failures: failures))
    }
    // Only then, for a node below may read the same statement text.
    return node.collections.isEmpty
      ? rows : try rows.map { try completed($0, node.collections, above: above) }
  }

  private func arguments(_ bindings: [SQL.Binding], above: [[SQLValue]]) throws -> StatementArguments {
    StatementArguments(try bindings.map { try value(of: $0, above: above) })
  }

  private func value(of binding: SQL.Binding, above: [[SQLValue]]) throws -> SQLValue {
    switch binding {
    case .value(let value): return value
    case .ancestor(let level, let column):
      let index = above.count - level
      if above.indices.contains(index), above[index].indices.contains(column) { return above[index][column] }
    case .parameter, .cursor: break
    }
    throw DatabaseError.misuse("a value of the request is missing")
  }
}

extension Plan.Statement {
  /// The values of a statement that reads no row above.
  func arguments() throws -> StatementArguments {
    StatementArguments(
      try bindings.map { binding in
        guard case .value(let value) = binding else {
          throw DatabaseError.misuse("a value of the request is missing")
        }
        return value
      })
  }
}

extension RowLayout {
  /// The layout of a plan's rows; columns without a name have the one that SQLite gives.
  convenience init(
    _ layout: KindredAssociations.RowLayout, names: [String], statement: RowLayout? = nil
  ) {
    self.init(
      columns: layout.columns.map { column in
        Column(
          name: column.name ?? (names.indices.contains(column.place) ? names[column.place] : ""),
          index: column.place)
      },
      scopes: layout.scopes.map { Scope(name: $0.key, layout: RowLayout($0.layout, names: names)) },
      statement: statement)
  }
}

extension KindredAssociations.RowLayout {
  /// The names of the statement's columns, as the tree knows them.
  fileprivate func names(_ names: [String]) -> [String] {
    var names = names
    for column in columns {
      if let name = column.name, names.indices.contains(column.place) { names[column.place] = name }
    }
    return scopes.reduce(names) { $1.layout.names($0) }
  }

  /// The collections of the row and of its scopes.
  fileprivate func collections(in path: [String]) -> [PlannedRequest.Prefetch] {
    prefetched.map { PlannedRequest.Prefetch(path: path, key: $0.key, node: $0.node) }
      + scopes.flatMap { $0.layout.collections(in: path + [$0.key]) }
  }
}
