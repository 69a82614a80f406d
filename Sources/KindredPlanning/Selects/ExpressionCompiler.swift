import KindredModel
import KindredSQLSyntax

/// Compiles expressions to the SQL of the dialect.
struct ExpressionCompiler: PlanningPart {
  let context: PlanningContext

  /// Returns the SQL of an expression about a record.
  ///
  /// - Parameter isOfGroup: Whether aggregates of a group are allowed in it.
  func compile(
    _ expression: Expression, in record: StatementRecord, by author: ExpressionAuthor = .request,
    isOfGroup: Bool = false
  ) throws -> CompiledExpression {
    try compile(try resolve(expression, in: record, by: author, isOfGroup: isOfGroup), in: record)
  }

  /// Returns the SQL of a condition, as an operand of `AND`.
  func condition(
    _ expression: Expression, in record: StatementRecord, by author: ExpressionAuthor = .request,
    isOfGroup: Bool = false
  ) throws -> SQL {
    try condition(try resolve(expression, in: record, by: author, isOfGroup: isOfGroup), in: record)
  }

  func resolve(
    _ expression: Expression, in record: StatementRecord, by author: ExpressionAuthor, isOfGroup: Bool = false
  ) throws -> ResolvedExpression {
    try context.resolver.resolve(expression, of: record.names, by: author, isOfGroup: isOfGroup)
  }

  /// Returns whether an expression of the model file reads what the client's roles may not.
  func readsWithheld(_ expression: Expression, in record: StatementRecord) throws -> Bool {
    try resolve(expression, in: record, by: context.modelAuthor).readsWithheld(of: record.names)
  }

  // MARK: Resolved expressions

  /// Returns the SQL of a condition, as an operand of `AND`.
  func condition(_ expression: ResolvedExpression, in record: StatementRecord) throws -> SQL {
    try compileCondition(expression, in: record).sql(within: .and)
  }

  /// Returns the SQL of a condition that finds records, as an operand of `AND`: with the one by which an index can.
  func search(_ expression: ResolvedExpression, in record: StatementRecord) throws -> SQL {
    let compiled = try compileCondition(expression, in: record)
    let condition = compiled.sql(within: .and)
    guard let necessary = compiled.necessary, necessary.length <= Self.maximumLength else { return condition }
    return "\(necessary) AND \(condition)"
  }

  /// The greatest length of a condition that only helps to find records.
  private static let maximumLength = 8192

  /// Returns the SQL of an expression about a record.
  func compile(_ expression: ResolvedExpression, in record: StatementRecord) throws -> CompiledExpression {
    try state.budget.deepen(expression.source.origin)
    defer { state.budget.leave() }
    if expression.source.exposesOperands(in: dialect) {
      if context.restrictsRows { state.exposure.mayDisclose = true }
      if context.isInRule { state.ruleMayFail = true }
    }
    if !dialect.recognizesGroups || !record.names.isGrouped {
      return try compileOperation(expression, in: record)
    }
    let groups = try GroupCheck(state, of: record.names)
    if groups.isGrouped(expression) { return dialect.grouped(try compileOperation(expression, in: record)) }
    if let opposite = expression.opposite, groups.isGrouped(opposite) {
      return try dialect.negated(try compile(opposite, in: record))
    }
    return try compileOperation(expression, in: record)
  }

  private func compileOperation(
    _ expression: ResolvedExpression, in record: StatementRecord
  ) throws -> CompiledExpression {
    let compiled = try checkingTypes(of: expression.source) { try compileParts(of: expression, in: record) }
    // A dialect may write some operands several times, which multiplies with each level.
    guard compiled.sql.length <= state.budget.limits.sqlLength else {
      throw state.budget.tooLong(at: expression.source.origin)
    }
    return compiled
  }

  /// Returns the SQL of an expression as a condition.
  func compileCondition(
    _ expression: ResolvedExpression, in record: StatementRecord
  ) throws -> CompiledExpression {
    let compiled = try compile(expression, in: record)
    return try checkingTypes(of: expression.source) { try dialect.condition(compiled) }
  }

  private func compileParts(
    of expression: ResolvedExpression, in record: StatementRecord
  ) throws -> CompiledExpression {
    func operand(_ expression: ResolvedExpression) throws -> CompiledExpression {
      try compile(expression, in: record)
    }

    switch expression.meaning {
    case .literal(let number):
      return literal(
        state.sameLiterals[number] ?? .parameter(number), state.literals[number], of: expression)
    case .value(let value):
      return literal(.value(value), value, of: expression)
    case .null:
      return CompiledExpression(sql: "NULL", form: .null)
    case .boolean(let value):
      return truth(value)
    case .path(let path):
      return try compile(path, in: record)
    case .function(.scalar(let name), let arguments, _):
      return try call(of: name, arguments, in: record)
    case .function(.aggregate(let function), let arguments, let isDistinct):
      let values = try arguments.map(operand)
      var value =
        function == .concat
        ? try dialect.concatenation(
          values, isDistinct: isDistinct, orderedBy: { try context.orders.order(within: record) })
        : try dialect.aggregate(function, values, isDistinct: isDistinct)
      let isHidden = !record.resource.hidden.isEmpty
      if let dependence = dialect.dependence(of: function, of: values, onOrder: isHidden) {
        value.sql.note(OrderedRowsNote(isDefaultOrder: dependence == .showsOrder))
      }
      value.sql = .term(value.sql.noted(GroupAggregateNote()))
      return value
    case .function(.search(let call), _, _):
      return try context.searches.value(of: call, in: record, at: expression.source.origin)
    case .all(let operands):
      return try logical(operands, "AND", .and, in: record)
    case .any(let operands):
      return try logical(operands, "OR", .or, in: record)
    case .unary(.not, let value):
      return try dialect.opposite(of: operand(value))
    case .unary(.minus, let value):
      return try dialect.signed(operand(value), isNegative: true)
    case .unary(.plus, let value):
      return try dialect.signed(operand(value), isNegative: false)
    case .binary(let op, let left, let right):
      if op == .concatenate, state.budget.limits.boundsOperators {
        return try dialect.boundedConcatenation(operand(left), operand(right))
      }
      return try binary(op, left, right, in: record)
    case .isNull(let value, let negated):
      return dialect.isNull(try operand(value), negated: negated)
    case .in(let value, let list, let negated):
      guard !list.isEmpty else {
        // SQLite reduces `x IN ()` to an integer, and an integer alone in ORDER BY is the number of a column.
        _ = try operand(value)
        return truth(negated)
      }
      return try dialect.isAmong(operand(value), list.map(operand), negated: negated)
    case .between(let value, let low, let high, let negated):
      return try dialect.isBetween(operand(value), operand(low), operand(high), negated: negated)
    case .match(let op, let value, let pattern, let escape, let negated):
      let isBounded = state.budget.limits.boundsOperators
      return try dialect.matches(
        op, operand(value), operand(pattern), escape: try escape.map(operand), negated: negated,
        isStoppable: isBounded,
        beginning: isBounded && isIndexed(value, in: record)
          ? op.beginning(of: pattern.source, escape: escape?.source) : nil)
    case .cases(let value, let branches, let other):
      return try cases(of: value, branches, else: other, in: record)
    case .collate(let value, let collation):
      return try dialect.collated(operand(value), collation)
    case .cast(let value, let type):
      return try dialect.cast(operand(value), to: type)
    case .program(let expression):
      return try ProgramExpressionCompiler(context: context).compile(expression, in: record)
    }
  }

  /// Returns the result of `body`, which compiles the parts of an expression.
  ///
  /// - Throws: `RequestError` if their types don't match, with the `cast` that helps, unless it is noted.
  private func checkingTypes(
    of expression: Expression, _ body: () throws -> CompiledExpression
  ) throws -> CompiledExpression {
    do {
      return try body()
    } catch let error as RequestError where error.code != .limitExceeded {
      return try noting(state.diagnostics) { throw error } ?? .unknown
    } catch let mismatch as TypeMismatch {
      var message = mismatch.message
      let parts = expression.parts.isEmpty ? [expression] : expression.parts
      if let (operand, type) = mismatch.cast, parts.indices.contains(operand),
        let text = try? ExpressionRenderer(literals: state.literals).text(of: parts[operand])
      {
        message += "; write `cast(\(text) as \(type.rawValue))`"
      }
      let error = RequestError(.invalidExpression, message, at: expression.origin)
      return try noting(state.diagnostics) { throw error } ?? .unknown
    }
  }

  private func literal(
    _ binding: SQL.Binding, _ value: SQLValue, of expression: ResolvedExpression
  ) -> CompiledExpression {
    guard let digits = expression.source.digits else { return dialect.literal(binding, value) }
    return dialect.longNumber(digits, value, binding)
  }

  // MARK: Operators and functions

  private func truth(_ value: Bool) -> CompiledExpression {
    CompiledExpression(
      sql: value ? "TRUE" : "FALSE", format: .boolean, type: dialect.truthType, form: .truth(value),
      isNullable: false)
  }

  /// Returns the conjunction or disjunction of two or more operands.
  private func logical(
    _ operands: [ResolvedExpression], _ word: SQL, _ precedence: Precedence, in record: StatementRecord
  ) throws -> CompiledExpression {
    let conditions = try operands.map { try compileCondition($0, in: record) }
    var compiled = CompiledExpression(
      sql: conditions.map { $0.sql(within: precedence) }.chain(word), precedence: precedence,
      format: .boolean, type: dialect.truthType)
    let necessary = conditions.compactMap(\.necessary)
    if precedence == .and, !necessary.isEmpty {
      compiled.necessary = necessary.joined(separator: " AND ")
    } else if precedence == .or, necessary.count == conditions.count {
      compiled.necessary = "(\(necessary.joined(separator: " OR ")))"
    }
    return compiled
  }

  private func call(
    of name: String, _ arguments: [ResolvedExpression], in record: StatementRecord
  ) throws -> CompiledExpression {
    var compiled = try arguments.enumerated().map { number, argument in
      try name == "iif" && number == 0
        ? compileCondition(argument, in: record) : compile(argument, in: record)
    }
    // A rule reads the clock of the database, which a cursor can't set back, even where an argument reads its records.
    if !context.isInRule, arguments.allSatisfy(\.isPlain) { dialect.bindTime(of: name, &compiled) }
    if ExpressionFunctions.containments.contains(name) { try check(compiled, of: name) }
    var call = try dialect.function(name, compiled)
    if dialect.readsLiterals(of: name) { state.readsLiterals = true }
    if name == "iif", compiled.dropFirst().allSatisfy({ $0.format == .boolean }) { call.format = .boolean }
    return call
  }

  /// Returns whether an expression is an indexed column, whose prefix SQLite looks up for operators, but not for
  /// functions.
  private func isIndexed(_ expression: ResolvedExpression, in record: StatementRecord) -> Bool {
    guard case .path(.column(let column)) = expression.meaning else { return false }
    return record.table.isIndexed([column.name])
  }

  // MARK: Paths

  /// Returns a column of the record.
  func compile(_ column: Column, in record: StatementRecord) -> CompiledExpression {
    if context.restrictsRows {
      state.exposure.add(record)
      if !column.isStored { state.exposure.mayDisclose = true }
    } else if !column.isStored, context.isInRule {
      state.ruleMayFail = true
    }
    let traits = ComparisonTraits(of: column, in: record.table)
    var compiled = CompiledExpression(
      sql: dialect.compared(.column(record.id, column.name), of: column),
      format: column.document == nil ? column.valueFormat : .plain, type: dialect.type(of: column),
      isNullable: column.isNullable || !record.isAlwaysPresent, traits: traits,
      traitsOfSQL: record.readsCopy ? traits.ofCopy : nil, isNondeterministic: !column.comparesBytes)
    compiled.shownDocument = dialect.document(of: .column(record.id, column.name), column)
    return compiled
  }

  private func compile(_ path: ResolvedPath, in record: StatementRecord) throws -> CompiledExpression {
    switch path {
    case .column(let column): return compile(column, in: record)
    case .computed(let computed): return try compile(computed, in: record)
    case .via(let path): return try compile(via: path, in: record)
    case .above(let levels, let rest): return try compile(rest, levels, above: record)
    case .joined(let association, let rest):
      return try context.toOne.through(association, of: record) { try compile(rest, in: $0) }
    case .named(let named): return try compile(named, in: record)
    case .aggregate(let aggregate): return try context.aggregates.compile(aggregate, in: record)
    case .claim(let claim): return dialect.claim(claim)
    case .unknown: return .unknown
    }
  }

  /// Returns a path from the record that is `levels` levels above.
  private func compile(
    _ path: ResolvedPath, _ levels: Int, above record: StatementRecord
  ) throws -> CompiledExpression {
    var target = record
    var levels = levels
    while levels > 0, let parent = target.parent {
      target = parent
      levels -= 1
      // A repeated level reads records further above through the level directly above it.
      if target.statement !== record.statement, target.recursion?.isRepeated ?? false { break }
    }
    guard target !== record else { return .unknown }
    let rest = levels > 0 ? .above(levels, path) : path
    var compiled = try compile(rest, in: target)
    guard target.statement !== record.statement else { return compiled }
    let parameter = target.export(
      compiled.shownSQL, as: compiled.type, to: record.statement,
      .path(rest, isInRule: context.isInRule))
    if case .member = compiled.form { return dialect.member(shownAs: parameter) }
    compiled.bind(to: parameter)
    return compiled
  }

  /// Returns what ``StatementRecord/export(_:as:to:_:)`` has noted, for another record.
  func compile(_ read: RecursionContext.Read, in record: StatementRecord) throws -> SQL {
    switch read {
    case .column(let name): return .column(record.id, name)
    case .path(let path, let isInRule):
      var context = context
      context.isInRule = isInRule
      return try ExpressionCompiler(context: context).compile(path, in: record).shownSQL
    }
  }

  private func compile(via path: ResolvedPath, in record: StatementRecord) throws -> CompiledExpression {
    guard let via = record.via else { return CompiledExpression(sql: "NULL", form: .null) }
    let compiled = try compile(path, in: via)
    // If the record doesn't exist, no path leads to it, even if a row of the join table exists.
    return try compiled.isNull(without: record, dialect)
  }

  /// Returns a computed column, which is compiled once for each record.
  private func compile(
    _ computed: ResolvedComputedColumn, in record: StatementRecord
  ) throws -> CompiledExpression {
    let memory = state.memory(of: record)
    if let (known, exposure) = memory.computed[computed.name] {
      try state.budget.charge(length: known.sql.length, at: Origin())
      state.exposure.add(exposure)
      return known
    }
    // They don't nest, as they are compiled first.
    for read in computed.dependencies where memory.computed[read.name] == nil {
      _ = try compile(read, in: record)
    }
    let (compiled, exposure) = try state.exposing {
      try shown(state.inDefinition { try compile(computed.expression, in: record) }, computed, of: record)
    }
    memory.computed[computed.name] = (compiled, exposure)
    return compiled
  }

  /// Returns the value of a computed column, which is NULL where the record is missing, as that of any other column.
  private func shown(
    _ value: CompiledExpression, _ computed: ResolvedComputedColumn, of record: StatementRecord
  ) throws -> CompiledExpression {
    if computed.expression.isColumn { return value }
    var value = value
    value.absent = nil
    let shown = try value.isNull(without: record, dialect)
    guard case .collate(_, let collation) = computed.expression.meaning else { return shown }
    return try dialect.collated(shown, collation)
  }

  /// Returns an annotation or a field, which is compiled once unless its meaning depends on where it is named.
  private func compile(_ named: ResolvedName, in record: StatementRecord) throws -> CompiledExpression {
    let (memory, origin) = (state.memory(of: record), named.expression.source.origin)
    if named.isStable, let known = memory.named[named.name], known.isOfGroup == named.isOfGroup {
      try state.budget.charge(length: known.expression.sql.length, at: origin)
      state.exposure.add(known.exposure)
      return known.expression
    }
    let (compiled, exposure) = try state.exposing { try compile(named.expression, in: record) }
    try state.budget.charge(length: compiled.sql.length, at: origin)
    if named.isStable { memory.named[named.name] = (compiled, named.isOfGroup, exposure) }
    return compiled
  }
}

extension ResolvedExpression {
  /// Whether it is a column of the record or of one that a to-one association leads to, under another name.
  fileprivate var isColumn: Bool {
    guard case .path(let path) = meaning else { return false }
    return path.column != nil
  }

  /// Whether it consists of values and columns of the record alone, or of the first of them that isn't NULL.
  fileprivate var isPlain: Bool {
    switch meaning {
    case .literal, .value, .null, .path(.column): true
    case .function(.scalar("coalesce"), let values, _), .function(.scalar("ifnull"), let values, _):
      values.allSatisfy(\.isPlain)
    default: false
    }
  }
}
