import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The SQL of PostgreSQL 15 and later, whose expressions have types.
///
/// Where SQLite converts a value, PostgreSQL accepts only the right type: a literal is cast to the type of the other
/// operand, numbers and booleans are converted as in SQLite, and anything else is an error that suggests a `cast`.
/// Every operand that is more than a name or a call is in parentheses, as PostgreSQL's operator precedence differs
/// (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-PRECEDENCE>).
struct PostgreSQLDialect: SQLDialect {
  var parameterStyle: SQL.ParameterStyle { .dollar }
  var hasColumnPrivileges: Bool { true }
  var querySyntax: QuerySyntax { .postgreSQL }
  var isSharded = false
  /// Whether operations without a result are NULL and noted, as in rules.
  var notesFailures = false
  var noticingFailures: any SQLDialect {
    var dialect = self
    dialect.notesFailures = true
    return dialect
  }
  /// Whether sums add numbers with a fraction in their order.
  var roundsAlike = false
  // Nodes of a sharded database would have to send all values.
  var roundingAlike: any SQLDialect {
    var dialect = self
    dialect.roundsAlike = !isSharded
    return dialect
  }
  /// The function of sessions that tests rules; nil where they have none.
  var ruleTest: RuleTestFunction?
  var joinsLaterally: Bool { true }
  var estimatesCounts: Bool { true }

  func parameter(_ binding: SQL.Binding?, of kind: QueryParameter.Kind) -> SQL {
    // A subquery keeps the planner from leaving out tables for which a condition on NULL finds no rows.
    binding.map { parameter($0, as: kind.valueType) } ?? "(SELECT \(null(of: kind.valueType)))"
  }

  func json(_ binding: SQL.Binding) -> SQL { parameter(binding, as: .json) }

  func null(of type: ValueType?) -> SQL { type.map { "NULL::\($0.sql)" } ?? "NULL" }

  // MARK: Values

  var truthType: ValueType? { .boolean }

  func type(of column: Column) -> ValueType? { ValueType(postgreSQL: column.declaredType) }

  func parameter(_ binding: SQL.Binding, as type: ValueType?) -> SQL {
    guard type?.kind == .array, let type else { return .bound(to: binding, as: type?.name) }
    return type.composed(of: binding)
  }

  func equatable(_ column: SQL, _ type: ValueType?) -> (SQL, ValueType?) {
    // The type `json` has no equality operator.
    type?.name == "json" ? ("\(column)::jsonb", .json) : (column, type)
  }

  func haveSameEquality(_ column: Column, _ other: Column) -> Bool {
    type(of: column) == type(of: other) && column.comparesBytes && other.comparesBytes
  }

  func integer(_ binding: SQL.Binding) -> SQL { parameter(binding, as: .integer) }

  func literal(_ binding: SQL.Binding, _ value: SQLValue) -> CompiledExpression {
    let type: ValueType? =
      switch value {
      case .null: nil
      case .integer: .integer
      case .real: .real
      case .text: .text
      case .blob: .blob
      }
    return CompiledExpression(
      sql: parameter(binding, as: type), type: type, form: .literal(binding, value),
      isNullable: value == .null)
  }

  func claim(_ name: String) -> CompiledExpression { PostgreSQLDynamicValue.claim(name) }

  func longNumber(_ digits: String, _ value: SQLValue, _ binding: SQL.Binding) -> CompiledExpression {
    literal(.value(.text(digits)), value)
  }

  // MARK: Operators

  func condition(_ value: CompiledExpression) throws -> CompiledExpression { try value.asCondition() }

  func negated(_ value: CompiledExpression) throws -> CompiledExpression {
    boolean("NOT \(try value.asCondition().sql(within: .not))", .not)
  }

  func signed(_ value: CompiledExpression, isNegative: Bool) throws -> CompiledExpression {
    guard isNegative else { return value }
    let number = try value.asNumber(0)
    return CompiledExpression(sql: "- \(number.operand)", precedence: .equality, type: number.type)
  }

  func binary(
    _ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression {
    switch op {
    case .is, .isNot:
      if case .truth(let value) = right.form {
        let word: SQL = op == .is ? "IS" : "IS NOT"
        return boolean("\(try left.asCondition().operand) \(word) \(value ? "TRUE" : "FALSE" as SQL)")
      }
      let pair = try PostgreSQLComparison(left, right)
      guard (left.type == .dynamic) != (right.type == .dynamic) else {
        return boolean(isSame(pair.left.operand, pair.right.operand, negated: op == .isNot))
      }
      // A value that the other type doesn't have has become NULL, and isn't the same as NULL.
      let areNull: SQL = "\(left.operand) IS NULL AND \(right.operand) IS NULL"
      return boolean("\(not(op == .isNot))coalesce(\(pair.equality), \(areNull))", .not)
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .notEqual:
      let pair = try PostgreSQLComparison(left.ranked(beside: right), right.ranked(beside: left))
      return boolean("\(pair.left.operand) \(op.sql) \(pair.right.operand)")
        .requiring(search(op, left, right))
    case .equal:
      let pair = try PostgreSQLComparison(left, right)
      let ranked = try PostgreSQLComparison(left.ranked(beside: right), right.ranked(beside: left))
      guard ranked.equality != pair.equality else {
        return boolean(pair.equality).requiring(search(op, left, right))
      }
      // The first one finds records by an index; the second one is false rather than NULL for other values.
      return boolean("\(pair.equality) AND \(ranked.equality)", .and)
    case .member, .memberValue:
      return member(op, left, right)
    case .concatenate:
      return try concatenated(left, right)
    case .add, .subtract, .multiply, .divide, .remainder:
      let arithmetic = try PostgreSQLArithmetic(op, left, right)
      return notesFailures ? arithmetic.compiledNotingFailures() : arithmetic.compiled()
    }
  }

  func boundedConcatenation(
    _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression {
    try binary(.concatenate, left, right)
  }

  func isNull(_ value: CompiledExpression, negated: Bool) -> CompiledExpression {
    boolean("\(value.operand) IS \(not(negated))NULL")
  }

  func isAmong(
    _ value: CompiledExpression, _ list: [CompiledExpression], negated: Bool
  ) throws -> CompiledExpression {
    // Where a claim is no value of the column's type, `=` is false and `IN` would be NULL.
    if !negated, list.contains(where: { $0.isRanked(beside: value) || value.isRanked(beside: $0) }) {
      let tests = try list.map { try binary(.equal, value, $0).sql(within: .or) }
      return boolean(tests.joined(separator: " OR "), .or)
    }
    // A literal on the left takes the type of the values on the right.
    var pairs: [PostgreSQLComparison] = []
    var length = 0
    var hasOneForm = true
    for (number, item) in list.enumerated() {
      var pair =
        try negated
        ? PostgreSQLComparison(value.ranked(beside: item), item.ranked(beside: value), 0, number + 1)
        : PostgreSQLComparison(value, item, 0, number + 1)
      if let first = pairs.first {
        // One text of the value is kept for all items.
        if first.left.sql == pair.left.sql { pair.left = first.left } else { hasOneForm = false }
      }
      pairs.append(pair)
      length += pair.left.sql.length
      // Where the items differ in type, the value is written for each of them.
      guard hasOneForm || length <= CompiledExpression.maximumRepetition else {
        throw TypeMismatch(
          message: "the value of `in` is too long for this number of items of different types")
      }
    }
    let kinds = Set(pairs.compactMap(\.right.type?.kind))
    let isUniform = kinds.count < 2 || kinds.allSatisfy(\.isNumber)
    guard isUniform, hasOneForm else {
      // The value is converted to the type of each.
      let (op, word): (SQL, SQL) = negated ? ("<>", " AND ") : ("=", " OR ")
      let tests = pairs.map { "\($0.left.operand) \(op) \($0.right.operand)" as SQL }
      return boolean(tests.joined(separator: word), negated ? .and : .or)
    }
    let others = pairs.map(\.right.sql).joined(separator: ", ")
    return boolean("\(pairs[0].left.operand) \(not(negated))IN (\(others))")
      .requiring(negated ? nil : PostgreSQLSearch(value)?.condition(isAmong: list))
  }

  func matches(
    _ op: Expression.MatchOperator, _ value: CompiledExpression, _ pattern: CompiledExpression,
    escape: CompiledExpression?, negated: Bool, isStoppable: Bool, beginning: SQL.Binding?
  ) throws -> CompiledExpression {
    if pattern.form == .null, value.type?.kind != .blob { return pattern }
    let match = PostgreSQLMatch(op: op, value: value, pattern: pattern, escape: escape, isNegated: negated)
    return boolean(try match.sql())
  }

  func collated(_ value: CompiledExpression, _ collation: Expression.Collation) -> CompiledExpression {
    value.collated(collation)
  }

  func cast(_ value: CompiledExpression, to type: Expression.CastType) throws -> CompiledExpression {
    notesFailures && type == .integer ? try value.castToFittingInteger() : try value.cast(to: type)
  }

  func cases(
    of value: CompiledExpression?, _ branches: [(condition: CompiledExpression, result: CompiledExpression)],
    else other: CompiledExpression?
  ) throws -> CompiledExpression {
    try PostgreSQLCase(value: value, branches: branches, other: other).compiled()
      .inheriting(from: branches.map(\.result) + (other.map { [$0] } ?? []))
  }

  // MARK: Functions

  func function(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression {
    try PostgreSQLFunction(name: name, arguments: arguments).call().inheriting(from: arguments)
  }

  func readsLiterals(of function: String) -> Bool { PostgreSQLFunction.readsLiterals(function) }

  func aggregate(
    _ function: Expression.AggregateFunction, _ arguments: [CompiledExpression], isDistinct: Bool
  ) throws -> CompiledExpression {
    try PostgreSQLAggregate(
      function: function, arguments: arguments, isDistinct: isDistinct, roundsAlike: roundsAlike
    ).call().inheriting(from: arguments)
  }

  func absence(of function: Expression.AggregateFunction) -> CompiledAbsence? {
    switch function {
    case .count: CompiledAbsence(sql: "0", type: .integer)
    case .total: CompiledAbsence(sql: "0::float8", type: .real)
    case .isEmpty: CompiledAbsence(sql: "TRUE", type: .boolean)
    case .min, .max, .average, .sum, .concat: nil
    }
  }

  // MARK: Writing

  func defaultValue(of column: Column?) -> SQL { "DEFAULT" }

  func written(_ binding: SQL.Binding, to column: Column, of table: Table) -> SQL {
    if let value = column.document?.value(of: binding, in: column) { return value }
    guard column.isComposed else { return "\(binding)" }
    let json = SQL.bound(to: binding, as: "json")
    guard isSharded else { return type(of: column).map { SQL.made(of: json, as: $0.sql) } ?? "\(binding)" }
    // The type of the table's rows has the column, so no subquery has to name its type.
    let row: SQL = "json_build_object(\(SQL(textOf: column.name)), \(json))"
    return "(json_populate_record(NULL::\(table.reference), \(row))).\(identifier: column.name)"
  }

  func conversion(_ binding: SQL.Binding, to column: Column) -> SQL? {
    if let value = column.document?.value(of: binding, in: column) { return value }
    if column.isComposed {
      return type(of: column).map { SQL.made(of: SQL.bound(to: binding, as: "json"), as: $0.sql) }
    }
    // A length or precision applies to the value when it is assigned.
    guard column.declaredType.contains("(") else { return nil }
    return SQL.made(of: SQL.bound(to: binding, as: "text"), as: SQL(trusted: column.declaredType))
  }

  func search(for pattern: TextPattern, in fullText: FullText, visible: [String]) throws -> any TextSearch {
    try TextVectorSearch(for: pattern, in: fullText, visible: visible)
  }

  func fullTextIndex(of table: String) -> String {
    "add a generated column of the type tsvector to \(table), with a GIN index"
  }

  // MARK: Rows

  var digestType: ValueType? { .blob }

  func digest(of values: [SQL]) -> SQL {
    // NULL differs from every text.
    let size = 100
    guard values.count > size else {
      let texts = values.map { "coalesce('=' || (\($0))::text, '')" as SQL }.joined(separator: ", ")
      return "decode(md5(concat_ws(chr(1), \(texts))), 'hex')"
    }
    let parts = stride(from: 0, to: values.count, by: size).map { start in
      digest(of: Array(values[start..<min(start + size, values.count)]))
    }
    return digest(of: parts)
  }

  func isSame(_ left: SQL, _ right: SQL, negated: Bool) -> SQL {
    "\(left) IS \(not(!negated))DISTINCT FROM \(right)"
  }

  func sortable(_ value: CompiledExpression) -> CompiledExpression {
    let value = value.comparedByCollation
    guard let type = value.type, !type.isOrdered else { return value }
    return value.textByBytes
  }

  func textOfEqual(_ value: CompiledExpression) -> CompiledExpression? {
    guard let type = value.type, type.isOrdered, !type.hasOneText || value.isNondeterministic else {
      return nil
    }
    return value.textByBytes
  }

  func order(_ expression: SQL, isDescending: Bool, nulls: SortTerm.Nulls?, isNullable: Bool) -> SQL {
    var sql = expression
    if isDescending { sql.append(" DESC") }
    // PostgreSQL's NULLs are the largest values. Without NULLs the clause would only prevent the use of an index.
    if isNullable {
      let isFirst = nulls.map { $0 == .first } ?? !isDescending
      sql.append(isFirst ? " NULLS FIRST" : " NULLS LAST")
    }
    return sql
  }

  func least(_ left: SQL, _ right: SQL) -> SQL { "LEAST(\(left), \(right))" }

  func inputs(_ columns: [(name: SQL, type: String?)], number: SQL, named table: SQL) -> SQL {
    let arrays = columns.enumerated().map { SQL.bound(to: .batch($0), as: "\($1.type ?? "text")[]") }
    let names = columns.map(\.name) + [number]
    return
      "unnest(\(arrays.joined(separator: ", "))) WITH ORDINALITY AS \(table)(\(names.joined(separator: ", ")))"
  }

  func page(limit: SQL?, offset: SQL?) -> SQL {
    var sql = SQL()
    if let limit { sql.append(" LIMIT \(limit)") }
    if let offset { sql.append(" OFFSET \(offset)") }
    return sql
  }

  // Subqueries with a limit are never read in parallel, so they keep their order, unless they come from several nodes.
  func union(of parts: [SQL], page: SQL, order: () -> SQL) -> SQL {
    let parts = parts.map { "(\($0))" as SQL }.joined(separator: " UNION ALL ")
    let order = isSharded ? order() : SQL()
    return order.isEmpty ? parts + page : "\(parts) ORDER BY \(order)\(page)"
  }

  func firstOfEqual(
    _ rows: SQL, _ columns: [SQL], equalIn keys: [SQL], place: SQL, order: [SQL], page: SQL?
  ) -> SQL {
    let rows = derived(rows)
    guard !keys.isEmpty else {
      return "SELECT \(columns.joined(separator: ", ")) FROM \(rows) ORDER BY \(place) LIMIT 1"
    }
    let list = keys.joined(separator: ", ")
    return
      "SELECT DISTINCT ON (\(list)) \(columns.joined(separator: ", ")) FROM \(rows) ORDER BY \(order.joined(separator: ", ")), \(place)\(page ?? SQL())"
  }

  func comparable(_ column: SQL, _ format: Plan.ValueFormat, by collation: Expression.Collation?) -> SQL {
    // The type `json` has no equality operator.
    format == .json ? "\(column)::text" : collation.map { $0.applied(to: column) } ?? column
  }

  func derived(_ subquery: SQL) -> SQL { "(\(subquery)) AS \(identifier: "kindred:rows")" }

  func grouped(_ value: CompiledExpression) -> CompiledExpression {
    if value.isConstant { return value }
    if case .grouped = value.form { return value }
    var grouped = value
    (grouped.form, grouped.grouped, grouped.shownDocument) = (.other, nil, nil)
    if value.collation != nil, value.type?.kind == .text {
      (grouped.sql, grouped.form) = (.term(value.comparedByCollation.operand), .grouped(value.sql))
      grouped.precedence = .primary
    } else if !value.sql.isValue {
      (grouped.sql, grouped.precedence) = (.term(value.operand), .primary)
    }
    if case .member = value.form { grouped.form = .member(of: grouped.sql) }
    (grouped.indexed, grouped.necessary) = (nil, nil)
    return grouped
  }

  func shown(_ value: CompiledExpression) -> CompiledExpression {
    if case .grouped(let text) = value.form {
      var first = value
      first.sql = .term("min(\(text))")
      return first
    }
    if let document = value.asDocument { return document }
    switch value.type?.kind {
    case .array?:
      var json = value
      (json.sql, json.precedence, json.format) = ("to_json(\(value.sql))", .primary, .json)
      return json
    case .json?:
      var json = value
      json.format = .json
      return json
    case .dynamic?:
      var part = value.asShown
      part.format = .part
      return part
    default: return value
    }
  }
}
