import KindredSQLSyntax

/// What a record shows: columns, annotations, associations.
extension Planning {
  func planObject(of node: RequestNode, in scope: Scope, _ program: ProgramBuilder, name: String) throws {
    program.beginObject()
    defer { program.endObject() }
    if let fields = node.fields {
      for field in fields { try noting(diagnostics) { try plan(field, in: scope, program) } }
    } else {
      for column in try defaultColumns(of: scope) {
        try program.member(column.name, at: node.origin)
        add(compile(column, in: scope), of: scope, to: program)
      }
    }
    for annotation in node.annotations {
      try noting(diagnostics) { try plan(annotation, in: scope, program) }
    }
    try planChildren(of: node, in: scope, program, name: name)
    if let recursion = scope.recursion { try planRepetition(recursion, in: scope, program, name: name) }
  }

  /// Checks what a node shows that is joined, and so shows nothing.
  func checkObject(of node: RequestNode, in scope: Scope) throws {
    let program = ProgramBuilder()
    program.beginObject()
    for field in node.fields ?? [] { try plan(field, in: scope, program) }
    for annotation in node.annotations { try plan(annotation, in: scope, program) }
  }

  private func defaultColumns(of scope: Scope) throws -> [Column] {
    guard let fields = scope.resource.fields else { return scope.resource.columns }
    return fields.compactMap { scope.resource.column(named: $0) }
  }

  private func plan(_ field: Field, in scope: Scope, _ program: ProgramBuilder) throws {
    switch field {
    case .all:
      for column in scope.resource.columns {
        try program.member(column.name, at: Origin())
        add(compile(column, in: scope), of: scope, to: program)
      }
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
      try add(item.expression, as: name, in: scope, program)
    }
  }

  private func plan(_ item: NamedExpression, in scope: Scope, _ program: ProgramBuilder) throws {
    guard let name = try item.name ?? defaultName(of: item.expression, in: scope) else {
      // A name that does not exist is the better news than one that is missing.
      let errors = diagnostics?.encounters
      _ = try compile(item.expression, in: scope)
      guard errors == diagnostics?.encounters else { return }
      throw missingName(item)
    }
    try add(item.expression, as: name, in: scope, program)
  }

  private func missingName(_ item: NamedExpression) -> RequestError {
    RequestError(
      .missingName, "this item needs a name: write `name:` before it", at: item.expression.origin)
  }

  private func add(
    _ expression: Expression, as name: String, in scope: Scope, _ program: ProgramBuilder
  ) throws {
    let compiled = try compile(expression, in: scope)
    try program.member(name, at: expression.origin)
    add(compiled, of: scope, to: program)
  }

  private func add(_ compiled: CompiledExpression, of scope: Scope, to program: ProgramBuilder) {
    let shown = dialect.shown(compiled)
    program.value(scope.statement.column(shown.sql), shown.format)
  }

  // MARK: Associations

  func planChildren(of node: RequestNode, in scope: Scope, _ program: ProgramBuilder, name: String) throws {
    for child in node.children where child.isReturned {
      try noting(diagnostics) { try plan(child, in: scope, program, name: name) }
    }
  }

  private func plan(
    _ child: RequestNode, in scope: Scope, _ program: ProgramBuilder, name: String
  ) throws {
    let path = name.isEmpty ? child.key : "\(name).\(child.key)"
    let isToOne = child.association?.cardinality == .toOne
    switch (child.isIncluded, isToOne) {
    case (false, true):
      // Not an object of its own: what is below it belongs to this one.
      try planJoined(child, in: try joinToOne(child.key, of: scope), program, name: path)
    case (false, false):
      try planBelowJoined([child], in: scope, program, name: path)
    case (true, true) where child.recursion == nil:
      try program.member(child.key, at: child.origin)
      try planToOne(child, in: scope, program, name: path)
    case (true, _):
      let number = try planNested(child, below: scope, hops: [], name: path)
      try program.member(child.key, at: child.origin)
      program.child(number)
    }
  }

  private func planJoined(
    _ node: RequestNode, in scope: Scope, _ program: ProgramBuilder, name: String
  ) throws {
    try checkShape(of: node, name: name)
    try planChildren(of: node, in: scope, program, name: name)
  }

  private func planToOne(
    _ node: RequestNode, in scope: Scope, _ program: ProgramBuilder, name: String
  ) throws {
    try checkShape(of: node, name: name)
    let record = try joinToOne(node.key, of: scope)
    func body() throws {
      if let values = node.values {
        add(try compile(values, in: record), of: record, to: program)
      } else {
        try planObject(of: node, in: record, program, name: name)
      }
    }
    if record.isSolid {
      try body()
    } else {
      try program.optional(record.statement.column(record.presence ?? "1"), body)
    }
  }

  /// What is included below joined to-many nodes: all of them, each once.
  private func planBelowJoined(
    _ hops: [RequestNode], in scope: Scope, _ program: ProgramBuilder, name: String
  ) throws {
    for child in hops.last?.children ?? [] where child.isReturned {
      let path = "\(name).\(child.key)"
      guard child.isIncluded else {
        try planBelowJoined(hops + [child], in: scope, program, name: path)
        continue
      }
      let number = try planNested(child, below: scope, hops: hops, name: path)
      try program.member(child.key, at: child.origin)
      program.child(number)
    }
  }
}
