import KindredModel
import KindredSQLSyntax

/// Builds the content of a node's rows: the shape of its records, and the selects of the nodes below.
struct ContentBuilder {
  let tree: TreeBuilder
  /// The number of the node in the tree.
  let number: Int
  /// The selects of the nodes below, which have the numbers after this one's.
  private(set) var below: [NodeSelect] = []
  /// How the node repeats below itself; nil unless it is recursive.
  var recursion: Plan.Recursion?

  private var context: PlanningContext { tree.context }

  /// Returns the shape of a record: one value, or its members.
  mutating func content(of node: ResolvedNode, in record: StatementRecord) throws -> RecordShape {
    context.state.memory(of: node.names).compiled.insert(.content)
    switch node.content {
    case .value(let expression):
      let column = expression.storedColumn
      if context.state.reading == .blob, let column {
        context.state.storedColumn = StoredColumn(table: record.table.nameInSchema, column: column.name)
      }
      return value(try context.expressions.compile(expression, in: record), of: record, column)
    case .members(let items):
      var members = try items.map { item in
        let shape =
          switch item.value {
          case .column(let column): value(context.expressions.compile(column, in: record), of: record, column)
          case .expression(let expression):
            value(
              try context.expressions.compile(expression, in: record), of: record, expression.storedColumn)
          }
        return RecordShape.Member(name: item.name, shape: shape)
      }
      try addChildren(of: node, in: record, to: &members)
      try addRepetition(of: node, in: record, to: &members)
      return .object(members)
    }
  }

  /// Returns the shape of a value.
  ///
  /// - Parameter column: The column of the record that it is; nil for another expression.
  private func value(
    _ compiled: CompiledExpression, of record: StatementRecord, _ column: Column?
  ) -> RecordShape {
    var shown = context.dialect.shown(compiled)
    if let column, let partial = partial(column, of: record) { shown.sql = partial }
    return .value(column: record.statement.column(shown), shown.format)
  }

  /// Returns the SQL that reads a stored column as the request wants it; nil where that is as it is.
  private func partial(_ column: Column, of record: StatementRecord) -> SQL? {
    let reading = context.state.reading
    guard reading != .whole, record.table.readsParts, column.origin == .table, !record.table.isRowID(column)
    else { return nil }
    return context.dialect.partial(column, of: record.id, in: record.table, reading)
  }

  // MARK: Associations

  private mutating func addChildren(
    of node: ResolvedNode, in record: StatementRecord, to members: inout [RecordShape.Member]
  ) throws {
    for child in node.children where child.node.isReturned {
      try add(child, of: node, in: record, to: &members)
    }
  }

  private mutating func add(
    _ child: ResolvedNode, of node: ResolvedNode, in record: StatementRecord,
    to members: inout [RecordShape.Member]
  ) throws {
    if child.isApart {
      members.append(
        RecordShape.Member(
          name: child.node.key, shape: .child(node: try add(child, below: record)),
          place: node.place(of: child.node)))
    } else if child.node.isIncluded {
      members.append(
        RecordShape.Member(
          name: child.node.key, shape: try toOne(child, in: record), place: node.place(of: child.node)))
    } else if child.ways.isEmpty, let association = child.association {
      // It isn't a separate object: the nodes below it become members of this one.
      try addChildren(of: child, in: context.toOne.join(association, to: record), to: &members)
    } else {
      // The nodes below it know the way from here.
      try addChildren(of: child, in: record, to: &members)
    }
  }

  private mutating func toOne(_ node: ResolvedNode, in record: StatementRecord) throws -> RecordShape {
    guard let association = node.association else { return .object([]) }
    let joined = try context.toOne.join(association, to: record)
    // Its column precedes the columns that depend on it.
    let presence = joined.isAlwaysPresent ? nil : joined.statement.column(joined.presence ?? "1")
    let shape = try content(of: node, in: joined)
    return presence.map { .optional(column: $0, shape) } ?? shape
  }

  /// Adds the select of a node with its own rows, and returns its number.
  mutating func add(
    _ node: ResolvedNode, below record: StatementRecord, isRepetition: Bool = false
  ) throws -> Int {
    let next = number + 1 + below.count
    below += try tree.nested(node, number: next, below: record, of: number, isRepetition: isRepetition)
    return next
  }
}
