import KindredModel
import KindredSQLSyntax

/// What a dialect writes unless it says otherwise: values without types, and everything as it is.
extension SQLDialect {
  package var guardedParameterStyle: SQL.ParameterStyle { parameterStyle }
  package var hasColumnPrivileges: Bool { false }
  package var isSharded: Bool { false }
  package var joinsLaterally: Bool { false }
  package var orderedJoin: SQL { "JOIN" }
  package var ignoresLimits: Bool { false }
  package var placesNullsInIndexes: Bool { true }
  package var recognizesGroups: Bool { true }
  package var estimatesCounts: Bool { false }
  package var hasTotalArithmetic: Bool { false }

  // MARK: Values

  package var truthType: ValueType? { nil }
  package func type(of column: Column) -> ValueType? { nil }
  package func null(of type: ValueType?) -> SQL { "NULL" }
  package func literal(_ binding: SQL.Binding, _ value: SQLValue) -> CompiledExpression {
    CompiledExpression(sql: "\(binding)", form: .literal(binding, value))
  }
  package func claim(_ name: String) -> CompiledExpression { literal(.claim(name), .text("")) }
  package func longNumber(_ digits: String, _ value: SQLValue, _ binding: SQL.Binding) -> CompiledExpression {
    literal(binding, value)
  }
  package func parameter(_ binding: SQL.Binding, as type: ValueType?) -> SQL { "\(binding)" }
  package func parameter(_ binding: SQL.Binding?, of kind: QueryParameter.Kind) -> SQL {
    binding.map { "\($0)" } ?? "NULL"
  }
  package func json(_ binding: SQL.Binding) -> SQL { "\(binding)" }
  package func integer(_ binding: SQL.Binding) -> SQL { "\(binding)" }
  package func equatable(_ column: SQL, _ type: ValueType?) -> (SQL, ValueType?) { (column, type) }
  package func haveSameEquality(_ column: Column, _ other: Column) -> Bool { true }
  package func canCompare(_ comparison: KeyComparison) -> Bool { true }
  // As PostgreSQL says it: SQLite has no foreign keys with periods.
  package func isRelated(_ pair: KeyPair, isPeriod: Bool) -> SQL {
    isPeriod ? "\(pair.key) && \(pair.value)" : "\(pair.key) = \(pair.value)"
  }
  package func matches(_ reference: ColumnReference, of table: Table, _ number: Int) -> SQL {
    "\(identifier: reference.column.text) = \(.parameter(number))"
  }
  package func partial(_ column: Column, of record: RecordID, in table: Table, _ reading: ValueReading)
    -> SQL?
  {
    nil
  }

  package func indexedTable(_ table: Table) -> SQL { table.reference }

  // MARK: Operators and functions

  package func condition(_ value: CompiledExpression) -> CompiledExpression { value }
  /// Returns the condition that holds where another one doesn't, without `NOT` where that has such a form.
  func opposite(of value: CompiledExpression) throws -> CompiledExpression {
    guard let opposite = value.opposite else { return try negated(value) }
    return CompiledExpression(sql: opposite, format: value.format, type: value.type)
  }
  package func isEqual(_ mixed: SQL, _ value: SQL) -> SQL { "\(mixed) = \(value)" }
  package func isRange(_ value: CompiledExpression) -> Bool { false }
  package func bindTime(of function: String, _ arguments: inout [CompiledExpression]) {}
  package func readsLiterals(of function: String) -> Bool { false }
  package func concatenation(
    _ arguments: [CompiledExpression], isDistinct: Bool, orderedBy order: () throws -> [SQL]
  ) throws -> CompiledExpression {
    try aggregate(.concat, arguments, isDistinct: isDistinct)
  }
  package var digestType: ValueType? { nil }
  package func dependence(
    of function: Expression.AggregateFunction, of arguments: [CompiledExpression], onOrder isHidden: Bool
  ) -> OrderDependence? { nil }
  package var roundingAlike: any SQLDialect { self }
  package var noticingFailures: any SQLDialect { self }
  package func tested(_ rule: SQL, alone test: SQL, _ pointers: [SQL]) -> SQL { rule }
  package func differingCollation(_ value: CompiledExpression) -> String? { nil }

  package func compared(_ column: SQL, of definition: Column) -> SQL { column }
  package func document(of column: SQL, _ definition: Column) -> SQL? { nil }

  // MARK: Writing

  package func written(_ binding: SQL.Binding, to column: Column, of table: Table) -> SQL { "\(binding)" }
  package var overridingIdentity: SQL { SQL() }
  package func assigned(_ value: CompiledExpression, to column: Column) -> SQL {
    column.valueFormat == .json ? shown(value).sql : value.sql
  }
  package func keepsText(_ text: String, in column: Column) -> Bool { false }
  package func isExact(_ value: StoredValue, in column: Column) -> SQL? { nil }
  package func conversion(_ binding: SQL.Binding, to column: Column) -> SQL? { nil }

  // MARK: Clauses

  package func sortable(_ value: CompiledExpression) -> CompiledExpression { value }
  package func orderedByBytes(_ value: SQL) -> SQL? { nil }
  package func textOfEqual(_ value: CompiledExpression) -> CompiledExpression? { nil }
  package func comparable(
    _ column: SQL, _ format: Plan.ValueFormat, by collation: Expression.Collation?
  ) -> SQL { column }
  package func filtering(_ condition: SQL) -> SQL { condition }
  package func derived(_ subquery: SQL) -> SQL { "(\(subquery))" }
  package func grouped(_ value: CompiledExpression) -> CompiledExpression { value }
}

// MARK: - Parts of expressions

extension SQLDialect {
  /// Returns a condition.
  package func boolean(_ sql: SQL, _ precedence: Precedence = .equality) -> CompiledExpression {
    CompiledExpression(sql: sql, precedence: precedence, format: .boolean, type: truthType)
  }

  /// Returns `NOT` where an operator is negated.
  package func not(_ negated: Bool) -> SQL { negated ? "NOT " : "" }
}
