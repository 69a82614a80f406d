import KindredModel
import KindredSQLSyntax

/// Expressions.
extension RequestLowering {
  /// Returns a program's expression as one of URLs.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - clause: The method that takes it, for errors.
  ///   - place: The record that its unqualified names are about.
  ///   - start: The record of the node where it stands.
  func expression(
    _ expression: Expression, _ clause: String, about place: RequestPlace, from start: RequestPlace
  ) throws -> Expression {
    if case .program(.raw) = expression.kind { throw RemoteError.notExpressible("\(clause)(sql:)") }
    return try ExpressionLowering(lowering: self, clause: clause, start: start).lower(
      expression, about: place)
  }
}

/// Lowers the expressions of one clause.
private struct ExpressionLowering {
  let lowering: RequestLowering
  let clause: String
  let start: RequestPlace

  func lower(_ expression: Expression, about place: RequestPlace) throws -> Expression {
    var result = expression
    switch expression.kind {
    case .value(.null): result.kind = .null
    // Nothing is in an empty list, not even NULL.
    case .in(_, let list, let negated) where list.isEmpty: result.kind = .boolean(negated)
    case .program(let program): result.kind = try lower(program, about: place)
    // `map` tells only of the right operand that it is compared.
    case .binary(let op, let value, let column)
    where op.isComparison && isOfUUIDs(column, about: place) && !isOfUUIDs(value, about: place):
      result.kind = .binary(
        op, try lower(value.withUUIDAsText, about: place), try lower(column, about: place))
    default:
      let comparesUUIDs = expression.kind.compared.map { isOfUUIDs($0, about: place) } ?? false
      result.kind = try expression.kind.map(
        name: { .path($0) },
        call: { name, arguments, isDistinct in
          .function(
            name: name, arguments: try arguments.map { try lower($0, about: place) }, isDistinct: isDistinct)
        },
        part: { part, isCompared in
          try lower(comparesUUIDs && isCompared ? part.withUUIDAsText : part, about: place)
        })
    }
    return result.withoutEmptyLogic
  }

  private func lower(
    _ program: Expression.ProgramExpression, about place: RequestPlace
  ) throws -> Expression.Kind {
    switch program {
    case .column(let name): return try path([.init(try column(name, of: place))], of: place)
    case .of(let alias, let expression):
      guard let target = lowering.aliases[alias] else {
        throw RemoteError.notExpressible("a TableAlias that isn't attached to a record of the request")
      }
      return try lower(expression, about: target).kind
    case .aggregate(let function, let node, let argument):
      return try aggregate(function, of: node, argument, at: place)
    case .raw(let parts):
      let text = parts.map { if case .text(let text) = $0 { text } else { "…" } }.joined()
      throw RemoteError.notExpressible("the SQL `\(text)` in \(clause)(_:)")
    case .search: throw RemoteError.notExpressible("matching(_:) of records that are not in the result")
    case .exists: throw RemoteError.notExpressible("exists()")
    case .scalar: throw RemoteError.notExpressible("a request as a value")
    case .among: throw RemoteError.notExpressible("contains(_:) of a request")
    case .count: throw RemoteError.notExpressible("a count of `\(clause)`")
    }
  }

  /// Returns whether an expression is a column of PostgreSQL's `uuid`, whose values are texts to clients.
  private func isOfUUIDs(_ expression: Expression, about place: RequestPlace) -> Bool {
    switch expression.kind {
    case .program(.column(let name)): place.resource.table.column(named: name)?.isOfUUIDs ?? false
    case .program(.of(let alias, let inner)):
      lowering.aliases[alias].map { isOfUUIDs(inner, about: $0) } ?? false
    default: false
    }
  }

  private typealias Component = Expression.Path.Component

  /// Returns a path that ends with these components at a place.
  private func path(_ components: [Component], of place: RequestPlace) throws -> Expression.Kind {
    let way = try start.path(to: place)
    return .path(
      Expression.Path(parents: way.parents, components: way.keys.map { Component($0) } + components))
  }

  /// Returns the name by which the server knows a column.
  private func column(_ name: String, of place: RequestPlace) throws -> String {
    let table = place.resource.table
    if let column = table.column(named: name) { return column.name }
    guard ["rowid", "oid", "_rowid_"].contains(name.foldingASCIICase) else { return name }
    guard let alias = table.rowIDColumn else {
      throw RemoteError.notExpressible("Column.rowID of `\(table.name)`")
    }
    return alias
  }

  // MARK: Aggregates

  /// Returns an aggregate of the records that a node's association leads to: `books.filter(…).max(year)`.
  private func aggregate(
    _ function: Expression.AggregateFunction, of node: RequestNode, _ argument: Expression?,
    at place: RequestPlace
  ) throws -> Expression.Kind {
    guard let steps = node.association?.steps else { throw RequestLowering.missing([]) }
    if let known = place.resource.association(of: steps) {
      guard node.rows.pivots.allSatisfy({ $0.filters.isEmpty && $0.children.isEmpty }) else {
        throw RemoteError.notExpressible(
          "a condition of a table that an aggregate's association goes through")
      }
      return try aggregate(function, of: node, by: known, argument, at: place)
    }
    // Steps that never lead to a record twice can be aggregated one after the other.
    guard steps.count > 1, !RequestLowering.mayRepeat(steps), let first = node.rows.pivots.first,
      let known = place.resource.association(of: steps.prefix(1))
    else { throw RequestLowering.missing(steps) }
    var inner = node
    inner.association?.steps = Array(steps.dropFirst())
    inner.rows.pivots.removeFirst()
    let part = Expression(
      .program(.aggregate(function == .isEmpty ? .count : function, of: inner, argument)), at: Origin())
    guard known.cardinality == .toMany else {
      guard first.filters.isEmpty else { throw RequestLowering.missing(steps) }
      let key = known.key
      let one = RequestPlace(
        first, key: key, resource: try lowering.schema.resource(of: steps[0].destination), above: place,
        step: .one(key: key), association: known, names: MemberNames())
      return try lower(part, about: one).kind
    }
    let outer: Expression.AggregateFunction =
      switch function {
      case .count, .isEmpty: .sum
      case .min, .max, .sum, .total: function
      case .average, .concat: throw RequestLowering.missing(steps)
      }
    let sum = Expression(try aggregate(outer, of: first, by: known, part, at: place), at: Origin())
    guard function == .count || function == .isEmpty else { return sum.kind }
    let zero = Expression(.value(.integer(0)), at: Origin())
    let count = Expression.Kind.function(name: "ifnull", arguments: [sum, zero], isDistinct: false)
    return function == .count ? count : .binary(.equal, Expression(count, at: Origin()), zero)
  }

  private func aggregate(
    _ function: Expression.AggregateFunction, of node: RequestNode, by known: Association,
    _ argument: Expression?, at place: RequestPlace
  ) throws -> Expression.Kind {
    guard known.cardinality == .toMany else {
      throw RemoteError.notExpressible("an aggregate of `\(known.key)`, which is to-one on the server")
    }
    let record = RequestPlace(
      node, key: known.key, resource: try lowering.schema.resource(of: known.steps.last?.destination ?? ""),
      above: place, step: .many, association: known, names: MemberNames())
    var lowering = lowering
    let conditions = try lowering.addRecords(of: record) + node.filters
    let inner = ExpressionLowering(lowering: lowering, clause: clause, start: record)
    var components = [Component(known.key)]
    if !conditions.isEmpty {
      components.append(Component("filter", try conditions.map { try inner.lower($0, about: record) }))
    }
    components.append(
      Component(function.rawValue, try argument.map { [try inner.lower($0, about: record)] }))
    return try path(components, of: place)
  }
}

extension RequestLowering {
  /// Adds the aliases of an aggregate's records and of those joined to them.
  ///
  /// - Returns: The conditions that the joins stand for.
  fileprivate mutating func addRecords(of place: RequestPlace) throws -> [Expression] {
    for alias in place.node.rows.aliases { setAlias(alias, place) }
    return try place.node.children.flatMap { child -> [Expression] in
      guard let steps = child.association?.steps, let known = place.resource.association(of: steps),
        known.cardinality == .toOne, child.isRequired || child.filters.isEmpty
      else {
        throw RemoteError.notExpressible("an association that is joined to those of an aggregate")
      }
      let joined = RequestPlace(
        child, key: known.key, resource: try schema.resource(of: steps.last?.destination ?? ""), above: place,
        step: .one(key: known.key), association: known, names: MemberNames())
      // Without an alias of the program, its conditions need one.
      let alias = RecordAlias()
      setAlias(alias, joined)
      let below = try addRecords(of: joined)
      guard child.isRequired else { return below }
      let columns = joined.resource.table.primaryKey.map { joined.resource.table.columns[$0].name }
      let presence = columns.prefix(1).map { name in
        Expression(.isNull(Expression(.program(.column(name)), at: Origin()), negated: true), at: Origin())
      }
      return (presence + child.filters).map { Expression(.program(.of(alias, $0)), at: Origin()) } + below
    }
  }
}

extension Expression.Path.Component {
  fileprivate init(_ name: String, _ arguments: [Expression]? = nil) {
    self.init(name: name, arguments: arguments, origin: Origin())
  }
}

// MARK: - Search

extension RequestNode {
  /// Returns whether an expression of the node, or of one below it, satisfies a condition, as a whole or in a part.
  func hasExpression(where condition: (Expression) -> Bool) -> Bool {
    let items =
      annotations + (fields ?? []).compactMap { if case .expression(let item) = $0 { item } else { nil } }
    let expressions = filters + havings + group + items.map(\.expression) + (sort ?? []).map(\.expression)
    return expressions.contains { $0.hasPart(where: condition) }
      || (children + rows.pivots).contains { $0.hasExpression(where: condition) }
  }
}

extension Expression {
  var isAggregate: Bool { if case .program(.aggregate) = kind { true } else { false } }

  fileprivate func hasPart(where condition: (Expression) -> Bool) -> Bool {
    contains { part in
      if case .program(.of(_, let inner)) = part.kind { return inner.hasPart(where: condition) }
      return condition(part)
    }
  }
}

extension Expression.Kind {
  /// What the other parts are compared with; nil in other operations.
  fileprivate var compared: Expression? {
    switch self {
    case .binary(_, let operand, _), .in(let operand, _, _), .between(let operand, _, _, _): operand
    default: nil
    }
  }
}

extension Expression {
  fileprivate var withUUIDAsText: Expression {
    guard case .value(let value) = kind else { return self }
    var result = self
    result.kind = .value(value.withUUIDAsText)
    return result
  }

  /// The expression without conjunctions and disjunctions of fewer than two operands, which URLs can't have.
  fileprivate var withoutEmptyLogic: Expression {
    var result = self
    switch kind {
    case .all(let operands) where operands.count < 2: result.kind = operands.first?.kind ?? .boolean(true)
    case .any(let operands) where operands.count < 2: result.kind = operands.first?.kind ?? .boolean(false)
    default: break
    }
    return result
  }
}
