import KindredSQLSyntax

/// From expressions as written to SQL: every name looked up, every value bound.
extension Planning {
  /// The SQL of an expression about the record of `scope`.
  func compile(_ expression: Expression, in scope: Scope) throws -> CompiledExpression {
    try budget.enter(expression.origin)
    defer { budget.leave() }
    if restrictsRows, expression.exposesOperands { exposure.tells = true }
    return try checkingTypes(of: expression) { try compileParts(of: expression, in: scope) }
  }

  private func compileParts(of expression: Expression, in scope: Scope) throws -> CompiledExpression {
    func operand(_ expression: Expression) throws -> CompiledExpression {
      try compile(expression, in: scope)
    }

    switch expression.kind {
    case .literal(let number):
      return dialect.literal(.parameter(number), request.literals.values[number])
    case .value(let value):
      return dialect.literal(.value(value), value)
    case .null:
      return CompiledExpression(sql: "NULL", form: .null)
    case .boolean(let value):
      return truth(value)
    case .path(let path):
      return try noting(diagnostics) { try compile(path, in: scope, at: expression.origin) } ?? .unknown
    case .function(let name, let arguments, let isDistinct):
      return try noting(diagnostics) {
        try compileFunction(name, arguments, isDistinct: isDistinct, in: scope, at: expression.origin)
      } ?? .unknown
    case .all(let operands):
      return try logical(operands, "AND", .and, in: scope)
    case .any(let operands):
      return try logical(operands, "OR", .or, in: scope)
    case .unary(.not, let value):
      return try dialect.negated(operand(value))
    case .unary(.minus, let value):
      return try dialect.signed(operand(value), isNegative: true)
    case .unary(.plus, let value):
      return try dialect.signed(operand(value), isNegative: false)
    case .binary(let op, let left, let right):
      if op == .concatenate, budget.limits.boundsOperators {
        return try dialect.boundedConcatenation(operand(left), operand(right))
      }
      return try dialect.binary(op, operand(left), operand(right))
    case .isNull(let value, let negated):
      return dialect.isNull(try operand(value), negated: negated)
    case .in(let value, let list, let negated):
      guard !list.isEmpty else {
        // SQLite makes an integer of `x IN ()`, and an integer alone in ORDER BY is the number of a column.
        _ = try operand(value)
        return truth(negated)
      }
      let list = try list.map { try operand($0) }
      return try dialect.isAmong(operand(value), list, negated: negated)
    case .between(let value, let low, let high, let negated):
      return try dialect.isBetween(operand(value), operand(low), operand(high), negated: negated)
    case .match(let op, let value, let pattern, let escape, let negated):
      let isBounded = budget.limits.boundsOperators
      return try dialect.matches(
        op, operand(value), operand(pattern), escape: try escape.map { try operand($0) }, negated: negated,
        isStoppable: isBounded,
        beginning: isBounded && isIndexed(value, in: scope) ? op.beginning(of: pattern, escape: escape) : nil)
    case .cases(let value, let branches, let other):
      return try compileCases(of: value, branches, else: other, in: scope)
    case .collate(let value, let collation):
      return try dialect.collated(operand(value), collation)
    case .cast(let value, let type):
      return try dialect.cast(operand(value), to: type)
    case .program(let expression):
      return try compile(expression, in: scope)
    }
  }

  private func truth(_ value: Bool) -> CompiledExpression {
    CompiledExpression(
      sql: value ? "TRUE" : "FALSE", format: .boolean, type: dialect.truthType, form: .truth(value),
      isNullable: false)
  }

  /// `AND` or `OR` of two or more.
  private func logical(
    _ operands: [Expression], _ word: SQL, _ precedence: Precedence, in scope: Scope
  ) throws -> CompiledExpression {
    let operands = try operands.map { try compileCondition($0, in: scope).sql(within: precedence) }
    return CompiledExpression(
      sql: chain(operands[...], word), precedence: precedence, format: .boolean, type: dialect.truthType)
  }

  /// An expression that is true or not.
  func compileCondition(_ expression: Expression, in scope: Scope) throws -> CompiledExpression {
    let compiled = try compile(expression, in: scope)
    return try checkingTypes(of: expression) { try dialect.condition(compiled) }
  }

  /// What `body` makes of the parts of an expression.
  ///
  /// - Throws: `RequestError` where their types don't fit, with the `cast` that would.
  private func checkingTypes<Result>(of expression: Expression, _ body: () throws -> Result) throws -> Result
  {
    do {
      return try body()
    } catch let mismatch as TypeMismatch {
      var message = mismatch.message
      let parts = expression.parts.isEmpty ? [expression] : expression.parts
      if let (operand, type) = mismatch.cast, parts.indices.contains(operand),
        let text = try? ExpressionRenderer(literals: request.literals.values).text(of: parts[operand])
      {
        message += ": write `cast(\(text) as \(type.rawValue))`"
      }
      throw RequestError(.invalidExpression, message, at: expression.origin)
    }
  }

  /// `CASE`, whose values are booleans where all of its results are.
  private func compileCases(
    of value: Expression?, _ branches: [Expression.Branch], else other: Expression?, in scope: Scope
  ) throws -> CompiledExpression {
    let compiledValue = try value.map { try compile($0, in: scope) }
    var isBoolean = true
    func result(_ expression: Expression) throws -> CompiledExpression {
      let compiled = try compile(expression, in: scope)
      if case .null = expression.kind {} else { isBoolean = isBoolean && compiled.format == .boolean }
      return compiled
    }
    let compiledBranches = try branches.map { branch in
      let condition =
        try value == nil
        ? compileCondition(branch.condition, in: scope) : compile(branch.condition, in: scope)
      return (condition: condition, result: try result(branch.result))
    }
    let compiledOther = try other.map { try result($0) }
    var compiled = try dialect.cases(of: compiledValue, compiledBranches, else: compiledOther)
    if isBoolean { compiled.format = .boolean }
    return compiled
  }

  /// Whether an expression is a column that an index may find by its beginning: SQLite sees that in operators alone.
  private func isIndexed(_ expression: Expression, in scope: Scope) -> Bool {
    guard case .path(let path) = expression.kind, path.parents == 0, path.components.count == 1,
      path.components[0].arguments == nil, let column = column(path.components[0].name, of: scope.resource)
    else { return false }
    return scope.table.isIndexed([column.name])
  }

  /// An expression as a condition beside others.
  func condition(_ expression: Expression, in scope: Scope) throws -> SQL {
    try compileCondition(expression, in: scope).sql(within: .and)
  }

  /// A condition of the model file.
  func modelCondition(_ expression: Expression, in scope: Scope) throws -> SQL {
    try readingHidden { try guardedCondition(expression, in: scope) }
  }

  func readingHidden<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = readsHidden
    readsHidden = true
    defer { readsHidden = before }
    return try body()
  }

  /// The column of this name, unless it is hidden from who names it.
  private func column(_ name: String, of resource: Resource) -> Column? {
    readsHidden ? resource.table.column(named: name) : resource.column(named: name)
  }

  /// A chain of operands; a long one as a tree of little depth, for SQLite's limit is on depth and not on length.
  private func chain(_ operands: ArraySlice<SQL>, _ word: SQL) -> SQL {
    guard operands.count > 50 else { return operands.joined(separator: " \(word) ") }
    let middle = operands.startIndex + operands.count / 2
    return "(\(chain(operands[..<middle], word))) \(word) (\(chain(operands[middle...], word)))"
  }

  // MARK: Paths

  /// A name of the record itself, of a record above, or of one that a to-one association leads to.
  private func compile(
    _ path: Expression.Path, in scope: Scope, at origin: Origin
  ) throws -> CompiledExpression {
    var target = scope
    var rest = path
    while rest.parents > 0 {
      guard let parent = target.parent else {
        throw RequestError(
          .invalidExpression, "`../` leads nowhere: \(target.parentRefusal)", at: origin)
      }
      target = parent
      rest.parents -= 1
      // A level that is repeated reads what is further above through the level above it.
      if target.statement !== scope.statement, target.recursion?.isRepeated ?? false { break }
    }
    var compiled: CompiledExpression
    do {
      compiled =
        try rest.parents > 0
        ? compile(rest, in: target, at: origin) : compile(rest.components[...], in: target)
    } catch let error as RequestError
      where error.code == .unknownColumn && rest.parents == 0 && path.parents > 0
    {
      throw pointingUp(error, path, from: target)
    }
    guard target.statement !== scope.statement else { return compiled }
    let (path, mayReadHidden) = (rest, readsHidden)
    compiled.form = .other
    compiled.sql = target.export(compiled.sql, as: compiled.type, to: scope.statement) { record in
      let before = self.readsHidden
      self.readsHidden = mayReadHidden
      defer { self.readsHidden = before }
      return try self.compile(path, in: record, at: origin).sql
    }
    compiled.precedence = .primary
    return compiled
  }

  private func compile(
    _ components: ArraySlice<Expression.Path.Component>, in scope: Scope
  ) throws -> CompiledExpression {
    guard let first = components.first else {
      throw RequestError(.invalidExpression, "a name is missing")
    }
    let rest = components.dropFirst()
    guard let next = rest.first else { return try compileName(first, in: scope) }
    if isInRule, let claim = Expression.claim(.init(parents: 0, components: Array(components))) {
      return dialect.literal(.claim(claim), .text(""))
    }
    if let association = association(first.name, of: scope) {
      diagnostics?.note(association.node == nil ? .association : .name, at: first.origin)
      guard first.arguments == nil else {
        throw RequestError(
          .invalidExpression, "`\(first.name)` is an association and takes no arguments", at: first.origin)
      }
      if association.association.cardinality == .toMany {
        return try compileAggregate(association, rest, in: scope, at: first.origin)
      }
      return try throughToOne(first.name, of: scope) { try compile(rest, in: $0) }
    }
    if first.name == "via", let via = scope.via, rest.count == 1 {
      diagnostics?.note(.association, at: first.origin)
      var column = try compileColumn(next, in: via, candidates: via.resource.columns.map(\.name))
      // Where the record is missing there is no way to it, though a part of one may be there.
      if !scope.isSolid, let presence = scope.presence {
        let (format, type) = (column.format, column.type)
        let isMissing = dialect.isNull(CompiledExpression(sql: presence), negated: false)
        column = try dialect.function(
          "iif", [isMissing, CompiledExpression(sql: "NULL", form: .null), column])
        (column.format, column.type) = (format, type)
      }
      return column
    }
    try checkPermission(first.name, of: scope.resource, at: first.origin)
    throw RequestError.unknown(
      first.name, .unknownAssociation, "`\(first.name)` is no association of \(scope.resource.name)",
      among: associationKeys(of: scope), at: first.origin, shown: \.asExpressionName)
  }

  private func compileName(
    _ component: Expression.Path.Component, in scope: Scope
  ) throws -> CompiledExpression {
    if component.arguments == nil {
      if let column = column(component.name, of: scope.resource) {
        diagnostics?.note(.column, at: component.origin)
        return compile(column, in: scope)
      }
      if let named = try compileNamed(component.name, in: scope) {
        diagnostics?.note(.name, at: component.origin)
        return named
      }
      if let aggregate = try compileDefaultName(component.name, in: scope, at: component.origin) {
        return aggregate
      }
    }
    if let association = association(component.name, of: scope) {
      throw RequestError(
        .invalidExpression,
        association.association.cardinality == .toMany
          ? "`\(component.name)` is a to-many association: write an aggregate such as `\(component.name).count`"
          : "`\(component.name)` is an association: write one of its columns, such as `\(component.name).\(try resource(association.association.destination).columns.first?.name ?? "…")`",
        at: component.origin)
    }
    try checkPermission(component.name, of: scope.resource, at: component.origin)
    return try compileColumn(component, in: scope, candidates: try nameCandidates(in: scope))
  }

  private func compileColumn(
    _ component: Expression.Path.Component, in scope: Scope, candidates: [String]
  ) throws -> CompiledExpression {
    guard component.arguments == nil else {
      throw RequestError.unknown(
        component.name, .unknownFunction, "`\(component.name)(…)` is no function of \(scope.resource.name)",
        among: candidates, at: component.origin)
    }
    guard let column = column(component.name, of: scope.resource) else {
      let error = RequestError.unknown(
        component.name, .unknownColumn, "`\(component.name)` is no column of \(scope.resource.name)",
        among: candidates, at: component.origin, shown: \.asExpressionName)
      guard component.isQuoted else { throw error }
      let text = "'\(component.name.replacing("'", with: "''"))'"
      throw error.adding("write a text in single quotes: \(text)", suggestion: text)
    }
    diagnostics?.note(.column, at: component.origin)
    return compile(column, in: scope)
  }

  func compile(_ column: Column, in scope: Scope) -> CompiledExpression {
    if restrictsRows { exposure.add(scope) }
    return CompiledExpression(
      sql: .column(scope.record, column.name), format: column.valueFormat, type: dialect.type(of: column),
      isNullable: column.isNullable || !scope.isSolid)
  }

  /// An annotation or a field of the record's node, by its name.
  private func compileNamed(_ name: String, in scope: Scope) throws -> CompiledExpression? {
    guard !readsHidden, let expression = namedExpressions(of: scope)[name] else { return nil }
    // Within itself the name has its other meaning: `bookCount` is an item of that name, and the aggregate that it is.
    guard scope.resolving.insert(name).inserted else {
      selfReferences += 1
      return nil
    }
    defer { scope.resolving.remove(name) }
    // Compiled once for all that use it, unless it depends on where it is used.
    let isGroup = scope.allowsGroupAggregates
    if let known = scope.compiledNames[name], known.isGroup == isGroup {
      try budget.charge(length: known.expression.sql.length, at: expression.origin)
      exposure.add(known.exposure)
      return known.expression
    }
    let before = selfReferences
    let (compiled, exposure) = try exposing { try compile(expression, in: scope) }
    try budget.charge(length: compiled.sql.length, at: expression.origin)
    if selfReferences == before { scope.compiledNames[name] = (compiled, isGroup, exposure) }
    return compiled
  }

  /// The annotations and fields of the record's node by their names, the first of each name.
  private func namedExpressions(of scope: Scope) -> [String: Expression] {
    if let known = scope.namedExpressions { return known }
    var named: [String: Expression] = [:]
    var items = scope.node?.annotations ?? []
    for case .expression(let field) in scope.node?.fields ?? [] { items.append(field) }
    for item in items {
      guard let name = item.name ?? (try? defaultName(of: item.expression, in: scope)) ?? nil else {
        continue
      }
      if named[name] == nil { named[name] = item.expression }
    }
    scope.namedExpressions = named
    return named
  }

  // MARK: Errors

  /// The error of a name of a record above that is one of a record further above.
  private func pointingUp(_ error: RequestError, _ path: Expression.Path, from scope: Scope) -> RequestError {
    guard path.components.count == 1 else { return error }
    let name = path.components[0].name
    var parents = 1
    var above = scope.parent
    while let record = above {
      if column(name, of: record.resource) != nil {
        let steps = String(repeating: "../", count: parents)
        let whole = String(repeating: "../", count: path.parents) + steps + name.asExpressionName
        return error.adding(
          "`\(whole)` is that of \(record.resource.name)", suggestion: steps + name.asExpressionName)
      }
      parents += 1
      above = record.parent
    }
    return error
  }

  private func nameCandidates(in scope: Scope) throws -> [String] {
    // To find the nearest among thousands takes a while, and a request may have a hundred errors.
    try budget.check()
    var names = scope.resource.columns.map(\.name) + associationKeys(of: scope)
    for annotation in scope.node?.annotations ?? [] { names += annotation.name.map { [$0] } ?? [] }
    return names + defaultNames(in: scope)
  }
}
