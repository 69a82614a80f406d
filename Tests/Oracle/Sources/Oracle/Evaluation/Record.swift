import OracleValues

/// A record in a result, with what an expression about it may speak of.
final class Record {
  let table: TableSchema
  /// Nil where a to-one association leads nowhere.
  let row: [Value]?
  /// What the request says of the record.
  let node: Node?
  /// The record that `../` leads to.
  let parent: Record?
  /// The record of the join table that led here.
  let via: Record?
  /// The records that it stands for, in a grouped node.
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

  /// What tells it apart from the other records of its table.
  var identity: [Value] {
    row.map { row in table.key.compactMap { table.position(of: $0).map { row[$0] } } } ?? []
  }
}

/// A request that means nothing; the generators make none.
struct Invalid: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
