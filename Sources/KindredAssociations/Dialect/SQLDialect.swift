import KindredSQLSyntax

/// A database by the SQL that it takes.
public enum Dialect: Sendable, Hashable {
  case sqlite
  case postgreSQL

  /// Writes it.
  var writer: any SQLDialect {
    switch self {
    case .sqlite: SQLiteDialect()
    case .postgreSQL: PostgreSQLDialect()
    }
  }
}

/// How a database writes what databases write differently: from typed expressions to typed expressions.
///
/// The planner decides what is meant and a dialect how that is said. It knows no names of the model and no request.
protocol SQLDialect: Sendable {
  /// How parameters are numbered.
  var parameterStyle: SQL.ParameterStyle { get }
  /// Whether the statement of a node runs once for each row above, and not once for many.
  var nestsStatements: Bool { get }

  /// Whether a comparison converts what the columns of a foreign key hold, by their affinities and collations.
  var hasAffinities: Bool { get }

  // MARK: Values

  /// The type of a column; nil where a value may be anything.
  func type(of column: Column) -> ValueType?
  /// A value that is bound.
  func literal(_ binding: SQL.Binding, _ value: SQLValue) -> CompiledExpression
  /// A value that is bound, for what it is compared with.
  func parameter(_ binding: SQL.Binding, as type: ValueType?) -> SQL
  /// A whole number that is bound, such as a limit.
  func integer(_ binding: SQL.Binding) -> SQL

  /// The type of conditions; nil where they are numbers.
  var truthType: ValueType? { get }

  // MARK: Operators

  /// An operand of `AND`, `OR`, `NOT`, `WHEN`, `WHERE`.
  func condition(_ value: CompiledExpression) throws -> CompiledExpression
  func negated(_ value: CompiledExpression) throws -> CompiledExpression
  /// `- value`, `+ value`
  func signed(_ value: CompiledExpression, isNegative: Bool) throws -> CompiledExpression
  func binary(
    _ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression
  /// `left || right`, of a bounded length.
  func boundedConcatenation(
    _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression
  func isNull(_ value: CompiledExpression, negated: Bool) -> CompiledExpression
  func isAmong(
    _ value: CompiledExpression, _ list: [CompiledExpression], negated: Bool
  ) throws -> CompiledExpression
  func isBetween(
    _ value: CompiledExpression, _ low: CompiledExpression, _ high: CompiledExpression, negated: Bool
  ) throws -> CompiledExpression
  /// - Parameters:
  ///   - isStoppable: whether a match that takes long must be stopped.
  ///   - beginning: a pattern of all that begins as what is matched, where an index may find that.
  func matches(
    _ op: Expression.MatchOperator, _ value: CompiledExpression, _ pattern: CompiledExpression,
    escape: CompiledExpression?, negated: Bool, isStoppable: Bool, beginning: SQL.Binding?
  ) throws -> CompiledExpression
  func collated(_ value: CompiledExpression, _ collation: Expression.Collation) throws -> CompiledExpression
  func cast(_ value: CompiledExpression, to type: Expression.CastType) throws -> CompiledExpression
  /// `CASE`
  func cases(
    of value: CompiledExpression?, _ branches: [(condition: CompiledExpression, result: CompiledExpression)],
    else other: CompiledExpression?
  ) throws -> CompiledExpression

  // MARK: Functions

  /// A function of values, by its name in the language, which has been checked.
  func function(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression
  /// Whether the SQL of this function depends on the values of literals among its arguments.
  func readsLiterals(of function: String) -> Bool
  /// An aggregate of the rows of a `SELECT`.
  ///
  /// - Parameter arguments: none for the number of rows.
  func aggregate(
    _ function: Expression.AggregateFunction, _ arguments: [CompiledExpression], isDistinct: Bool
  ) throws -> CompiledExpression
  /// What an aggregate of no rows is; nil for NULL.
  func absence(of function: Expression.AggregateFunction) -> CompiledAbsence?
  /// The type of a digest; nil where values have none.
  var digestType: ValueType? { get }
  /// The digest of a list of values, 16 bytes, as ``Cursor/digest`` holds it.
  func digest(of values: [SQL]) -> SQL
  /// That two values are the same, or both NULL.
  func isSame(_ left: SQL, _ right: SQL, negated: Bool) -> SQL
  /// The lesser of two numbers.
  func least(_ left: SQL, _ right: SQL) -> SQL

  /// What a column takes where it is set to its default.
  func defaultValue(of column: Column?) -> SQL
  /// How a table gets a full-text index: the end of a sentence.
  func fullTextIndex(of table: String) -> String

  // MARK: Clauses

  /// A term of `ORDER BY`, NULLs being the least values unless said otherwise.
  func order(_ expression: SQL, isDescending: Bool, nulls: SortTerm.Nulls?, isNullable: Bool) -> SQL
  /// A value for an order that tells texts apart which its collation takes for equal; nil where none does.
  func orderedByBytes(_ value: SQL) -> SQL?
  /// `LIMIT` and `OFFSET`.
  func page(limit: SQL?, offset: SQL?) -> SQL
  /// Parts of an order one after the other, and the page of all of them.
  ///
  /// - Parameter order: of all of them, by the numbers of the columns.
  func union(of parts: [SQL], page: SQL, order: () -> SQL) -> SQL
  /// The first of the rows that are equal in some columns.
  ///
  /// - Parameters:
  ///   - rows: the rows, with their places in the order in another column.
  ///   - columns: the columns that are shown.
  func firstOfEqual(_ rows: SQL, _ columns: [SQL], equalIn keys: [SQL], place: SQL) -> SQL
  /// A column as it is compared with itself in other rows.
  func comparable(_ column: SQL, _ format: Plan.ValueFormat) -> SQL
  /// A subquery in a `FROM` clause whose columns are named without it.
  func derived(_ subquery: SQL) -> SQL
  /// A column as a row shows it.
  func shown(_ value: CompiledExpression) -> CompiledExpression
}
