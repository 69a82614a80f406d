import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredSQLSyntax
import KindredSQLite

/// The prepared statements of a plan: one for the records, and one for each of their collections.
///
/// If the plan has a batch statement for a collection, it runs once for all records that are read together.
/// Otherwise the collection's statement runs for each record, with values of the record bound.
final class PlannedRequest {
  private let db: Database
  private let nodes: [Node]

  /// A statement and the layout of its rows.
  private struct Node {
    let statement: Statement
    let bindings: [SQLText.Binding]
    let batch: Plan.Batch?
    let layout: RowLayout
    let collections: [Prefetch]
    /// The columns by whose values collections on lower levels are found.
    var keyColumns: [Int] = []

    /// The values that the node's statements take from the rows above.
    var ancestors: [(level: Int, column: Int)] {
      (bindings + (batch.map { $0.columns + $0.statement.bindings } ?? [])).compactMap { binding in
        if case .ancestor(let level, let column) = binding { (level, column) } else { nil }
      }
    }
  }

  /// A collection of rows that belong to a row, or to one of its scopes.
  struct Prefetch {
    let path: [String]
    let key: String
    let node: Int
  }

  /// The values of the rows above a row, from the root down to and including its own.
  private typealias Lineage = [[SQLValue]]
  /// Adds the current row of a statement to the collection of a record.
  private typealias Addition = (_ values: [SQLValue], _ owner: Int, _ statement: DriverStatement) throws ->
    Void

  init(_ plan: Plan, on db: Database) throws {
    self.db = db
    try db.prepareTransients(of: plan)
    var nodes = try plan.nodes.map { node in
      let statement = try db.makeSelectStatement(sql: node.statement.sql)
      let names = try statement.columnNames
      let layout = RowLayout(
        node.layout, names: names, statement: RowLayout(columnNames: node.layout.names(names)))
      return Node(
        statement: statement, bindings: node.statement.bindings, batch: node.batch, layout: layout,
        collections: node.layout.collections(in: []))
    }
    Self.findKeys(of: &nodes, at: 0, below: [])
    self.nodes = nodes
  }

  /// Sets the key columns of the nodes above a node and the nodes below it.
  private static func findKeys(of nodes: inout [Node], at index: Int, below above: [Int]) {
    guard nodes.indices.contains(index) else { return }
    for (level, column) in nodes[index].ancestors {
      let depth = above.count - level
      guard above.indices.contains(depth), !nodes[above[depth]].keyColumns.contains(column) else { continue }
      nodes[above[depth]].keyColumns.append(column)
    }
    for collection in nodes[index].collections {
      findKeys(of: &nodes, at: collection.node, below: above + [index])
    }
  }

  /// Returns the request ready to run.
  func prepared() throws -> PreparedRequest {
    guard let root = nodes.first else { throw DatabaseError.misuse("a plan without statements") }
    var request = PreparedRequest(statement: root.statement)
    request.statement.arguments = try StatementArguments(root.bindings)
    request.layout = root.layout
    request.keyColumns = root.keyColumns
    if !root.collections.isEmpty {
      request.supplement = { rows in
        try self.completed(rows, root.collections, below: rows.map { _ in [] })
      }
    }
    return request
  }

  /// Returns the rows with their collections added.
  private func completed(_ rows: [Row], _ collections: [Prefetch], below above: [Lineage]) throws -> [Row] {
    guard !collections.isEmpty, !rows.isEmpty else { return rows }
    var rows = rows
    let lineages = zip(above, rows).map { $0 + [$1.values] }
    for collection in collections {
      let lists = try lists(of: nodes[collection.node], below: lineages)
      for (index, list) in lists.enumerated() {
        rows[index].prefetchedRows.set(list, forKey: collection.key, in: collection.path)
      }
    }
    return rows
  }

  /// Returns the collection of each of several records.
  private func lists(of node: Node, below lineages: [Lineage]) throws -> [[Row]] {
    var rows: [Row] = []
    // For each row, the index of the record that it belongs to.
    var owners: [Int] = []
    func add(_ values: [SQLValue], of owner: Int, _ statement: DriverStatement) throws {
      try statement.checkKeys(node.keyColumns, in: values)
      rows.append(Row(layout: node.layout, values: values, failures: db.failures))
      owners.append(owner)
    }
    if lineages.count > 1, let batch = node.batch,
      let keys = try JSONText(lineages.map { try values(batch.columns, below: $0) })
    {
      try read(batch, keys: keys, add)
    } else {
      try read(node, below: lineages, add)
    }
    if !node.collections.isEmpty {
      // Only after the rows have been read: a nested collection may use the same cached statement.
      rows = try completed(rows, node.collections, below: owners.map { lineages[$0] })
    }
    var lists = [[Row]](repeating: [], count: lineages.count)
    for (row, owner) in zip(rows, owners) { lists[owner].append(row) }
    return lists
  }

  /// Reads the rows of one record after another.
  private func read(_ node: Node, below lineages: [Lineage], _ add: Addition) throws {
    let statement = try node.statement.prepared
    defer { statement.reset() }
    for (owner, lineage) in lineages.enumerated() {
      statement.reset()
      for (index, binding) in node.bindings.enumerated() {
        try statement.bind(try value(of: binding, below: lineage), at: Int32(truncatingIfNeeded: index + 1))
      }
      while try statement.step() { try add(statement.values(statement.columnCount), owner, statement) }
    }
  }

  /// Reads the rows of many records at once.
  private func read(_ batch: Plan.Batch, keys: JSONText, _ add: Addition) throws {
    let leased = try db.makeSelectStatement(sql: batch.statement.sql)
    leased.arguments = StatementArguments(
      try batch.statement.bindings.map { binding in
        if case .parameter = binding { .text(keys.text) } else { try value(of: binding, below: []) }
      })
    let statement = try leased.start()
    defer { statement.reset() }
    let numberColumn = statement.columnCount - 1
    while try statement.step() {
      try add(statement.values(numberColumn), Int(statement.int64(numberColumn)), statement)
    }
  }

  private func values(_ bindings: [SQLText.Binding], below lineage: Lineage) throws -> [SQLValue] {
    try bindings.map { try value(of: $0, below: lineage) }
  }

  private func value(of binding: SQLText.Binding, below lineage: Lineage) throws -> SQLValue {
    switch binding {
    case .value(let value): return value
    case .ancestor(let level, let column):
      let index = lineage.count - level
      if lineage.indices.contains(index), lineage[index].indices.contains(column) {
        return lineage[index][column]
      }
    case .moment(let binding): return try value(of: binding, below: lineage)
    case .parameter, .cursor, .claim, .batch, .beginning, .regularExpression, .json, .document, .elements:
      break
    }
    throw DatabaseError.misuse("a value of the request is missing")
  }
}

extension DriverStatement {
  /// Throws if one of these columns of the current row holds a text that is not UTF-8.
  ///
  /// In `values`, U+FFFD replaces the invalid bytes, so the text would equal no key of the rows below.
  func checkKeys(_ columns: [Int], in values: [SQLValue]) throws {
    for column in columns where values.indices.contains(column) {
      // U+FFFD begins with the byte EF, which few keys contain.
      guard case .text(let text) = values[column], text.utf8.contains(0xEF) else { continue }
      let index = Int32(truncatingIfNeeded: column)
      guard !text.utf8.elementsEqual(bytes(index)) else { continue }
      throw RowDecodingError(
        .mismatch(found: "a text that is not valid UTF-8"), key: columnName(index), type: String.self)
    }
  }
}

extension Database {
  /// Creates the transient tables that a plan's statements read.
  func prepareTransients(of plan: Plan) throws {
    try ResultReader.prepare(plan.transients, on: connection)
  }
}

extension RowLayout {
  /// Creates the layout of a plan's rows, in which columns without a name take the one that SQLite gives them.
  convenience init(
    _ layout: KindredPlanning.RowLayout, names: [String], statement: RowLayout? = nil
  ) {
    self.init(
      columns: layout.columns.map { column in
        Column(
          name: column.name ?? (names.indices.contains(column.place) ? names[column.place] : ""),
          index: column.place)
      },
      // A record without selected columns is only joined to reach a collection, so the row shows no scope for it.
      scopes: layout.scopes.filter { !$0.layout.hasNoColumns }
        .map { Scope(name: $0.key, layout: RowLayout($0.layout, names: names)) },
      statement: statement)
  }
}

extension KindredPlanning.RowLayout {
  fileprivate var hasNoColumns: Bool { columns.isEmpty && scopes.allSatisfy(\.layout.hasNoColumns) }

  /// Returns the names of the statement's columns, with those that the plan gives in place of SQLite's.
  fileprivate func names(_ names: [String]) -> [String] {
    var names = names
    for column in columns {
      if let name = column.name, names.indices.contains(column.place) { names[column.place] = name }
    }
    return scopes.reduce(names) { $1.layout.names($0) }
  }

  /// Returns the collections of the row and of its scopes.
  fileprivate func collections(in path: [String]) -> [PlannedRequest.Prefetch] {
    prefetched.map { PlannedRequest.Prefetch(path: path, key: $0.key, node: $0.node) }
      + scopes.flatMap { $0.layout.collections(in: path + [$0.key]) }
  }
}
