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
    let keyColumns: [Int]
  }

  /// A collection of rows that belong to a row, or to one of its scopes.
  struct Prefetch: Sendable {
    let path: [String]
    let key: String
    let node: Int
  }

  /// The values of the rows above a row, from the root down to and including its own.
  private typealias Lineage = [[SQLValue]]
  /// Adds the current row of a statement to the collection of a record.
  private typealias Addition = (_ values: [SQLValue], _ owner: Int, _ statement: DriverStatement) throws ->
    Void

  /// The values in the places of marks; empty if the plan has none.
  private let values: [SQLValue: SQLValue]

  /// Prepares the statements of a plan.
  ///
  /// - Parameters:
  ///   - shape: The plan with the layouts of its rows.
  ///   - values: The values in the places of the plan's marks.
  ///   - db: The database.
  init(_ shape: PlannedShape, values: [SQLValue], on db: Database) throws {
    self.db = db
    try db.prepare(shape.transients)
    self.values = values.isEmpty ? [:] : PlannedShape.substitutions(values)
    nodes = try shape.nodes.map { node in
      Node(
        statement: try db.makeStatement(node.text), bindings: node.bindings, batch: node.batch,
        layout: node.layout, collections: node.collections, keyColumns: node.keyColumns)
    }
  }

  /// Returns the request ready to run.
  func prepared() throws -> PreparedRequest {
    guard let root = nodes.first else { throw DatabaseError.misuse("a plan without statements") }
    var request = PreparedRequest(statement: root.statement)
    request.statement.arguments = StatementArguments(try values(root.bindings, below: []))
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
    case .value(let value): return values.isEmpty ? value : values[value] ?? value
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
