import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The SQL of SQLite, where values have types but expressions don't.
struct SQLiteDialect: SQLDialect {
  var parameterStyle: SQL.ParameterStyle { .questionMark }
  // Given `owner = ?1`, SQLite replaces `owner` by `?1` in the rest of `WHERE`, also in a rule that guards a condition. Then
  // the rule always holds, and the condition is evaluated on all records.
  var guardedParameterStyle: SQL.ParameterStyle { .subquery }
  var querySyntax: QuerySyntax { .sqlite }
  var orderedJoin: SQL { "CROSS JOIN" }
  // SQLite takes the values of one of the records.
  var recognizesGroups: Bool { false }
  var hasTotalArithmetic: Bool { true }
  var ignoresLimits: Bool { true }
  var placesNullsInIndexes: Bool { false }

  func strategy(for model: Model) -> any PlanStrategy { SQLiteStrategy(model: model) }

  // MARK: Keys

  // The collation of the column referred to applies, as it stands on the left or is written; `+` removes an affinity.
  func compared(_ pair: KeyPair) -> KeyPair {
    guard let comparison = pair.comparison, !comparison.isPlain else { return pair }
    var pair = pair
    if pair.isReferredTo {
      pair.value = "+\(pair.value)"
    } else if !pair.isConverted {
      let key: SQL = comparison.hasOneAffinity ? pair.key : "+\(pair.key)"
      pair.key = "\(key) COLLATE \(identifier: comparison.referred.collation)"
    }
    return pair
  }

  func matches(_ reference: ColumnReference, of table: Table, _ number: Int) -> SQL {
    let column: SQL = "\(identifier: reference.column.text)"
    guard !reference.isPlain else { return "\(column) = \(.parameter(number))" }
    let collation: SQL = "COLLATE \(identifier: reference.collation)"
    guard !reference.hasOneAffinity else { return "\(column) \(collation) = \(.parameter(number))" }
    // A parameter has no affinity, so it is replaced by the column referred to, which keeps its own in a subquery.
    let referred: SQL = "\(identifier: reference.table.text).\(identifier: reference.referred.text)"
    return
      "(SELECT \(referred) FROM \(identifier: reference.table.text) WHERE \(referred) = \(.parameter(number))) \(collation) = +\(identifier: table.name).\(column)"
  }

  /// The schema is that of the index.
  func indexedTable(_ table: Table) -> SQL { "\(identifier: table.name)" }

  // MARK: Operators

  func negated(_ value: CompiledExpression) -> CompiledExpression {
    boolean("NOT \(value.sql(within: .not))", .not)
  }

  func signed(_ value: CompiledExpression, isNegative: Bool) -> CompiledExpression {
    let sign: SQL = isNegative ? "-" : "+"
    var signed = value.keepingRules("\(sign) \(value.sql(within: .sign))", precedence: .sign)
    signed.changeTraits {
      $0.affinity = nil
      if isNegative { $0.collation = nil }
    }
    return signed
  }

  func binary(
    _ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression
  ) -> CompiledExpression {
    if op == .member || op == .memberValue { return member(op, left, right) }
    let (left, right) = op.isComparison ? CompiledExpression.compared(left, right) : (left, right)
    if op == .equal || op == .is, let (mixed, value) = CompiledExpression.mixed(left, right) {
      let mixed = mixed.sql(within: .comparison)
      return op == .equal
        ? boolean(isEqual(mixed, value.sql(within: .or)))
        : boolean("NOT \(mixed) IS NOT \(value.sql(within: .comparison))", .not)
    }
    // All of these operators are left-associative.
    var result = CompiledExpression(
      sql: "\(left.sql(within: op.precedence)) \(op.sql) \(right.sql(within: op.precedence.next))",
      precedence: op.precedence, format: op.isComparison ? .boolean : .plain)
    result.takeCollation(from: [left, right])
    return result
  }

  func boundedConcatenation(_ left: CompiledExpression, _ right: CompiledExpression) -> CompiledExpression {
    call("kindred_concat", [left, right])
  }

  func isNull(_ value: CompiledExpression, negated: Bool) -> CompiledExpression {
    boolean("\(value.sql(within: .comparison)) IS \(not(negated))NULL")
  }

  func isAmong(
    _ value: CompiledExpression, _ list: [CompiledExpression], negated: Bool
  ) -> CompiledExpression {
    let value = value.comparedByItself(with: list)
    var items = list.map { $0.sql(within: .or) }
    if items.count == 1, value.traits.isMixed { items.append(items[0]) }
    if items.count > 1 { items = items.map(\.asItem) }
    return boolean("\(value.sql(within: .comparison)) \(not(negated))IN (\(items.joined(separator: ", ")))")
  }

  // SQLite reads `x = ?1 AND f(x)` as `f(?1)`, and doesn't sort by `x`, although that may be the text of the number. From
  // one of several items it infers nothing.
  func isEqual(_ mixed: SQL, _ value: SQL) -> SQL {
    "\(mixed) IN (\(value.asItem), \(value.asItem))"
  }

  func isBetween(
    _ value: CompiledExpression, _ low: CompiledExpression, _ high: CompiledExpression, negated: Bool
  ) -> CompiledExpression {
    let (value, bounds) = CompiledExpression.compared(value, withEach: [low, high])
    let limits = bounds.map { $0.sql(within: .comparison) }.joined(separator: " AND ")
    return boolean("\(value.sql(within: .comparison)) \(not(negated))BETWEEN \(limits)")
  }

  func matches(
    _ op: Expression.MatchOperator, _ value: CompiledExpression, _ pattern: CompiledExpression,
    escape: CompiledExpression?, negated: Bool, isStoppable: Bool, beginning: SQL.Binding?
  ) -> CompiledExpression {
    let (word, function): (SQL, SQL) =
      switch op {
      case .like: ("LIKE", "kindred_like")
      case .glob: ("GLOB", "kindred_glob")
      }
    if isStoppable {
      let arguments = ([pattern, value] + (escape.map { [$0] } ?? [])).map { $0.sql(within: .or) }
      let call: SQL = "\(function)(\(arguments.joined(separator: ", ")))"
      if negated { return boolean("NOT \(call)", .not) }
      guard let beginning else { return boolean(call, .primary) }
      // The built-in operator lets SQLite search the index for the prefix; matching a prefix takes little time.
      return boolean("\(value.sql(within: .comparison)) \(word) \(beginning) AND \(call)", .and)
    }
    let escape: SQL = escape.map { " ESCAPE \($0.sql(within: .sum))" } ?? ""
    let operands = (value.sql(within: .comparison), pattern.sql(within: .comparison))
    return boolean("\(operands.0) \(not(negated))\(word) \(operands.1)\(escape)")
  }

  func collated(_ value: CompiledExpression, _ collation: Expression.Collation) -> CompiledExpression {
    var collated = value.keepingRules(
      "\(value.sql(within: .collate)) COLLATE \(SQL(trusted: collation.rawValue.uppercased()))",
      precedence: .collate)
    collated.changeTraits { $0.explicitCollation = collation.rawValue }
    return collated
  }

  func cast(_ value: CompiledExpression, to type: Expression.CastType) -> CompiledExpression {
    let affinity = Column.Affinity(rawValue: type.rawValue)
    var cast = value.keepingRules(
      "CAST(\(value.sql(within: .or)) AS \(SQL(trusted: type.rawValue.uppercased())))")
    cast.changeTraits { $0.affinity = affinity }
    return cast
  }

  func cases(
    of value: CompiledExpression?, _ branches: [(condition: CompiledExpression, result: CompiledExpression)],
    else other: CompiledExpression?
  ) -> CompiledExpression {
    var (value, conditions) = (value, branches.map(\.condition))
    if let base = value { (value, conditions) = CompiledExpression.compared(base, withEach: conditions) }
    var sql: SQL = "CASE"
    if let value { sql.append(" \(value.sql(within: .or))") }
    for (condition, branch) in zip(conditions, branches) {
      sql.append(" WHEN \(condition.sql(within: .or)) THEN \(branch.result.sql(within: .or))")
    }
    if let other { sql.append(" ELSE \(other.sql(within: .or))") }
    sql.append(" END")
    var result = CompiledExpression(sql: sql)
    let parts = zip(conditions, branches).flatMap { [$0, $1.result] }
    result.takeCollation(from: [value].compactMap(\.self) + parts + [other].compactMap(\.self))
    return result
  }

  // MARK: Functions

  /// Returns the call of a scalar function: the language has SQLite's own names
  /// (<https://www.sqlite.org/lang_corefunc.html>, <https://www.sqlite.org/lang_datefunc.html>).
  func function(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression {
    if ExpressionFunctions.containments.contains(name) { return try containment(name, arguments) }
    let isComparison = ["min", "max", "nullif"].contains(name)
    var call = call(
      SQL(trusted: name), isComparison ? CompiledExpression.comparedByFirst(arguments) : arguments)
    // The time may be the text 'now' in each row.
    if Self.places[name] != nil { call.sql.note(PlanNote.volatile) }
    return call
  }

  private func call(_ name: SQL, _ arguments: [CompiledExpression]) -> CompiledExpression {
    let list = arguments.map { $0.sql(within: .or) }.joined(separator: ", ")
    var call = CompiledExpression(sql: "\(name)(\(list))")
    call.takeCollation(from: arguments)
    return call
  }

  func bindTime(of function: String, _ arguments: inout [CompiledExpression]) {
    guard let place = Self.places[function] else { return }
    guard arguments.indices.contains(place) else {
      arguments.append(CompiledExpression(sql: "\(.moment(.value(.text("now"))))"))
      return
    }
    arguments[place].sql = arguments[place].sql.replacingBindings { binding, _ in
      switch binding {
      case .parameter, .value: "\(.moment(binding))"
      default: nil
      }
    }
  }

  /// The places of the time among the arguments of date functions.
  private static let places = ["date": 0, "time": 0, "datetime": 0, "julianday": 0, "strftime": 1]

  /// Returns an aggregate (<https://www.sqlite.org/lang_aggfunc.html>).
  func aggregate(
    _ function: Expression.AggregateFunction, _ arguments: [CompiledExpression], isDistinct: Bool
  ) -> CompiledExpression {
    let list = arguments.isEmpty ? "*" : arguments.map(\.sql).joined(separator: ", ")
    return CompiledExpression(sql: "\(function.sqlite)(\(isDistinct ? "DISTINCT " : "")\(list))")
  }

  func dependence(
    of function: Expression.AggregateFunction, of arguments: [CompiledExpression], onOrder isHidden: Bool
  ) -> OrderDependence? {
    switch function {
    case .count, .isEmpty: nil
    case .concat: .showsOrder
    case .min, .max: arguments.contains { differingCollation($0) != nil } ? .showsOrder : nil
    case .average, .sum, .total:
      // The order of a table, or of an index of visible columns alone, tells nothing.
      isHidden && arguments.contains { $0.traits.affinity != .integer } ? .roundsInOrder : nil
    }
  }

  // A separate statement may fail without the one that calls it. The plain rule, which is never evaluated, tells SQLite
  // which tables the statement reads.
  func tested(_ rule: SQL, alone test: SQL, _ pointers: [SQL]) -> SQL {
    let (text, bindings) = test.rendered()
    let values = bindings.map { binding -> SQL in
      if case .batch(let number) = binding { pointers[number] } else { "\(binding)" }
    }
    let statement: SQL = "\(.value(.text(text)))"
    let arguments = ([statement.asItem] + Self.arguments(values)).joined(separator: ", ")
    return "(kindred_holds(\(arguments)) OR FALSE AND \(rule))"
  }

  /// Returns the values as arguments of a function, which are few (<https://www.sqlite.org/limits.html#max_function_arg>):
  /// several as one, where they are many.
  private static func arguments(_ values: [SQL]) -> [SQL] {
    let limit = 100
    guard values.count > limit else { return values }
    return stride(from: 0, to: values.count, by: limit).map { start in
      let part = values[start..<min(start + limit, values.count)].joined(separator: ", ")
      return "kindred_values(\(part))"
    }
  }

  func differingCollation(_ value: CompiledExpression) -> String? {
    let collation = value.traits.explicitCollation ?? value.traits.collation ?? "BINARY"
    return collation.equalsIgnoringCase("BINARY") ? nil : collation
  }

  func absence(of function: Expression.AggregateFunction) -> CompiledAbsence? {
    switch function {
    case .count: CompiledAbsence(sql: "0")
    case .total: CompiledAbsence(sql: "0.0")
    case .isEmpty: CompiledAbsence(sql: "TRUE")
    case .min, .max, .average, .sum, .concat: nil
    }
  }

  func digest(of values: [SQL]) -> SQL { SQL.digest(of: values) }

  func isSame(_ left: SQL, _ right: SQL, negated: Bool) -> SQL { "\(left) IS \(not(negated))\(right)" }

  func defaultValue(of column: Column?) -> SQL { column?.defaultValue ?? "NULL" }

  func stored(_ value: StoredValue, in column: Column, of table: Table) -> SQL { column.stored(value) }

  func keepsText(_ text: String, in column: Column) -> Bool { column.keepsText(text) }

  func isExact(_ value: StoredValue, in column: Column) -> SQL? { column.isExact(value) }

  func least(_ left: SQL, _ right: SQL) -> SQL { "min(\(left), \(right))" }

  func search(for pattern: TextPattern, in fullText: FullText, visible: [String]) throws -> any TextSearch {
    try FullTextTableSearch(for: pattern, in: fullText, visible: visible)
  }

  func fullTextIndex(of table: String) -> String { "create an FTS5 table with content='\(table)'" }

  // MARK: Clauses

  func order(_ expression: SQL, isDescending: Bool, nulls: SortTerm.Nulls?, isNullable: Bool) -> SQL {
    var sql = expression
    if isDescending { sql.append(" DESC") }
    // Written only where it differs from the default, as it keeps SQLite from reading an index in order.
    if let nulls, (nulls == .first) == isDescending {
      sql.append(nulls == .first ? " NULLS FIRST" : " NULLS LAST")
    }
    return sql
  }

  func orderedByBytes(_ value: SQL) -> SQL? { "\(value) COLLATE BINARY" }

  /// Reads them from one JSON array, whose elements are values, or arrays of values if there are several columns.
  func inputs(_ columns: [(name: SQL, type: String?)], number: SQL, named table: SQL) -> SQL {
    let values = columns.enumerated().map { index, column in
      "\(columns.count == 1 ? "value" : "value ->> \(SQL.number(index))") AS \(column.name)" as SQL
    }
    let shown = (["key AS \(number)"] + values).joined(separator: ", ")
    return "(SELECT \(shown) FROM json_each(\(.batch(0)))) AS \(table)"
  }

  // What is likely leaves most rows, so it isn't what an index is chosen for, unless it follows others there. Unlike `+`, the
  // function keeps the affinity (https://www.sqlite.org/lang_corefunc.html#likely).
  func filtering(_ condition: SQL) -> SQL { "likely(\(condition))" }

  func page(limit: SQL?, offset: SQL?) -> SQL {
    let offset: SQL = offset.map { " OFFSET \($0)" } ?? ""
    guard let limit else { return offset.isEmpty ? SQL() : " LIMIT -1\(offset)" }
    return " LIMIT \(limit)\(offset)"
  }

  func union(of parts: [SQL], page: SQL, order: () -> SQL) -> SQL {
    // SQLite evaluates `UNION ALL` lazily: parts beyond the page are never read.
    parts.map { "SELECT * FROM (\($0))" as SQL }.joined(separator: " UNION ALL ") + page
  }

  func firstOfEqual(
    _ rows: SQL, _ columns: [SQL], equalIn keys: [SQL], place: SQL, order: [SQL], page: SQL?
  ) -> SQL {
    // With `MIN`, bare columns come from the row with the minimum (https://www.sqlite.org/lang_select.html#bareagg).
    let all = columns + ["MIN(\(place))"]
    let groups: SQL = keys.isEmpty ? "NULL" : keys.joined(separator: ", ")
    let sorted = page.map { " ORDER BY \(order.joined(separator: ", "))\($0)" as SQL } ?? SQL()
    return "SELECT \(all.joined(separator: ", ")) FROM (\(rows)) GROUP BY \(groups)\(sorted)"
  }

  func shown(_ value: CompiledExpression) -> CompiledExpression {
    guard case .member(let json) = value.form else { return value }
    var shown = value
    (shown.sql, shown.precedence, shown.format) = (json, .primary, .part)
    return shown
  }

  /// `CASE typeof(c) WHEN 'blob' THEN kindred_beginning(table, column, rowid, 0, n) … ELSE c END`: neither `typeof` nor the
  /// functions read the value.
  func partial(_ column: Column, of record: RecordID, in table: Table, _ reading: ValueReading) -> SQL? {
    guard let rowIDName = table.rowIDName else { return nil }
    let value = SQL.column(record, column.name)
    let place: SQL =
      "\(.value(.text(table.name))), \(.value(.text(column.name))), \(SQL.column(record, rowIDName))"
    // The functions give NULL for a default that is no part of the row.
    func beginning(isText: Bool) -> SQL {
      """
      coalesce(kindred_beginning(\(place), \(.value(.integer(isText ? 1 : 0))), \
      \(.value(.integer(Self.shownBytes)))), \(value))
      """
    }
    let blob: SQL = "CASE typeof(\(value)) WHEN 'blob' THEN \(beginning(isText: false))"
    return switch reading {
    case .whole: nil
    case .blob: "\(blob) ELSE \(value) END"
    case .beginnings: "\(blob) WHEN 'text' THEN \(beginning(isText: true)) ELSE \(value) END"
    case .lengths:
      "CASE WHEN typeof(\(value)) IN ('blob', 'text') THEN "
        + "coalesce(kindred_octets(\(place)), length(CAST(\(value) AS BLOB))) END"
    }
  }

  /// How much is read of a long value: what a page shows, up to the end of its last character.
  private static let shownBytes: Int64 = 4096 + 4
}

extension Expression.AggregateFunction {
  /// The name of SQLite's function; `isEmpty` is a condition on `COUNT`.
  fileprivate var sqlite: SQL {
    switch self {
    case .count, .isEmpty: "COUNT"
    case .min: "MIN"
    case .max: "MAX"
    case .average: "AVG"
    case .sum: "SUM"
    case .total: "TOTAL"
    case .concat: "group_concat"
    }
  }
}

extension CompiledExpression {
  /// Returns an expression that is compared like this one.
  fileprivate func keepingRules(_ sql: SQL, precedence: Precedence = .primary) -> CompiledExpression {
    CompiledExpression(sql: sql, precedence: precedence, traits: traits, traitsOfSQL: traitsOfSQL)
  }
}
