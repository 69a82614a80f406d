import KindredSQLSyntax

/// An expression whose names were found.
struct CompiledExpression {
  var sql: SQL
  var precedence = Precedence.primary
  var format: Plan.ValueFormat = .plain
  /// What it is where the record that it is about is missing, if not NULL.
  var absent: SQL?

  /// What stands for an expression that is wrong, while its error is noted.
  static let unknown = CompiledExpression(sql: "NULL")
}

/// How tightly the outermost operator binds (<https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>).
///
/// Parentheses stand only where they must: SQLite's parser has a stack of 100 entries, and each takes one.
enum Precedence: Int, Comparable {
  case or, and, not, equality, comparison, sum, product, concatenation, collate, sign, primary

  static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

  /// The next tighter one.
  var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .primary }
}

extension CompiledExpression {
  /// The SQL as an operand of an operator that binds as tightly as `precedence`.
  func sql(within precedence: Precedence) -> SQL { self.precedence < precedence ? "(\(sql))" : sql }
}

/// From expressions as written to SQL: every name looked up, every value bound.
extension Planning {
  /// The SQL of an expression about the record of `scope`.
  func compile(_ expression: Expression, in scope: Scope) throws -> CompiledExpression {
    try budget.enter(expression.origin)
    defer { budget.leave() }
    func operand(_ expression: Expression, _ precedence: Precedence = .comparison) throws -> SQL {
      try compile(expression, in: scope).sql(within: precedence)
    }
    func boolean(_ sql: SQL, _ precedence: Precedence = .equality) -> CompiledExpression {
      CompiledExpression(sql: sql, precedence: precedence, format: .boolean)
    }
    func not(_ negated: Bool) -> SQL { negated ? "NOT " : "" }

    switch expression.kind {
    case .literal(let number):
      return CompiledExpression(sql: "\(.parameter(number))")
    case .value(let value):
      return CompiledExpression(sql: "\(.value(value))")
    case .null:
      return CompiledExpression(sql: "NULL")
    case .boolean(let value):
      return boolean(value ? "TRUE" : "FALSE", .primary)
    case .path(let path):
      return try noting(diagnostics) { try compile(path, in: scope, at: expression.origin) } ?? .unknown
    case .function(let name, let arguments, let isDistinct):
      return try noting(diagnostics) {
        try compileFunction(name, arguments, isDistinct: isDistinct, in: scope, at: expression.origin)
      } ?? .unknown
    case .all(let operands):
      return boolean(chain(try operands.map { try operand($0, .and) }[...], "AND"), .and)
    case .any(let operands):
      return boolean(chain(try operands.map { try operand($0, .or) }[...], "OR"), .or)
    case .unary(.not, let value):
      return boolean("NOT \(try operand(value, .not))", .not)
    case .unary(.minus, let value):
      return CompiledExpression(sql: "- \(try operand(value, .sign))", precedence: .sign)
    case .unary(.plus, let value):
      return CompiledExpression(sql: "+ \(try operand(value, .sign))", precedence: .sign)
    case .binary(let op, let left, let right):
      if op == .concatenate { plan.buildsTexts = true }
      // All of these operators take their left side first.
      let sql: SQL = "\(try operand(left, op.precedence)) \(op.sql) \(try operand(right, op.precedence.next))"
      return CompiledExpression(
        sql: sql, precedence: op.precedence, format: op.isComparison ? .boolean : .plain)
    case .isNull(let value, let negated):
      return boolean("\(try operand(value)) IS \(not(negated))NULL")
    case .in(let value, let list, let negated):
      if list.isEmpty {
        // SQLite makes an integer of `x IN ()`, and an integer alone in ORDER BY is the number of a column.
        _ = try operand(value)
        return boolean(negated ? "TRUE" : "FALSE", .primary)
      }
      let list = try list.map { try operand($0, .or) }.joined(separator: ", ")
      return boolean("\(try operand(value)) \(not(negated))IN (\(list))")
    case .between(let value, let low, let high, let negated):
      return boolean(
        "\(try operand(value)) \(not(negated))BETWEEN \(try operand(low)) AND \(try operand(high))")
    case .match(let op, let value, let pattern, let escape, let negated):
      if budget.limits.stopsMatching, !isIndexed(value, in: scope) {
        let function: SQL = op == .like ? "kindred_like" : "kindred_glob"
        let arguments = try ([pattern, value] + (escape.map { [$0] } ?? [])).map { try operand($0, .or) }
        return boolean(
          "\(not(negated))\(function)(\(arguments.joined(separator: ", ")))", negated ? .not : .primary)
      }
      let escape: SQL = if let escape { " ESCAPE \(try operand(escape, .sum))" } else { "" }
      let word: SQL = op == .like ? "LIKE" : "GLOB"
      return boolean("\(try operand(value)) \(not(negated))\(word) \(try operand(pattern))\(escape)")
    case .cases(let value, let branches, let other):
      return try compileCases(of: value, branches, else: other, in: scope)
    case .collate(let value, let collation):
      return CompiledExpression(
        sql: "\(try operand(value, .collate)) COLLATE \(collation.sql)", precedence: .collate)
    case .cast(let value, let type):
      return CompiledExpression(sql: "CAST(\(try operand(value, .or)) AS \(type.sql))")
    case .program(let expression):
      return try compile(expression, in: scope)
    }
  }

  /// `CASE`, whose values are booleans where all of its results are.
  private func compileCases(
    of value: Expression?, _ branches: [Expression.Branch], else other: Expression?, in scope: Scope
  ) throws -> CompiledExpression {
    var sql: SQL = "CASE"
    if let value { sql.append(" \(try compile(value, in: scope).sql(within: .or))") }
    var isBoolean = true
    func result(_ expression: Expression) throws -> SQL {
      let compiled = try compile(expression, in: scope)
      if case .null = expression.kind {} else { isBoolean = isBoolean && compiled.format == .boolean }
      return compiled.sql(within: .or)
    }
    for branch in branches {
      let condition = try compile(branch.condition, in: scope).sql(within: .or)
      sql.append(" WHEN \(condition) THEN \(try result(branch.result))")
    }
    if let other { sql.append(" ELSE \(try result(other))") }
    sql.append(" END")
    return CompiledExpression(sql: sql, format: isBoolean ? .boolean : .plain)
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
    try compile(expression, in: scope).sql(within: .and)
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
    compiled.sql = target.export(compiled.sql, to: scope.statement) { record in
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
      return CompiledExpression(sql: "\(.claim(claim))")
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
        column.sql = "iif(\(presence) IS NULL, NULL, \(column.sql))"
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
        diagnostics?.note(.aggregate, at: component.origin)
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
    return try compileColumn(component, in: scope, candidates: nameCandidates(in: scope))
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
    recordsRead?.append(scope)
    return CompiledExpression(sql: .column(scope.record, column.name), format: column.valueFormat)
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
      return known.expression
    }
    let before = selfReferences
    let compiled = try compile(expression, in: scope)
    try budget.charge(length: compiled.sql.length, at: expression.origin)
    if selfReferences == before { scope.compiledNames[name] = (compiled, isGroup) }
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

  private func nameCandidates(in scope: Scope) -> [String] {
    var names = scope.resource.columns.map(\.name) + associationKeys(of: scope)
    for annotation in scope.node?.annotations ?? [] { names += annotation.name.map { [$0] } ?? [] }
    return names + defaultNames(in: scope)
  }
}

extension Resource {
  /// The column of this name, unless it is hidden.
  func column(named name: String) -> Column? {
    guard let column = table.column(named: name), !hidden.contains(column.name) else { return nil }
    return column
  }
}

extension Column {
  /// How its values are written in JSON.
  public var valueFormat: Plan.ValueFormat {
    switch declaredType.uppercased() {
    case "BOOLEAN", "BOOL": .boolean
    case "JSON": .json
    default: .plain
    }
  }
}
