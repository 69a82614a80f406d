import KindredModel
import KindredSQLSyntax

/// Writes the SQL that differs between databases, from typed expressions to typed expressions.
///
/// The planner decides what a statement means, and the dialect how it is written. A dialect knows neither the model nor
/// the request. What most databases write alike has a default in `SQLDialect+Defaults.swift`.
package protocol SQLDialect: Sendable {
  /// How parameters are numbered.
  var parameterStyle: SQL.ParameterStyle { get }
  /// How they are numbered in statements with access rules, so that the database evaluates guarded conditions only
  /// where their rule is true.
  var guardedParameterStyle: SQL.ParameterStyle { get }
  /// Whether roles of the database may be refused columns.
  var hasColumnPrivileges: Bool { get }
  /// How the text of a query is divided into tokens.
  var querySyntax: QuerySyntax { get }

  /// Returns the value of a parameter of a query; without a binding, one that isn't known yet.
  func parameter(_ binding: SQL.Binding?, of kind: QueryParameter.Kind) -> SQL
  /// Returns a parameter that is bound to the text of JSON.
  func json(_ binding: SQL.Binding) -> SQL
  /// Returns NULL as a value of a type.
  func null(of type: ValueType?) -> SQL

  /// Returns how the database runs requests to a model best.
  func strategy(for model: Model) -> any PlanStrategy

  /// Whether tables may be distributed over shards: then subqueries stand in neither `OFFSET` nor the values of an
  /// `INSERT`, and `HAVING` knows no expression that is grouped by.
  var isSharded: Bool { get }

  /// Whether a subquery in `FROM` can read the tables before it.
  var joinsLaterally: Bool { get }
  /// `JOIN`, in the order of the statement where the database has a word for that.
  var orderedJoin: SQL { get }

  /// Whether the database chooses how rows are found regardless of how many are wanted.
  var ignoresLimits: Bool { get }

  /// Whether the database recognizes an expression that is grouped by where it is written again, outside aggregates.
  var recognizesGroups: Bool { get }

  /// Whether the database knows how many rows it expects.
  var estimatesCounts: Bool { get }

  /// Whether arithmetic and casts are defined for all operands, so that no error reveals them.
  var hasTotalArithmetic: Bool { get }

  // MARK: Values

  /// Returns the type of a column; nil if it may hold values of any type.
  func type(of column: Column) -> ValueType?
  /// Returns a parameter as an expression.
  func literal(_ binding: SQL.Binding, _ value: SQLValue) -> CompiledExpression
  /// Returns a claim of the client's token as an expression; its value may have any type.
  func claim(_ name: String) -> CompiledExpression
  /// Returns a number with more digits than its value as an expression.
  func longNumber(_ digits: String, _ value: SQLValue, _ binding: SQL.Binding) -> CompiledExpression
  /// Returns a parameter that is compared with a value of this type.
  func parameter(_ binding: SQL.Binding, as type: ValueType?) -> SQL
  /// Returns a column and its type in a form that can be compared for equality with a parameter of that type.
  func equatable(_ column: SQL, _ type: ValueType?) -> (SQL, ValueType?)
  /// Returns the sides of `key = value`, written so that they are compared as the foreign key demands, and so that an index
  /// of the key can be used.
  func compared(_ pair: KeyPair) -> KeyPair
  /// Returns the condition that a pair of columns relates two records: that they are equal, or that periods overlap.
  func isRelated(_ pair: KeyPair, isPeriod: Bool) -> SQL
  /// Whether the columns of a foreign key can certainly be compared.
  func canCompare(_ comparison: KeyComparison) -> Bool
  /// Returns the condition that a referring column of a table matches the parameter of this number.
  func matches(_ reference: ColumnReference, of table: Table, _ number: Int) -> SQL
  /// Returns the table on which an index is created.
  func indexedTable(_ table: Table) -> SQL
  /// Whether two columns, which an ordinary `=` compares as their foreign key does, each consider the same values equal.
  func haveSameEquality(_ column: Column, _ other: Column) -> Bool
  /// Returns a parameter that is bound to an integer, such as a limit.
  func integer(_ binding: SQL.Binding) -> SQL

  /// The type of conditions; nil if conditions are numbers.
  var truthType: ValueType? { get }

  // MARK: Operators

  /// Returns a value as an operand of `AND`, `OR`, `NOT`, `WHEN` or `WHERE`.
  func condition(_ value: CompiledExpression) throws -> CompiledExpression
  func negated(_ value: CompiledExpression) throws -> CompiledExpression
  /// `- value`, `+ value`
  func signed(_ value: CompiledExpression, isNegative: Bool) throws -> CompiledExpression
  func binary(
    _ op: Expression.BinaryOperator, _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression
  /// Returns `left || right`, which fails at run time where the result would be too long.
  func boundedConcatenation(
    _ left: CompiledExpression, _ right: CompiledExpression
  ) throws -> CompiledExpression
  /// Returns the condition that a column, some of whose values may not fit its affinity, equals a value that reads none.
  func isEqual(_ mixed: SQL, _ value: SQL) -> SQL
  func isNull(_ value: CompiledExpression, negated: Bool) -> CompiledExpression
  func isAmong(
    _ value: CompiledExpression, _ list: [CompiledExpression], negated: Bool
  ) throws -> CompiledExpression
  func isBetween(
    _ value: CompiledExpression, _ low: CompiledExpression, _ high: CompiledExpression, negated: Bool
  ) throws -> CompiledExpression
  /// - Parameters:
  ///   - isStoppable: Whether a match must end when the time of the request is up.
  ///   - beginning: A pattern of the literal prefix, where an index may find the texts that begin with it.
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

  /// Returns the call of a scalar function, whose name and number of arguments have been checked.
  func function(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression
  /// Whether a value is JSON, or has members or elements as JSON has.
  func isDocument(_ value: CompiledExpression) -> Bool
  /// Whether the values are ranges, whose texts only the database reads.
  func isRange(_ value: CompiledExpression) -> Bool
  /// Returns the value of a member from the JSON as which it is shown.
  func member(shownAs json: SQL) -> CompiledExpression
  /// Replaces 'now' in the arguments of a date function by the time of the first page, so that an order by it is the
  /// same on all pages; does nothing where each page has the time of the transaction that reads it.
  func bindTime(of function: String, _ arguments: inout [CompiledExpression])
  /// Whether the SQL of this function depends on the values of literals among its arguments.
  func readsLiterals(of function: String) -> Bool
  /// Returns an aggregate over the rows of a `SELECT`.
  ///
  /// - Parameter arguments: Empty to count the rows.
  func aggregate(
    _ function: Expression.AggregateFunction, _ arguments: [CompiledExpression], isDistinct: Bool
  ) throws -> CompiledExpression
  /// Returns the concatenation of values over the rows of a `SELECT`, in this order where the database can order them.
  func concatenation(
    _ arguments: [CompiledExpression], isDistinct: Bool, orderedBy order: () throws -> [SQL]
  ) throws -> CompiledExpression
  /// Returns the value of an aggregate over no rows; nil for NULL.
  func absence(of function: Expression.AggregateFunction) -> CompiledAbsence?
  /// The type of a digest; nil if values have no types, and the program computes digests of them.
  var digestType: ValueType? { get }
  /// Returns the digest of a list of values: 16 bytes, as in ``Cursor/digest``.
  func digest(of values: [SQL]) -> SQL
  /// Returns the condition that two values are equal or both NULL.
  func isSame(_ left: SQL, _ right: SQL, negated: Bool) -> SQL
  /// Returns the smaller of two numbers.
  func least(_ left: SQL, _ right: SQL) -> SQL

  /// Returns the value that is written to a column of a table for a parameter.
  func written(_ binding: SQL.Binding, to column: Column, of table: Table) -> SQL
  /// The clause of an `INSERT` that gives values to columns which the database numbers, after a space.
  var overridingIdentity: SQL { get }
  /// Returns an expression whose value is bound to a parameter that writes a column.
  func assigned(_ value: CompiledExpression, to column: Column) -> SQL
  /// Returns a value as a column would store it, with the type and the collation of the column.
  func stored(_ value: StoredValue, in column: Column, of table: Table) -> SQL
  /// Returns whether a column of numbers stores a text as it is.
  func keepsText(_ text: String, in column: Column) -> Bool
  /// Returns the condition that ``stored(_:in:of:)`` is exactly what would be stored; nil if it always is.
  func isExact(_ value: StoredValue, in column: Column) -> SQL?
  /// Returns a parameter converted to the type of a column, if the error of a statement that writes it doesn't name the
  /// value that can't be converted; otherwise nil.
  func conversion(_ binding: SQL.Binding, to column: Column) -> SQL?
  /// Returns the value that resets a column to its default.
  func defaultValue(of column: Column?) -> SQL
  /// Returns the search for a pattern in a full-text index.
  ///
  /// - Parameter visible: The columns that may be searched.
  /// - Throws: `TextSearchRefusal`
  func search(for pattern: TextPattern, in fullText: FullText, visible: [String]) throws -> any TextSearch

  /// Returns how the result of an aggregate depends on the order in which the database reads the rows; nil if it doesn't,
  /// or if the aggregate itself has an order.
  ///
  /// - Parameter isHidden: Whether the order could otherwise depend on columns that the client may not see.
  func dependence(
    of function: Expression.AggregateFunction, of arguments: [CompiledExpression], onOrder isHidden: Bool
  ) -> OrderDependence?

  /// The same dialect for what some roles may see: sums of numbers with a fraction are the same in whatever order the
  /// database reads the rows, which may depend on those that are out of sight.
  var roundingAlike: any SQLDialect { get }

  /// The same dialect for rules: operations that have no result for some values are NULL with a ``FailureNote``, as far as
  /// the database can tell; others fail.
  var noticingFailures: any SQLDialect { get }

  /// Returns a rule as a condition that doesn't fail.
  ///
  /// - Parameters:
  ///   - test: The rule as a separate statement for the record whose pointers are its batch's bindings.
  ///   - pointers: The expressions that point to the record.
  func tested(_ rule: SQL, alone test: SQL, _ pointers: [SQL]) -> SQL

  /// Returns the collation of a value if it may consider different texts equal, so that a group shows one of several; nil
  /// also if the database chooses it by itself.
  func differingCollation(_ value: CompiledExpression) -> String?
  /// Returns the end of an error message that explains how to create a full-text index for a table.
  func fullTextIndex(of table: String) -> String

  // MARK: Clauses

  /// Returns a value in a form that can be sorted and compared with those before and after it.
  func sortable(_ value: CompiledExpression) -> CompiledExpression
  /// Whether an index can have NULLs at either end.
  var placesNullsInIndexes: Bool { get }
  /// Returns a term of `ORDER BY`; by default, NULLs are the smallest values.
  func order(_ expression: SQL, isDescending: Bool, nulls: SortTerm.Nulls?, isNullable: Bool) -> SQL
  /// Returns a value that orders texts by their bytes, where their collation considers different texts equal; nil if
  /// no collation of the database does.
  func orderedByBytes(_ value: SQL) -> SQL?

  /// Returns the text of a value as a term of an order in which equal values may have different texts; nil if they
  /// can't.
  func textOfEqual(_ value: CompiledExpression) -> CompiledExpression?
  /// Returns the values of many parent records as a table for a `FROM` clause, whose rows are numbered from any number on.
  ///
  /// - Parameters:
  ///   - columns: The name of each column and the type of its values, which are bound to ``SQL/Binding/batch(_:)``.
  ///   - number: The name of the column of numbers.
  ///   - table: The name of the table.
  func inputs(_ columns: [(name: SQL, type: String?)], number: SQL, named table: SQL) -> SQL
  /// Returns a condition that only tests the rows that others find, although an index serves it.
  func filtering(_ condition: SQL) -> SQL
  /// Returns `LIMIT` and `OFFSET`.
  func page(limit: SQL?, offset: SQL?) -> SQL
  /// Returns the page of consecutive parts of an ordered result, each of them limited, which are read one after the other
  /// until the page is full.
  ///
  /// - Parameter order: The `ORDER BY` terms of the whole result, by column numbers, where the parts may not keep their order.
  func union(of parts: [SQL], page: SQL, order: () -> SQL) -> SQL
  /// Returns the first of each group of rows that are equal in some columns.
  ///
  /// - Parameters:
  ///   - rows: The rows, with their position in the order in another column.
  ///   - columns: The columns of the result.
  ///   - keys: The columns that are compared.
  ///   - place: The column with the position.
  ///   - order: The keys as terms of an order in which the result is best.
  ///   - page: The page of the result in that order; nil for all of it in any order.
  func firstOfEqual(
    _ rows: SQL, _ columns: [SQL], equalIn keys: [SQL], place: SQL, order: [SQL], page: SQL?
  ) -> SQL
  /// Returns a column in a form whose values can be compared for equality.
  func comparable(_ column: SQL, _ format: Plan.ValueFormat, by collation: Expression.Collation?) -> SQL
  /// Returns a subquery for a `FROM` clause, whose columns are named without qualification.
  func derived(_ subquery: SQL) -> SQL
  /// Returns an expression that is grouped by, as one value of each group.
  func grouped(_ value: CompiledExpression) -> CompiledExpression
  /// Returns a value in the form in which a result shows it.
  func shown(_ value: CompiledExpression) -> CompiledExpression

  /// Returns a column in the form in which its values are compared.
  func compared(_ column: SQL, of definition: Column) -> SQL
  /// Returns the document that is shown in place of a column's value; nil if that is shown itself.
  func document(of column: SQL, _ definition: Column) -> SQL?

  /// Returns SQL that reads a stored column of a record only in part; nil where it can only be read as it is.
  func partial(_ column: Column, of record: RecordID, in table: Table, _ reading: ValueReading) -> SQL?
}
