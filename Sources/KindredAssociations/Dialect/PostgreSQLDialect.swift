import KindredSQLSyntax

/// The SQL of PostgreSQL 15 and later, whose expressions have types.
///
/// Where SQLite converts a value, PostgreSQL accepts only the right type: a literal is cast to the type of the other
/// operand, numbers and booleans are converted as in SQLite, and anything else is an error that suggests a `cast`.
/// Every operand that is more than a name or a call is in parentheses, as PostgreSQL's operator precedence differs
/// (<https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-PRECEDENCE>).
struct PostgreSQLDialect: SQLDialect {
  var parameterStyle: SQL.ParameterStyle { .dollar }
  var guardedParameterStyle: SQL.ParameterStyle { .dollar }
  var nestsStatements: Bool { false }
  var limitsByWindows = false
  var hasAffinities: Bool { false }
  var hasTotalArithmetic: Bool { false }

  /// The maximum length of what an operator writes several times, in bytes.
  static let maximumLength = 256 << 10

  // MARK: Values

  var truthType: ValueType? { .boolean }

  func type(of column: Column) -> ValueType? { ValueType(postgreSQL: column.declaredType) }

  func parameter(_ binding: SQL.Binding, as type: ValueType?) -> SQL { .bound(to: binding, as: type?.name) }

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

  func longNumber(_ digits: String, _ value: SQLValue, _ binding: SQL.Binding) -> CompiledExpression {
    literal(.value(.text(digits)), value)
  }

  // MARK: Operators

  func condition(_ value: CompiledExpression) throws -> CompiledExpression {
    guard let type = value.type, type.kind != .boolean else { return value }
    guard type.kind.isNumber else {
      throw TypeMismatch(message: "\(type.description) is no condition: compare it with something")
    }
    return boolean("\(value.operand) <> 0")
  }

  func negated(_ value: CompiledExpression) throws -> CompiledExpression {
    boolean("NOT \(try condition(value).sql(within: .not))", .not)
  }

  func signed(_ value: CompiledExpression, isNegative: Bool) throws -> CompiledExpression {
    guard isNegative else { return value }
    let number = try number(value, 0)
    return CompiledExpression(sql: "- \(number.operand)", precedence: .equality, type: number.type)
  }

  func binary(
    _ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression {
    switch op {
    case .is, .isNot:
      if case .truth(let value) = right.form {
        let word: SQL = op == .is ? "IS" : "IS NOT"
        return boolean("\(try condition(left).operand) \(word) \(value ? "TRUE" : "FALSE" as SQL)")
      }
      let (left, right) = try comparable(left, right)
      return boolean(isSame(left.operand, right.operand, negated: op == .isNot))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let (left, right) = try comparable(left.ranked(beside: right, self), right.ranked(beside: left, self))
      return boolean("\(left.operand) \(op.sql) \(right.operand)")
    case .equal, .notEqual:
      let (left, right) = try comparable(left, right)
      return boolean("\(left.operand) \(op.sql) \(right.operand)")
    case .concatenate:
      return CompiledExpression(
        sql: "\(try text(left).operand) || \(try text(right).operand)", precedence: .equality, type: .text)
    case .add, .subtract, .multiply:
      let (left, right) = try numbers(left, right)
      return arithmetic("\(left.operand) \(op.sql) \(right.operand)", left, right)
    case .divide:
      let (left, right) = try numbers(left, right)
      return arithmetic("\(left.operand) / nullif(\(right.sql), 0)", left, right)
    case .remainder:
      let (left, right) = try numbers(left, right)
      let sql: SQL = "mod(\(truncated(left)), nullif(\(truncated(right)), 0))"
      let isReal = left.type?.kind != .integer || right.type?.kind != .integer
      return isReal
        ? CompiledExpression(sql: "\(sql)::float8", type: .real)
        : CompiledExpression(sql: sql, type: .integer)
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
    // A literal on the left takes the type of the values on the right.
    var values: [(CompiledExpression, CompiledExpression)] = []
    var length = 0
    var hasOneForm = true
    for (number, item) in list.enumerated() {
      var pair = try comparable(value, item, 0, number + 1)
      if let first = values.first {
        if first.0.sql == pair.0.sql { pair.0 = first.0 } else { hasOneForm = false }
      }
      values.append(pair)
      length += pair.0.sql.length
      // Where the items differ in type, the value is written for each of them.
      guard hasOneForm || length <= Self.maximumLength else {
        throw TypeMismatch(message: "the value of `in` is too long for so many items of different types")
      }
    }
    let kinds = Set(values.compactMap { $0.1.type?.kind })
    let isUniform = kinds.count < 2 || kinds.allSatisfy(\.isNumber)
    guard isUniform, hasOneForm else {
      // The value is converted to the type of each.
      let (op, word): (SQL, SQL) = negated ? ("<>", " AND ") : ("=", " OR ")
      let tests = values.map { "\($0.0.operand) \(op) \($0.1.operand)" as SQL }
      return boolean(tests.joined(separator: word), negated ? .and : .or)
    }
    let others = values.map(\.1.sql).joined(separator: ", ")
    let first = value.isLiteral ? values[0].0 : value.json(as: values[0].0)
    return boolean("\(first.operand) \(not(negated))IN (\(others))")
  }

  func isBetween(
    _ value: CompiledExpression, _ low: CompiledExpression, _ high: CompiledExpression, negated: Bool
  ) throws -> CompiledExpression {
    let (from, low) = try comparable(value, low, 0, 1)
    let (to, high) = try comparable(value, high, 0, 2)
    guard from.sql == to.sql else {
      let (first, last): (SQL, SQL) = negated ? ("<", ">") : (">=", "<=")
      return boolean(
        "\(from.operand) \(first) \(low.operand) \(negated ? "OR" : "AND" as SQL) \(to.operand) \(last) \(high.operand)",
        negated ? .or : .and)
    }
    return boolean("\(from.operand) \(not(negated))BETWEEN \(low.operand) AND \(high.operand)")
  }

  func matches(
    _ op: Expression.MatchOperator, _ value: CompiledExpression, _ pattern: CompiledExpression,
    escape: CompiledExpression?, negated: Bool, isStoppable: Bool, beginning: SQL.Binding?
  ) throws -> CompiledExpression {
    guard op == .like else { return try globs(value, pattern, negated: negated) }
    // Without `ESCAPE`, PostgreSQL treats a backslash as the escape character.
    let escape = try escape.map { try text($0).operand } ?? "''"
    let (value, pattern) = (try text(value).operand, try text(pattern).operand)
    return boolean("\(value) \(not(negated))ILIKE \(pattern) ESCAPE \(escape)")
  }

  /// `GLOB`, whose pattern is made a regular expression when it is bound.
  private func globs(
    _ value: CompiledExpression, _ pattern: CompiledExpression, negated: Bool
  ) throws -> CompiledExpression {
    if pattern.form == .null { return pattern }
    guard case .literal(let binding, _) = pattern.form else {
      throw TypeMismatch(
        message: "PostgreSQL takes only a text in quotes as the pattern of `glob`: write `like` for others")
    }
    let expression = parameter(.regularExpression(ofGlob: binding), as: .text)
    return boolean("\(try text(value).operand) COLLATE \"C\" \(negated ? "!~" : "~" as SQL) \(expression)")
  }

  func collated(_ value: CompiledExpression, _ collation: Expression.Collation) -> CompiledExpression {
    guard value.type?.kind ?? .text == .text, value.form != .null else { return value }
    let sql: SQL =
      switch collation {
      case .binary: "\(value.operand) COLLATE \"C\""
      // As in SQLite, only ASCII letters are case-insensitive.
      case .nocase: "lower(\(value.operand) COLLATE \"C\") COLLATE \"C\""
      case .rtrim: "rtrim(\(value.operand), ' ') COLLATE \"C\""
      }
    return CompiledExpression(
      sql: sql, precedence: .collate, type: .text, isNullable: value.isNullable, collation: collation)
  }

  func cast(_ value: CompiledExpression, to type: Expression.CastType) throws -> CompiledExpression {
    func cast(_ sql: SQL, _ type: ValueType) -> CompiledExpression {
      CompiledExpression(sql: sql, type: type, isNullable: value.isNullable)
    }
    if value.type == .money, type != .text, type != .blob { return try self.cast(number(value, 0), to: type) }
    let kind = value.type?.kind ?? .text
    switch type {
    case .text:
      return try text(value)
    case .blob:
      return kind == .blob ? value : cast("convert_to(\(try text(value).sql), 'UTF8')", .blob)
    case .integer:
      switch kind {
      case .integer: return value
      case .boolean: return cast("\(value.operand)::int4::int8", .integer)
      case .numeric, .real: return cast("trunc(\(value.sql))::int8", .integer)
      default: return cast(try leading(#"^\s*[-+]?\d+|\d+$"#, of: value, as: .integer), .integer)
      }
    case .real, .numeric:
      let target: ValueType = type == .real ? .real : .numeric
      if kind == target.kind { return value }
      if kind.isNumber { return cast("\(value.operand)::\(target.sql)", target) }
      if kind == .boolean { return cast("\(value.operand)::int4::\(target.sql)", target) }
      let pattern: StaticString = #"^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+$"#
      return cast(try leading(pattern, of: value, as: target), target)
    }
  }

  /// Returns the number at the beginning of a text, as SQLite's `CAST` does; 0 if there is none.
  private func leading(
    _ pattern: StaticString, of value: CompiledExpression, as type: ValueType
  ) throws -> SQL {
    let pattern = SQL(trusted: "'\(pattern)'")
    return "substring(\(try text(value).operand) || chr(10) || '0' from \(pattern))::\(type.sql)"
  }

  func cases(
    of value: CompiledExpression?, _ branches: [(condition: CompiledExpression, result: CompiledExpression)],
    else other: CompiledExpression?
  ) throws -> CompiledExpression {
    // The value is written once for each branch.
    if let value, value.sql.length * branches.count > Self.maximumLength {
      throw TypeMismatch(message: "the value of `case` is too long for so many branches")
    }
    let results = try unified(branches.map(\.result) + (other.map { [$0] } ?? []))
    var sql: SQL = "CASE"
    for (branch, result) in zip(branches, results) {
      let condition =
        try value.map { try binary(.equal, $0, branch.condition) } ?? condition(branch.condition)
      sql.append(" WHEN \(condition.sql) THEN \(result.sql)")
    }
    if other != nil, let last = results.last { sql.append(" ELSE \(last.sql)") }
    sql.append(" END")
    return CompiledExpression(sql: sql, type: Self.commonType(of: results))
  }

  func defaultValue(of column: Column?) -> SQL { "DEFAULT" }

  func written(_ binding: SQL.Binding, to column: Column) -> SQL {
    guard column.isComposed, let type = type(of: column) else { return "\(binding)" }
    // It makes arrays and composites of JSON, at any depth.
    return
      "(SELECT written.value FROM json_to_record(json_build_object('value', \(SQL.bound(to: binding, as: "json")))) AS written(value \(type.sql)))"
  }

  func fullTextIndex(of table: String) -> String {
    "add a generated column of the type tsvector to \(table), with a GIN index"
  }

  // MARK: Rows

  var digestType: ValueType? { .blob }

  func digest(of values: [SQL]) -> SQL {
    // Made of the texts of the values, so that it can also be computed from a row; NULL differs from every text.
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
    guard let type = value.type, !type.isOrdered else { return value }
    return CompiledExpression(
      sql: "\(value.operand)::text COLLATE \"C\"", precedence: .collate, type: .text,
      isNullable: value.isNullable)
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

  /// PostgreSQL's deterministic collations already order equal texts by their bytes.
  func orderedByBytes(_ value: SQL) -> SQL? { nil }

  func page(limit: SQL?, offset: SQL?) -> SQL {
    var sql = SQL()
    if let limit { sql.append(" LIMIT \(limit)") }
    if let offset { sql.append(" OFFSET \(offset)") }
    return sql
  }

  func union(of parts: [SQL], page: SQL, order: () -> SQL) -> SQL {
    // Each part has at most the rows of a page, so sorting them again is cheap.
    let parts = parts.map { "(\($0))" as SQL }.joined(separator: " UNION ALL ")
    let order = order()
    return order.isEmpty ? parts + page : "\(parts) ORDER BY \(order)\(page)"
  }

  func firstOfEqual(_ rows: SQL, _ columns: [SQL], equalIn keys: [SQL], place: SQL) -> SQL {
    let rows = derived(rows)
    guard !keys.isEmpty else {
      return "SELECT \(columns.joined(separator: ", ")) FROM \(rows) ORDER BY \(place) LIMIT 1"
    }
    let list = keys.joined(separator: ", ")
    return
      "SELECT DISTINCT ON (\(list)) \(columns.joined(separator: ", ")) FROM \(rows) ORDER BY \(list), \(place)"
  }

  func comparable(_ column: SQL, _ format: Plan.ValueFormat) -> SQL {
    // The type `json` has no equality operator.
    format == .json ? "\(column)::text" : column
  }

  func derived(_ subquery: SQL) -> SQL { "(\(subquery)) AS \(identifier: "kindred:rows")" }

  func shown(_ value: CompiledExpression) -> CompiledExpression {
    switch value.type?.kind {
    case .array?:
      var json = value
      (json.sql, json.precedence, json.format) = ("to_json(\(value.sql))", .primary, .json)
      return json
    case .json?:
      var json = value
      json.format = .json
      return json
    default:
      return value
    }
  }
}

// MARK: - Parts of expressions

extension PostgreSQLDialect {
  func boolean(_ sql: SQL, _ precedence: Precedence = .equality) -> CompiledExpression {
    CompiledExpression(sql: sql, precedence: precedence, format: .boolean, type: .boolean)
  }

  func not(_ negated: Bool) -> SQL { negated ? "NOT " : "" }

  private func arithmetic(
    _ sql: SQL, _ left: CompiledExpression, _ right: CompiledExpression
  ) -> CompiledExpression {
    CompiledExpression(sql: sql, precedence: .equality, type: left.type?.joined(right.type))
  }

  /// Returns a number without its fraction.
  private func truncated(_ value: CompiledExpression) -> SQL {
    value.type?.kind == .integer ? value.sql : "trunc(\(value.sql))::int8"
  }
}

extension CompiledExpression {
  /// The SQL as an operand of any operator except `AND`, `OR` and `NOT`.
  var operand: SQL { sql(within: .primary) }

  /// The timestamp whose text it is, as an expression of its own; nil for others.
  var moment: CompiledExpression? {
    guard case .moment(let sql) = form else { return nil }
    return CompiledExpression(sql: sql, type: .timestamp)
  }

  var isLiteral: Bool { if case .literal = form { true } else { false } }

  /// The converted form for a comparison, where its type had to be converted; else the expression itself.
  fileprivate func json(as comparable: CompiledExpression) -> CompiledExpression {
    let isConverted = type?.kind == .other && comparable.type?.kind == .text
    return type?.kind == .json || type?.kind == .boolean || isConverted ? comparable : self
  }
}
