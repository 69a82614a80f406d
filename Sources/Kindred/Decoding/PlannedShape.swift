import KindredPlanning
import KindredSQLiteBackend
import KindredSQLSyntax
import KindredSQLite

/// A plan with the layouts of its rows, for all requests of one shape.
final class PlannedShape: Sendable {
  /// What a parameter of a statement is bound to.
  enum Input: Sendable {
    case constant(SQLValue)
    /// The value of the request with this number.
    case value(Int)
    /// A column of a row above, 1 being the level of the parent.
    case ancestor(level: Int, column: Int)
    /// The keys of all rows above.
    case keys

    /// - Throws: `DatabaseError` (misuse) if a request of the library has no such value.
    init(_ binding: SQLText.Binding) throws {
      switch binding {
      case .value(let value): self = .constant(value)
      case .parameter(let number): self = .value(number)
      case .ancestor(let level, let column): self = .ancestor(level: level, column: column)
      case .moment(let binding): self = try Input(binding)
      case .batch: self = .keys
      case .cursor, .claim, .beginning, .regularExpression, .json, .document, .elements:
        throw DatabaseError.misuse("a value of the request is missing")
      }
    }
  }

  /// A collection of rows that belong to a row, or to one of its scopes.
  struct Prefetch: Sendable {
    let path: [String]
    let key: String
    let node: Int
  }

  /// A statement and the layout of its rows.
  struct Node: Sendable {
    let text: StatementText
    let inputs: [Input]
    let batch: Batch?
    let layout: RowLayout
    let collections: [Prefetch]
    /// The columns by whose values collections on lower levels are found.
    var keyColumns: [Int] = []

    /// The values that the node's statements take from the rows above.
    var ancestors: [(level: Int, column: Int)] {
      (inputs + (batch.map { $0.keys + $0.inputs } ?? [])).compactMap { input in
        if case .ancestor(let level, let column) = input { (level, column) } else { nil }
      }
    }
  }

  /// The statement of a node for many rows above at once.
  struct Batch: Sendable {
    let text: StatementText
    let inputs: [Input]
    /// The values that it reads from each row above.
    let keys: [Input]
  }

  /// The nodes of the plan, root first.
  let nodes: [Node]
  let transients: [TransientTable]
  /// The texts of all that the request reads.
  let textsRead: [String]

  /// Finds the layouts of a plan's rows.
  ///
  /// - Throws: `DatabaseError`.
  init(_ plan: Plan, on db: Database) throws {
    guard !plan.nodes.isEmpty else { throw DatabaseError.misuse("a plan without statements") }
    (transients, textsRead) = (plan.transients, plan.textsRead)
    try db.prepare(transients)
    func inputs(_ bindings: [SQLText.Binding]) throws -> [Input] { try bindings.map { try Input($0) } }
    var nodes = try plan.nodes.map { node in
      let names = try db.makeSelectStatement(sql: node.statement.sql).prepared.columnNames
      let layout = RowLayout(
        node.layout, names: names, statement: RowLayout(columnNames: node.layout.names(names)))
      let batch = try node.batch.map { batch in
        Batch(
          text: StatementText(batch.statement.sql), inputs: try inputs(batch.statement.bindings),
          keys: try inputs(batch.columns))
      }
      return Node(
        text: StatementText(node.statement.sql), inputs: try inputs(node.statement.bindings), batch: batch,
        layout: layout, collections: node.layout.collections(in: []))
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
}

/// A statement for all requests of one shape that returns no records: one that counts them, or writes them.
struct PlannedStatement: Sendable {
  let text: StatementText
  private let inputs: [PlannedShape.Input]
  /// The tables that it reads, which must exist.
  let transients: [TransientTable]

  /// - Throws: `DatabaseError` (misuse) if the statement depends on the rows of another.
  init(_ sql: String, _ bindings: [SQLText.Binding], transients: [TransientTable]) throws {
    text = StatementText(sql)
    inputs = try bindings.map { try PlannedShape.Input($0) }
    self.transients = transients
  }

  /// Returns the values to bind.
  ///
  /// - Parameter values: The values of the request.
  func bound(_ values: [SQLValue]) throws -> [SQLValue] {
    try inputs.map { input in
      switch input {
      case .constant(let value): return value
      case .value(let number): return values[number]
      case .ancestor, .keys: throw DatabaseError.misuse("a value of the request is missing")
      }
    }
  }
}

extension Plan {
  /// The texts of the statements that can return rows.
  var textsRead: [String] {
    var (texts, never): ([String], Int?) = ([], nil)
    for node in nodes {
      // What is below records that don't exist isn't read.
      if let level = never, node.level > level { continue }
      never = node.isNever ? node.level : nil
      if !node.isNever { texts.append(node.statement.sql) }
    }
    let copies = transients.filter { copy in
      let name = SQLText.quoted(copy.name)
      return texts.contains { $0.contains(name) }
    }
    return texts + copies.map(\.fill)
  }
}

extension Database {
  /// Creates the transient tables that a plan's statements read.
  func prepareTransients(of plan: Plan) throws { try prepare(plan.transients) }

  /// Creates transient tables.
  func prepare(_ transients: [TransientTable]) throws {
    if !transients.isEmpty { try ResultReader.prepare(transients, on: connection) }
  }
}

extension RowLayout {
  /// Creates the layout of a plan's rows, in which columns without a name take the one that SQLite gives them.
  package convenience init(
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

  /// Returns the names of the statement's columns, with the plan's names in place of SQLite's.
  fileprivate func names(_ names: [String]) -> [String] {
    var names = names
    for column in columns {
      if let name = column.name, names.indices.contains(column.place) { names[column.place] = name }
    }
    return scopes.reduce(names) { $1.layout.names($0) }
  }

  /// Returns the collections of the row and of its scopes.
  fileprivate func collections(in path: [String]) -> [PlannedShape.Prefetch] {
    prefetched.map { PlannedShape.Prefetch(path: path, key: $0.key, node: $0.node) }
      + scopes.flatMap { $0.layout.collections(in: path + [$0.key]) }
  }
}
