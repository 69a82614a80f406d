import OracleValues

/// A record in a result, with the records that an expression about it may refer to.
final class Record {
  let table: TableSchema
  /// The row; nil for a to-one association without a record.
  let row: [Value]?
  /// The place of the row in its table.
  let place: Int?
  /// What the request says of the record.
  let node: Node?
  /// The record that `../` refers to.
  let parent: Record?
  /// The record of the join table through which it was reached.
  let via: Record?
  /// The records of its group, in a grouped node.
  let group: [Record]?

  init(
    table: TableSchema, row: [Value]?, place: Int? = nil, node: Node? = nil, parent: Record? = nil,
    via: Record? = nil,
    group: [Record]? = nil
  ) {
    self.table = table
    self.row = row
    self.place = place
    self.node = node
    self.parent = parent
    self.via = via
    self.group = group
  }

  func value(of column: String) throws -> Value {
    guard let position = table.position(of: column) else { throw Invalid("no column \(column)") }
    return row?[position] ?? .null
  }

  /// What tells it apart from the other records of its table; of a view, all columns.
  var identity: [Value] {
    row.map { row in table.key.compactMap { table.position(of: $0).map { row[$0] } } } ?? []
  }

  /// The same where equal rows of a view are several records.
  var occurrence: [Value] {
    guard table.viewOf != nil, let place else { return identity }
    return [.integer(Int64(place))]
  }
}

/// The error for an invalid request, which the generators never create.
struct Invalid: Error {
  var message: String

  init(_ message: String) { self.message = message }
}
