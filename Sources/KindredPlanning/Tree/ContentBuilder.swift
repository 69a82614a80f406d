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
  private var diagnostics: Diagnostics? { tree.context.state.diagnostics }

  init(_ tree: TreeBuilder, number: Int) {
    self.tree = tree
    self.number = number
  }

  /// Returns the shape of a record: one value, or its members.
  mutating func content(of node: RequestNode, in record: StatementRecord, name: String) throws -> RecordShape
  {
    guard let values = node.values else { return try object(of: node, in: record, name: name) }
    let compiled = try context.expressions.compile(values, in: record, isOfGroup: node.isGrouped)
    return value(compiled, of: record)
  }

  private mutating func object(of node: RequestNode, in record: StatementRecord, name: String) throws
    -> RecordShape
  {
    var shape = RecordShapeBuilder()
    if let fields = node.fields {
      let origin = Origin(parameter: name.isEmpty ? "fields" : "\(name).fields")
      for field in fields { try noting(diagnostics) { try add(field, at: origin, in: record, to: &shape) } }
    } else {
      for column in record.resource.defaultColumns {
        try add(column, at: node.origin, in: record, to: &shape)
      }
    }
    for annotation in node.annotations {
      try noting(diagnostics) { try add(annotation, in: record, to: &shape) }
    }
    try addChildren(of: node, in: record, to: &shape, name: name)
    if let recursion = record.recursion {
      try addRepetition(of: recursion, in: record, to: &shape, name: name)
    }
    return shape.object
  }

  /// Checks the fields of a joined node, which are not part of the result.
  func check(_ node: RequestNode, in record: StatementRecord) throws {
    var shape = RecordShapeBuilder()
    if let values = node.values {
      _ = try context.expressions.compile(values, in: record, isOfGroup: node.isGrouped)
    }
    for field in node.fields ?? [] { try add(field, at: node.origin, in: record, to: &shape) }
    for annotation in node.annotations { try add(annotation, in: record, to: &shape) }
  }

  private func add(
    _ field: Field, at origin: Origin, in record: StatementRecord, to shape: inout RecordShapeBuilder
  ) throws {
    switch field {
    case .all:
      for column in record.resource.allColumns {
        if record.names.isGrouped, !column.isComputed {
          try GroupCheck(context.state, of: record.names).check(column, at: origin)
        }
        try add(column, at: origin, in: record, to: &shape)
      }
    case .expression(let item):
      let name: String
      if let written = item.name {
        name = written
      } else if case .path(let path) = item.expression.kind, path.parents == 0, path.components.count == 1,
        path.components[0].arguments == nil
      {
        name = record.resource.column(named: path.components[0].name)?.name ?? path.components[0].name
      } else {
        throw missingName(item)
      }
      try add(item.expression, as: name, in: record, to: &shape)
    }
  }

  private func add(_ item: NamedExpression, in record: StatementRecord, to shape: inout RecordShapeBuilder)
    throws
  {
    guard let name = try item.name ?? record.names.defaultName(of: item.expression) else {
      // An unknown name in the expression is reported rather than the missing name of the item.
      let errors = diagnostics?.encounters
      _ = try compile(item.expression, in: record)
      guard errors == diagnostics?.encounters else { return }
      throw missingName(item)
    }
    try add(item.expression, as: name, in: record, to: &shape)
  }

  private func missingName(_ item: NamedExpression) -> RequestError {
    RequestError(
      .missingName, "this item needs a name; write `name:` before it", at: item.expression.origin)
  }

  private func add(
    _ expression: Expression, as name: String, in record: StatementRecord, to shape: inout RecordShapeBuilder
  ) throws {
    let compiled = try compile(expression, in: record)
    try shape.reserve(name, at: expression.origin)
    shape.add(name, value(compiled, of: record))
  }

  private func add(
    _ column: Column, at origin: Origin, in record: StatementRecord, to shape: inout RecordShapeBuilder
  ) throws {
    if column.isComputed {
      return try add(Expression(names: [column.name], at: origin), as: column.name, in: record, to: &shape)
    }
    try context.state.budget.charge(1, at: origin)
    try shape.reserve(column.name, at: origin)
    shape.add(column.name, value(context.expressions.compile(column, in: record), of: record))
  }

  private func compile(_ expression: Expression, in record: StatementRecord) throws -> CompiledExpression {
    try context.expressions.compile(expression, in: record, isOfGroup: record.names.isGrouped)
  }

  /// Returns the shape of a value.
  private func value(_ compiled: CompiledExpression, of record: StatementRecord) -> RecordShape {
    let shown = context.dialect.shown(compiled)
    return .value(column: record.statement.column(shown), shown.format)
  }

  // MARK: Associations

  private mutating func addChildren(
    of node: RequestNode, in record: StatementRecord, to shape: inout RecordShapeBuilder, name: String
  ) throws {
    for child in node.children where child.isReturned {
      try noting(diagnostics) { try add(child, in: record, to: &shape, name: name) }
    }
  }

  private mutating func add(
    _ child: RequestNode, in record: StatementRecord, to shape: inout RecordShapeBuilder, name: String
  ) throws {
    let path = name.isEmpty ? child.key : "\(name).\(child.key)"
    let isToOne = child.association?.cardinality == .toOne
    switch (child.isIncluded, isToOne) {
    case (false, true):
      // It isn't an object of its own: the nodes below it become members of this one.
      let joined = try context.toOne.join(child, to: record)
      try tree.check(child, name: path)
      try addChildren(of: child, in: joined, to: &shape, name: path)
    case (false, false):
      try addBelowJoined([child], in: record, to: &shape, name: path)
    case (true, true) where child.recursion == nil:
      try shape.reserve(child.key, at: child.origin)
      shape.add(child.key, try toOne(child, in: record, name: path))
    case (true, _):
      let number = try add(child, below: record, hops: [], name: path)
      try shape.reserve(child.key, at: child.origin)
      shape.add(child.key, .child(node: number))
    }
  }

  private mutating func toOne(_ node: RequestNode, in record: StatementRecord, name: String) throws
    -> RecordShape
  {
    try tree.check(node, name: name)
    let joined = try context.toOne.join(node, to: record)
    // Its column precedes those that depend on it.
    let presence = joined.isAlwaysPresent ? nil : joined.statement.column(joined.presence ?? "1")
    let shape = try content(of: node, in: joined, name: name)
    return presence.map { .optional(column: $0, shape) } ?? shape
  }

  /// Adds the nodes included below joined to-many ones.
  private mutating func addBelowJoined(
    _ hops: [RequestNode], in record: StatementRecord, to shape: inout RecordShapeBuilder, name: String
  ) throws {
    for child in hops.last?.children ?? [] where child.isReturned {
      let path = "\(name).\(child.key)"
      guard child.isIncluded else {
        try addBelowJoined(hops + [child], in: record, to: &shape, name: path)
        continue
      }
      let number = try add(child, below: record, hops: hops, name: path)
      try shape.reserve(child.key, at: child.origin)
      shape.add(child.key, .child(node: number))
    }
  }

  /// Adds the select of a node with its own rows, and returns its number.
  mutating func add(
    _ node: RequestNode, below record: StatementRecord, hops: [RequestNode], name: String,
    isRepetition: Bool = false
  ) throws -> Int {
    let next = number + 1 + below.count
    below += try tree.nested(
      node, number: next, below: record, hops: hops, name: name, isRepetition: isRepetition)
    return next
  }
}
