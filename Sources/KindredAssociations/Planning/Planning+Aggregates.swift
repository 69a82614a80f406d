import KindredSQLSyntax
import OrderedCollections

/// An association by the key that a request gives it.
struct KeyedAssociation {
  var key: String
  var association: Association
  /// The node of the request with this key.
  var node: RequestNode?
}

/// What a default name such as `maxBookYear` stands for.
struct DefaultAggregate {
  var function: Expression.AggregateFunction
  /// Of the association.
  var key: String
  /// Nil for a function without argument.
  var column: String?
}

/// Aggregates of associations: each a subquery of its own, so that none inflates another.
extension Planning {
  /// The association of this key: a node of the request comes before an association of the model, but not in
  /// expressions of the model.
  func association(_ key: String, of scope: Scope) -> KeyedAssociation? {
    if !readsHidden, let node = scope.node?.children.first(where: { $0.key == key }),
      let association = node.association
    {
      return KeyedAssociation(key: key, association: association, node: node)
    }
    let resource = readsHidden ? model.unrestricted.resources[scope.resource.name] : nil
    guard let association = (resource ?? scope.resource).associations[key] else { return nil }
    return KeyedAssociation(key: key, association: association, node: nil)
  }

  /// The keys of the request's nodes and of the model's associations.
  func associationKeys(of scope: Scope) -> [String] {
    var keys = scope.node?.children.map(\.key) ?? []
    for key in scope.resource.associations.keys where !keys.contains(key) { keys.append(key) }
    return keys
  }

  /// The functions of the language, and what they are in SQL.
  typealias AggregateFunction = Expression.AggregateFunction

  /// `books.count`, `books.filter(kind='novel').max(year)`.
  func compileAggregate(
    _ keyed: KeyedAssociation, _ components: ArraySlice<Expression.Path.Component>, in scope: Scope,
    at origin: Origin
  ) throws -> CompiledExpression {
    var filters: [Expression] = []
    var rest = components
    while let component = rest.first, component.name == "filter", let arguments = component.arguments {
      filters += arguments
      rest = rest.dropFirst()
    }
    guard let last = rest.first else {
      throw RequestError(
        .invalidExpression, "an aggregate such as `count` should follow `\(keyed.key).filter(…)`", at: origin)
    }
    let function = AggregateFunction(rawValue: last.name)
    diagnostics?.note(.aggregate, at: last.origin)
    guard rest.count == 1, let function else {
      if rest.count == 1, last.arguments == nil,
        try resource(keyed.association.destination).column(named: last.name) != nil
      {
        throw RequestError(
          .invalidExpression,
          "`\(keyed.key)` is to-many, so `\(last.name)` is many values: write an aggregate such as `\(keyed.key).max(\(last.name))`",
          at: origin)
      }
      if let nested = nestedAggregate(keyed, rest) {
        throw RequestError(
          .invalidExpression,
          "`\(keyed.key)` is to-many, so what follows is about each of many records: write `\(nested)`",
          at: origin)
      }
      throw RequestError.unknown(
        last.name, .unknownFunction,
        "`\(keyed.key)` is a to-many association, and `\(last.name)` is no aggregate of it",
        among: AggregateFunction.allCases.map(\.rawValue), at: last.origin)
    }
    let arguments = last.arguments ?? []
    guard function.argumentCount.contains(arguments.count) else {
      let call = "\(keyed.key).\(last.name)"
      let fix =
        switch function.argumentCount.upperBound {
        case 0: "takes no arguments: write `\(call)`"
        case 1: "takes one argument: write `\(call)(column)`"
        default: "takes a value and a separator: write `\(call)(column, ', ')`"
        }
      throw RequestError(.invalidExpression, "`\(last.name)` \(fix)", at: last.origin)
    }
    return try compileAggregate(
      function, of: keyed, filters: filters, arguments: arguments, in: scope, at: origin)
  }

  /// An aggregate of aggregates, for what is written as one of a path; nil where no association follows.
  private func nestedAggregate(
    _ keyed: KeyedAssociation, _ rest: ArraySlice<Expression.Path.Component>
  ) -> String? {
    guard rest.count > 1, let next = rest.first, let last = rest.last,
      let resource = model.resources[keyed.association.destination], resource.associations[next.name] != nil,
      let function = AggregateFunction(rawValue: last.name)
    else { return nil }
    let inner = Expression(
      .path(Expression.Path(parents: 0, components: Array(rest))), at: next.origin)
    let renderer = ExpressionRenderer(literals: request.literals.values)
    guard let text = try? renderer.text(of: inner) else { return nil }
    let outer = function == .count ? "sum" : function == .isEmpty ? "min" : function.rawValue
    return "\(keyed.key.asExpressionName).\(outer)(\(text))"
  }

  func compileAggregate(
    _ function: AggregateFunction, of keyed: KeyedAssociation, filters: [Expression], arguments: [Expression],
    in scope: Scope, at origin: Origin
  ) throws -> CompiledExpression {
    // What a subquery takes to be made, beside its expressions.
    try budget.charge(8, at: origin)
    return try scope.statement.subquery { select in
      let records = try destination(
        of: keyed.association, from: scope, into: select, node: keyed.node,
        countsWays: (filters + arguments).contains(where: \.readsVia),
        isRepeated: scope.statement.repeatsInner)
      select.conditions += try conditions(of: records)
      for filter in filters { select.conditions.append(try guardedCondition(filter, in: records)) }
      let values = try arguments.map { try compile($0, in: records) }
      if function == .concat { return try concatenation(of: values, keyed, records, select) }
      if function == .isEmpty {
        return CompiledExpression(
          sql: "NOT EXISTS (SELECT 1 \(select.from()))", precedence: .not, format: .boolean,
          type: dialect.truthType, absent: dialect.absence(of: function))
      }
      let call = try dialect.aggregate(function, values, isDistinct: false)
      guard values.contains(where: { $0.sql.reads { $0.depth < select.depth } }) else {
        let compiled = subquery(function, call, select.from())
        scope.groupedAggregates[compiled.sql] = grouped(
          function, call.sql, keyed.association, records, select, in: scope)
        return compiled
      }
      // SQLite hoists an aggregate to the query that owns its columns; the inner SELECT keeps it here.
      let outer = values.map { value in
        var value = value
        (value.sql, value.precedence, value.form) = ("value", .primary, .other)
        return value
      }
      let rows: SQL = "SELECT \(values[0].sql) AS value \(select.from())"
      return subquery(
        function, try dialect.aggregate(function, outer, isDistinct: false), "FROM \(dialect.derived(rows))")
    }
  }

  /// A number of records that is read no further than `most`: its cost is bounded.
  func compileCount(of keyed: KeyedAssociation, most: Int, in scope: Scope) throws -> CompiledExpression {
    try scope.statement.subquery { select in
      let records = try destination(
        of: keyed.association, from: scope, into: select, node: keyed.node,
        isRepeated: scope.statement.repeatsInner)
      select.conditions += try conditions(of: records)
      let bound = dialect.integer(.value(.integer(Int64(most))))
      let first = dialect.derived("SELECT 1 \(select.from()) LIMIT \(bound)")
      return CompiledExpression(
        sql: "(SELECT COUNT(*) FROM \(first))", absent: dialect.absence(of: .count))
    }
  }

  /// The values one after the other, in the order of the association.
  ///
  ///     (SELECT group_concat(value, separator) FROM (SELECT … FROM records ORDER BY order))
  private func concatenation(
    of values: [CompiledExpression], _ keyed: KeyedAssociation, _ records: Scope, _ select: SelectBuilder
  ) throws -> CompiledExpression {
    let sort =
      try keyed.node?.sort?.map { try term($0, in: records) }
      ?? defaultTerms(keyed.association.sort, in: records)
    let order = (sort + keyTerms(of: records)).map { $0.rendered(as: $0.sql, dialect) }.joined(
      separator: ", ")
    let names: [SQL] = ["value", "separator"]
    let shown = zip(values, names).map { "\($0.sql) AS \($1)" as SQL }.joined(separator: ", ")
    let rows: SQL = "SELECT \(shown) \(select.from()) ORDER BY \(order)"
    let read = zip(values, names).map { value, name in
      var value = value
      (value.sql, value.precedence, value.form) = (name, .primary, .other)
      return value
    }
    let call = try dialect.aggregate(.concat, read, isDistinct: false)
    return CompiledExpression(sql: "(SELECT \(call.sql) FROM \(dialect.derived(rows)))", type: call.type)
  }

  /// An aggregate of the rows that `from` finds.
  private func subquery(
    _ function: AggregateFunction, _ call: CompiledExpression, _ from: SQL
  ) -> CompiledExpression {
    CompiledExpression(
      sql: .term("(SELECT \(call.sql) \(from))"), type: call.type,
      isNullable: dialect.absence(of: function) == nil, absent: dialect.absence(of: function))
  }

  /// An aggregate of the records that one index lookup finds, as groups; nil where they are found in another way.
  private func grouped(
    _ function: AggregateFunction, _ call: SQL, _ association: Association, _ records: Scope,
    _ select: SelectBuilder, in scope: Scope
  ) -> GroupedAggregate? {
    guard dialect.nestsStatements, association.steps.count == 1, select.joins.isEmpty,
      let step = association.steps.first, step.originColumns.count == 1,
      let key = records.table.column(named: step.destinationColumns[0]),
      let origin = scope.table.column(named: step.originColumns[0]),
      // Equal values of a group are then equal to the same records.
      model.isPlain(step), select.plainRecord == records.record,
      // Groups are read apart from any record.
      !select.conditions.contains(where: { $0.reads { $0.depth < select.depth } })
    else {
      return nil
    }
    let (keySQL, originSQL) = (
      records.column(key.name, in: select.statement), scope.column(origin.name, in: select.statement)
    )
    let conditions = select.conditions
    let filter: SQL = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    return GroupedAggregate(
      groups:
        "SELECT \(keySQL) AS \(GroupedAggregate.key), \(call) AS \(GroupedAggregate.value) FROM \(select.source)\(filter) GROUP BY \(keySQL)",
      origin: originSQL, empty: dialect.absence(of: function)?.sql ?? "NULL",
      isAbsent: "NOT EXISTS (SELECT 1 \(select.from()))")
  }

  // MARK: Default names

  /// The name of an item without one; nil where it needs one.
  func defaultName(of expression: Expression, in scope: Scope) throws -> String? {
    guard case .path(let path) = expression.kind, path.parents == 0 else { return nil }
    var resource = scope.resource
    var node = scope.node
    var components = path.components[...]
    while let component = components.first, components.count > 1 {
      let scoped = node?.children.first { $0.key == component.name }
      guard let association = scoped?.association ?? resource.associations[component.name] else { return nil }
      components = components.dropFirst()
      if association.cardinality == .toMany {
        while components.first?.name == "filter" { components = components.dropFirst() }
        guard let last = components.first else { return nil }
        return aggregateName(last, of: component.name)
      }
      resource = try self.resource(association.destination)
      node = scoped
    }
    guard let last = components.first, last.arguments == nil else { return nil }
    // A column is named as the database spells it, a default name is a name already.
    return resource.column(named: last.name)?.name ?? last.name
  }

  private func aggregateName(_ component: Expression.Path.Component, of key: String) -> String? {
    guard let function = AggregateFunction(rawValue: component.name) else { return nil }
    guard let argument = component.arguments?.first else {
      return Self.name(of: function, key: key, column: "")
    }
    guard case .path(let path) = argument.kind, path.parents == 0, path.components.count == 1,
      path.components[0].arguments == nil
    else { return nil }
    return Self.name(of: function, key: key, column: path.components[0].name)
  }

  /// `bookCount`, `maxBookYear`: what the contract's table of default names says.
  ///
  /// Nil for a function without default names.
  static func name(of function: AggregateFunction, key: String, column: String) -> String? {
    function.defaultName(of: Inflector.singular(key), column: column)
  }

  /// The aggregate that a default name stands for.
  func compileDefaultName(_ name: String, in scope: Scope, at origin: Origin) throws -> CompiledExpression? {
    guard let aggregate = try defaultAggregates(of: scope)[name],
      let keyed = association(aggregate.key, of: scope)
    else { return nil }
    // Before its argument, which has the same place, is noted as a column.
    diagnostics?.note(.aggregate, at: origin)
    let arguments = aggregate.column.map { column in
      let component = Expression.Path.Component(name: column, arguments: nil, origin: origin)
      return [Expression(.path(.init(parents: 0, components: [component])), at: origin)]
    }
    return try compileAggregate(
      aggregate.function, of: keyed, filters: [], arguments: arguments ?? [], in: scope, at: origin)
  }

  /// The aggregates that default names stand for, the first of each name.
  private func defaultAggregates(of scope: Scope) throws -> [String: DefaultAggregate] {
    if let known = scope.defaultAggregates { return known }
    var aggregates: [String: DefaultAggregate] = [:]
    for key in associationKeys(of: scope) {
      guard let keyed = association(key, of: scope), keyed.association.cardinality == .toMany else {
        continue
      }
      let resource = try resource(keyed.association.destination)
      for function in AggregateFunction.allCases where function != .total {
        for column in function.takesArgument ? resource.columns.map(\.name) : [nil] {
          guard let name = Self.name(of: function, key: key, column: column ?? ""), aggregates[name] == nil
          else { continue }
          aggregates[name] = DefaultAggregate(function: function, key: key, column: column)
        }
      }
    }
    // The model's own expressions don't know the keys of the request.
    if !readsHidden { scope.defaultAggregates = aggregates }
    return aggregates
  }

  /// Whether a name is the default name of an aggregate of an association.
  func isDefaultName(_ name: String, of association: Association) -> Bool {
    guard association.cardinality == .toMany,
      let resource = model.unrestricted.resources[association.destination]
    else { return false }
    return AggregateFunction.allCases.contains { function in
      function.takesArgument
        ? resource.columns.contains { name == Self.name(of: function, key: association.key, column: $0.name) }
        : name == Self.name(of: function, key: association.key, column: "")
    }
  }

  /// Every default name that could be meant: for suggestions.
  func defaultNames(in scope: Scope) -> [String] {
    associationKeys(of: scope).flatMap { key -> [String] in
      guard let keyed = association(key, of: scope), keyed.association.cardinality == .toMany,
        let resource = model.resources[keyed.association.destination]
      else { return [] }
      if let known = suggestedNames[[key, resource.name]] { return known }
      let names = AggregateFunction.allCases.flatMap { function in
        function.takesArgument
          ? resource.columns.compactMap { Self.name(of: function, key: key, column: $0.name) }
          : [Self.name(of: function, key: key, column: "")].compactMap { $0 }
      }
      suggestedNames[[key, resource.name]] = names
      return names
    }
  }
}
