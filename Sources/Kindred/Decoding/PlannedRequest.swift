import KindredSQLSyntax
import KindredSQLite

/// A plan with the values of a request: the statement of its records, and one for each of their collections.
///
/// If the plan has a batch statement for a collection, it runs once for all records that are read together.
/// Otherwise the collection's statement runs for each record, with values of the record bound.
final class PlannedRequest {
  private let shape: PlannedShape
  /// The values that the plan takes from the request.
  private let values: [SQLValue]
  private let db: Database

  /// - Throws: `DatabaseError` if a table that the statements read can't be created.
  init(_ shape: PlannedShape, values: [SQLValue], on db: Database) throws {
    (self.shape, self.values, self.db) = (shape, values, db)
    try db.prepare(shape.transients)
  }

  /// Returns the request ready to run.
  func prepared() throws -> PreparedRequest {
    let root = shape.nodes[0]
    var request = PreparedRequest(statement: try db.makeStatement(root.text))
    request.statement.arguments = StatementArguments(try root.inputs.map { try value(of: $0) })
    request.statement.textsRead = shape.textsRead
    request.layout = root.layout
    request.keyColumns = root.keyColumns
    if !root.collections.isEmpty {
      request.supplement = { rows in
        try rows.withUnsafeMutableBufferPointer { try self.complete(PlannedRows($0, of: root)) }
      }
    }
    return request
  }

  /// Adds the collections to rows.
  private func complete(_ rows: PlannedRows) throws {
    guard rows.count > 0 else { return }
    for collection in rows.node.collections {
      let lists = try lists(of: shape.nodes[collection.node], below: rows)
      rows.set(lists, forKey: collection.key, in: collection.path)
    }
  }

  /// Returns the collection of each of several rows.
  private func lists(of node: PlannedShape.Node, below parents: PlannedRows) throws -> [[Row]] {
    let rows = PlannedRows(of: node, below: parents)
    if parents.count > 1, let batch = node.batch, let keys = try keys(of: batch, parents) {
      try read(batch, keys: keys, into: rows)
    } else {
      try readOneByOne(into: rows, below: parents)
    }
    // Only after the rows have been read: a nested collection may use the same cached statement.
    try complete(rows)
    return rows.takeLists()
  }

  /// Reads the rows of one record after another.
  private func readOneByOne(into rows: PlannedRows, below parents: PlannedRows) throws {
    let node = rows.node
    let lease = try db.makeStatement(node.text)
    let statement = try lease.prepared
    defer { statement.reset() }
    for owner in 0..<parents.count {
      statement.reset()
      for (index, input) in node.inputs.enumerated() {
        try statement.bind(
          try value(of: input, below: parents, owner), at: Int32(truncatingIfNeeded: index + 1))
      }
      while try statement.step() { try rows.append(statement, statement.columnCount, owner, db.failures) }
    }
  }

  /// Reads the rows of many records at once.
  private func read(_ batch: PlannedShape.Batch, keys: SQLValue, into rows: PlannedRows) throws {
    let lease = try db.makeStatement(batch.text)
    lease.arguments = StatementArguments(
      try batch.inputs.map { input in
        if case .keys = input { keys } else { try value(of: input) }
      })
    let statement = try lease.start()
    defer { statement.reset() }
    let numberColumn = statement.columnCount - 1
    while try statement.step() {
      try rows.append(statement, numberColumn, Int(statement.int64(numberColumn)), db.failures)
    }
  }

  /// Returns the keys of all rows as JSON; nil if JSON can't represent one.
  private func keys(of batch: PlannedShape.Batch, _ parents: PlannedRows) throws -> SQLValue? {
    var keys = JSONKeys(columnCount: batch.keys.count)
    for owner in 0..<parents.count {
      if batch.keys.isEmpty { _ = keys.append(.null, column: 0) }
      for (number, input) in batch.keys.enumerated() {
        guard keys.append(try value(of: input, below: parents, owner), column: number) else { return nil }
      }
    }
    return .text(keys.finished())
  }

  private func value(of input: PlannedShape.Input, below rows: PlannedRows? = nil, _ index: Int = 0) throws
    -> SQLValue
  {
    switch input {
    case .constant(let value): return value
    case .value(let number): return values[number]
    case .ancestor(let level, let column):
      if let value = rows?.value(column, above: level - 1, index) { return value }
    case .keys: break
    }
    throw DatabaseError.misuse("a value of the request is missing")
  }
}
