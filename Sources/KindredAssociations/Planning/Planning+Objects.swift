import KindredSQLSyntax

/// What a record shows: columns, annotations, associations.
extension Planning {
  func planObject(of node: RequestNode, in scope: Scope, name: String) throws -> RecordShape {
    try RecordShapeBuilder.object { shape in
      if let fields = node.fields {
        for field in fields { try noting(diagnostics) { try plan(field, in: scope, shape) } }
      } else {
        for column in try defaultColumns(of: scope) { try add(column, at: node.origin, in: scope, shape) }
      }
      for annotation in node.annotations {
        try noting(diagnostics) { try plan(annotation, in: scope, shape) }
      }
      try planChildren(of: node, in: scope, shape, name: name)
      if let recursion = scope.recursion { try planRepetition(recursion, in: scope, shape, name: name) }
    }
  }

  /// Checks what a node shows that is joined, and so shows nothing.
  func checkObject(of node: RequestNode, in scope: Scope) throws {
    let shape = RecordShapeBuilder()
    for field in node.fields ?? [] { try plan(field, in: scope, shape) }
    for annotation in node.annotations { try plan(annotation, in: scope, shape) }
  }

  private func defaultColumns(of scope: Scope) throws -> [Column] {
    guard let fields = scope.resource.fields else { return scope.resource.columns }
    return fields.compactMap { scope.resource.column(named: $0) }
  }

  private func plan(_ field: Field, in scope: Scope, _ shape: RecordShapeBuilder) throws {
    switch field {
    case .all:
      for column in scope.resource.columns { try add(column, at: Origin(), in: scope, shape) }
    case .expression(let item):
      let name: String
      if let written = item.name {
        name = written
      } else if case .path(let path) = item.expression.kind, path.parents == 0, path.components.count == 1,
        path.components[0].arguments == nil
      {
        name = scope.resource.column(named: path.components[0].name)?.name ?? path.components[0].name
      } else {
        throw missingName(item)
      }
      try add(item.expression, as: name, in: scope, shape)
    }
  }

  private func plan(_ item: NamedExpression, in scope: Scope, _ shape: RecordShapeBuilder) throws {
    guard let name = try item.name ?? defaultName(of: item.expression, in: scope) else {
      // A name that does not exist is the better news than one that is missing.
      let errors = diagnostics?.encounters
      _ = try compile(item.expression, in: scope)
      guard errors == diagnostics?.encounters else { return }
      throw missingName(item)
    }
    try add(item.expression, as: name, in: scope, shape)
  }

  private func missingName(_ item: NamedExpression) -> RequestError {
    RequestError(
      .missingName, "this item needs a name: write `name:` before it", at: item.expression.origin)
  }

  private func add(
    _ expression: Expression, as name: String, in scope: Scope, _ shape: RecordShapeBuilder
  ) throws {
    let compiled = try compile(expression, in: scope)
    try shape.reserve(name, at: expression.origin)
    shape.add(name, value(compiled, of: scope))
  }

  private func add(
    _ column: Column, at origin: Origin, in scope: Scope, _ shape: RecordShapeBuilder
  ) throws {
    try shape.reserve(column.name, at: origin)
    shape.add(column.name, value(compile(column, in: scope), of: scope))
  }

  /// A value that a row shows.
  func value(_ compiled: CompiledExpression, of scope: Scope) -> RecordShape {
    let shown = dialect.shown(compiled)
    return .value(column: scope.statement.column(shown.sql), shown.format)
  }

  // MARK: Associations

  func planChildren(of node: RequestNode, in scope: Scope, _ shape: RecordShapeBuilder, name: String) throws {
    for child in node.children where child.isReturned {
      try noting(diagnostics) { try plan(child, in: scope, shape, name: name) }
    }
  }

  private func plan(
    _ child: RequestNode, in scope: Scope, _ shape: RecordShapeBuilder, name: String
  ) throws {
    let path = name.isEmpty ? child.key : "\(name).\(child.key)"
    let isToOne = child.association?.cardinality == .toOne
    switch (child.isIncluded, isToOne) {
    case (false, true):
      // Not an object of its own: what is below it belongs to this one.
      try planJoined(child, in: try joinToOne(child.key, of: scope), shape, name: path)
    case (false, false):
      try planBelowJoined([child], in: scope, shape, name: path)
    case (true, true) where child.recursion == nil:
      try shape.reserve(child.key, at: child.origin)
      shape.add(child.key, try planToOne(child, in: scope, name: path))
    case (true, _):
      let number = try planNested(child, below: scope, hops: [], name: path)
      try shape.reserve(child.key, at: child.origin)
      shape.add(child.key, .child(node: number))
    }
  }

  private func planJoined(
    _ node: RequestNode, in scope: Scope, _ shape: RecordShapeBuilder, name: String
  ) throws {
    try checkShape(of: node, name: name)
    try planChildren(of: node, in: scope, shape, name: name)
  }

  private func planToOne(_ node: RequestNode, in scope: Scope, name: String) throws -> RecordShape {
    try checkShape(of: node, name: name)
    let record = try joinToOne(node.key, of: scope)
    // Its column stands before those that it is about.
    let presence = record.isSolid ? nil : record.statement.column(record.presence ?? "1")
    let shape = try planContent(of: node, in: record, name: name)
    return presence.map { .optional(column: $0, shape) } ?? shape
  }

  /// What a record shows: one value, or its members.
  func planContent(of node: RequestNode, in scope: Scope, name: String) throws -> RecordShape {
    guard let values = node.values else { return try planObject(of: node, in: scope, name: name) }
    return value(try compile(values, in: scope), of: scope)
  }

  /// What is included below joined to-many nodes: all of them, each once.
  private func planBelowJoined(
    _ hops: [RequestNode], in scope: Scope, _ shape: RecordShapeBuilder, name: String
  ) throws {
    for child in hops.last?.children ?? [] where child.isReturned {
      let path = "\(name).\(child.key)"
      guard child.isIncluded else {
        try planBelowJoined(hops + [child], in: scope, shape, name: path)
        continue
      }
      let number = try planNested(child, below: scope, hops: hops, name: path)
      try shape.reserve(child.key, at: child.origin)
      shape.add(child.key, .child(node: number))
    }
  }
}
