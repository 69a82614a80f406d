import KindredSQLSyntax

/// An expression whose names were found.
struct CompiledExpression {
  var sql: SQL
  var format: Plan.ValueFormat = .plain
  /// What it is where the record that it is about is missing, if not NULL.
  var absent: SQL?
}

/// From expressions as written to SQL: every name looked up, every value bound.
extension Planning {
  /// The SQL of an expression about the record of `scope`.
  func compile(_ expression: Expression, in scope: Scope) throws -> CompiledExpression {
    func sql(_ expression: Expression) throws -> SQL { try compile(expression, in: scope).sql }
    func boolean(_ sql: SQL) -> CompiledExpression { CompiledExpression(sql: sql, format: .boolean) }
    func not(_ negated: Bool) -> SQL { negated ? "NOT " : "" }

    switch expression.kind {
    case .literal(let number):
      return CompiledExpression(sql: "\(.parameter(number))")
    case .value(let value):
      return CompiledExpression(sql: "\(.value(value))")
    case .null:
      return CompiledExpression(sql: "NULL")
    case .boolean(let value):
      return boolean(value ? "TRUE" : "FALSE")
    case .path(let path):
      return try compile(path, in: scope, at: expression.origin)
    case .function(let name, let arguments, let isDistinct):
      return try compileFunction(
        name, arguments, isDistinct: isDistinct, in: scope, at: expression.origin)
    case .all(let operands):
      return boolean(balanced(try operands.map(sql)[...], "AND"))
    case .any(let operands):
      return boolean(balanced(try operands.map(sql)[...], "OR"))
    case .unary(.not, let operand):
      return boolean("(NOT \(try sql(operand)))")
    case .unary(.minus, let operand):
      return CompiledExpression(sql: "(- \(try sql(operand)))")
    case .unary(.plus, let operand):
      return CompiledExpression(sql: "(+ \(try sql(operand)))")
    case .binary(let op, let left, let right):
      return CompiledExpression(
        sql: "(\(try sql(left)) \(op.sql) \(try sql(right)))", format: op.isComparison ? .boolean : .plain)
    case .isNull(let operand, let negated):
      return boolean("(\(try sql(operand)) IS \(not(negated))NULL)")
    case .in(let operand, let list, let negated):
      let list = try list.map(sql).joined(separator: ", ")
      return boolean("(\(try sql(operand)) \(not(negated))IN (\(list)))")
    case .between(let operand, let low, let high, let negated):
      return boolean("(\(try sql(operand)) \(not(negated))BETWEEN \(try sql(low)) AND \(try sql(high)))")
    case .match(let op, let operand, let pattern, let escape, let negated):
      let escape: SQL = if let escape { " ESCAPE \(try sql(escape))" } else { "" }
      return boolean(
        "(\(try sql(operand)) \(not(negated))\(op == .like ? "LIKE" : "GLOB") \(try sql(pattern))\(escape))")
    case .collate(let operand, let collation):
      return CompiledExpression(sql: "(\(try sql(operand)) COLLATE \(collation.sql))")
    case .cast(let operand, let type):
      return CompiledExpression(sql: "CAST(\(try sql(operand)) AS \(type.sql))")
    }
  }

  /// A chain of operands as a tree of little depth: SQLite's limit is on depth, not on length.
  private func balanced(_ operands: ArraySlice<SQL>, _ word: SQL) -> SQL {
    guard operands.count > 2 else { return "(\(operands.joined(separator: " \(word) ")))" }
    let middle = operands.startIndex + operands.count / 2
    let left = balanced(operands[..<middle], word)
    let right = operands.count - operands.count / 2 == 1 ? operands[middle] : balanced(operands[middle...], word)
    return "(\(left) \(word) \(right))"
  }

  // MARK: Paths

  /// A name of the record itself, of a record above, or of one that a to-one association leads to.
  private func compile(
    _ path: Expression.Path, in scope: Scope, at origin: Origin
  ) throws -> CompiledExpression {
    var target = scope
    for _ in 0..<path.parents {
      guard let parent = target.parent else {
        throw RequestError(
          .invalidExpression, "`../` leads nowhere: \(target.parentRefusal)", at: origin)
      }
      target = parent
    }
    var compiled = try compile(path.components[...], in: target)
    compiled.sql = target.statement.export(compiled.sql, to: scope.statement)
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
    if let association = association(first.name, of: scope) {
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
      return try compileColumn(next, in: via, candidates: via.resource.columns.map(\.name))
    }
    throw RequestError.unknown(
      first.name, .unknownAssociation, "`\(first.name)` is no association of \(scope.resource.name)",
      among: associationKeys(of: scope), at: first.origin)
  }

  private func compileName(
    _ component: Expression.Path.Component, in scope: Scope
  ) throws -> CompiledExpression {
    if component.arguments == nil {
      if let column = scope.resource.column(named: component.name) { return compile(column, in: scope) }
      if let named = try compileNamed(component.name, in: scope) { return named }
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
    guard let column = scope.resource.column(named: component.name) else {
      throw RequestError.unknown(
        component.name, .unknownColumn, "`\(component.name)` is no column of \(scope.resource.name)",
        among: candidates, at: component.origin)
    }
    return compile(column, in: scope)
  }

  func compile(_ column: Column, in scope: Scope) -> CompiledExpression {
    CompiledExpression(
      sql: "\(identifier: scope.alias).\(identifier: column.name)", format: column.valueFormat)
  }

  /// An annotation or a field of the record's node, by its name.
  private func compileNamed(_ name: String, in scope: Scope) throws -> CompiledExpression? {
    guard let node = scope.node else { return nil }
    var named = node.annotations
    for case .expression(let field) in node.fields ?? [] { named.append(field) }
    guard
      let found = named.first(where: { item in
        if let written = item.name { return written == name }
        return (try? defaultName(of: item.expression, in: scope)) == name
      })
    else { return nil }
    // Within itself the name has its other meaning: `bookCount` is an item of that name, and the aggregate that it is.
    guard scope.resolving.insert(name).inserted else { return nil }
    defer { scope.resolving.remove(name) }
    return try compile(found.expression, in: scope)
  }

  // MARK: Errors

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
  var valueFormat: Plan.ValueFormat {
    switch declaredType.uppercased() {
    case "BOOLEAN", "BOOL": .boolean
    case "JSON": .json
    default: .plain
    }
  }
}

extension Expression.BinaryOperator {
  var sql: SQL {
    switch self {
    case .equal: "="
    case .notEqual: "<>"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .is: "IS"
    case .isNot: "IS NOT"
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    case .concatenate: "||"
    }
  }

  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .is, .isNot: true
    case .add, .subtract, .multiply, .divide, .remainder, .concatenate: false
    }
  }
}

extension Expression.Collation {
  var sql: SQL {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    }
  }
}

extension Expression.CastType {
  var sql: SQL {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .numeric: "NUMERIC"
    }
  }
}
