import OracleValues

/// A record in a result, with the records that an expression about it may refer to.
final class Record {
  let table: TableSchema
  /// The row; nil for a to-one association without a record.
  let row: [Value]?
  /// The node of the request.
  let node: Node?
  /// The record that `../` refers to.
  let parent: Record?
  /// The record of the join table through which it was reached.
  let via: Record?
  /// The records of its group, in a grouped node.
  let group: [Record]?

  init(
    table: TableSchema, row: [Value]?, node: Node? = nil, parent: Record? = nil, via: Record? = nil,
    group: [Record]? = nil
  ) {
    self.table = table
    self.row = row
    self.node = node
    self.parent = parent
    self.via = via
    self.group = group
  }

  func value(of column: String) throws -> Value {
    guard let position = table.position(of: column) else { throw Invalid("no column \(column)") }
    return row?[position] ?? .null
  }

  /// The values that identify it among the records of its table.
  var identity: [Value] {
    row.map { row in table.key.compactMap { table.position(of: $0).map { row[$0] } } } ?? []
  }
}

/// The error for an invalid request, which the generators never create.
struct Invalid: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
