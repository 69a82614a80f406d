import KindredModel
import KindredSQLSyntax

/// The state of planning one request: its inputs, the rest of its budget, and the results found so far.
final class PlanningState {
  let model: Model
  /// The dialect of the database that the plan is for.
  let dialect: any SQLDialect
  /// How the database runs statements best.
  let strategy: any PlanStrategy
  /// The values of the request, by number.
  let literals: [SQLValue]
  /// Whether literals of expressions with different numbers have different values.
  let literalsAreDistinct: Bool
  /// Collects errors, if they are not to be thrown.
  let diagnostics: Diagnostics?
  /// Whether each statement runs for a single record, so that scanning a table costs less than copying it.
  let isForOneRecord: Bool
  /// How stored values are read that are shown.
  let reading: ValueReading
  /// The column of a plan that reads a single BLOB in parts.
  var storedColumn: StoredColumn?
  /// The columns of the root record whose values are the first literals; nil if it is read from its table.
  var rowColumns: [String]?
  var budget: PlanningBudget

  /// Whether a rule applies to a table that is read.
  var readsRestricted = false
  /// Whether the SQL, or whether it is valid, depends on the value of a literal.
  var readsLiterals = false
  /// The literals that are written like another value, which equals them, by their numbers.
  var sameLiterals: [Int: SQL.Binding] = [:]

  /// Whether a rule that has been compiled may fail for some records.
  var ruleMayFail = false

  // MARK: Memory

  /// The records that the expressions being compiled expose.
  var exposure = Exposure()
  /// The computed columns whose definitions are being resolved, each within the one before, with their resources.
  private var definitions: [(column: String, resource: String)] = []
  /// The number of names found within their own definitions.
  var selfReferences = 0
  /// The records with aliases, in a request for rows.
  var aliased: [RecordAlias: StatementRecord] = [:]
  // These are kept here, since references between records would be cycles.
  private(set) var names: [ObjectIdentifier: NameMemory] = [:]
  private(set) var records: [ObjectIdentifier: RecordMemory] = [:]

  init(
    model: Model, dialect: any SQLDialect, literals: [SQLValue] = [], literalsAreDistinct: Bool = false,
    budget: PlanningBudget = PlanningBudget(.none, check: {}), diagnostics: Diagnostics? = nil,
    isForOneRecord: Bool = false, reading: ValueReading = .whole
  ) {
    self.model = model
    self.dialect = dialect
    strategy = dialect.strategy(for: model)
    self.literals = literals
    self.literalsAreDistinct = literalsAreDistinct
    self.budget = budget
    self.diagnostics = diagnostics
    self.isForOneRecord = isForOneRecord
    self.reading = reading
  }

  /// Returns whether a literal is written with the same digits as an equal value; if so, it becomes that value.
  ///
  /// Then the plan serves only requests with these values.
  func unify(
    _ literal: Int, _ expression: ResolvedExpression, with value: SQLValue, _ other: ResolvedExpression,
    as binding: SQL.Binding
  ) -> Bool {
    if literalsAreDistinct, case .parameter = binding { return false }
    readsLiterals = true
    guard literals[literal] == value, expression.source.digits == other.source.digits else { return false }
    sameLiterals[literal] = binding
    return true
  }

  /// Returns the result of `body`, which resolves the definition of a computed column.
  ///
  /// - Throws: `RequestError` if the definition leads to itself.
  func resolving<Result>(
    _ column: String, of resource: Resource, _ body: () throws -> Result
  ) throws -> Result {
    if let first = definitions.firstIndex(where: { $0 == (column, resource.name) }) {
      let circle = definitions[first...] + [definitions[first]]
      let names = circle.map { "`\($0.column)` of \($0.resource)" }.joined(separator: ", ")
      throw RequestError(.invalidExpression, "a computed column leads to itself: \(names)")
    }
    definitions.append((column, resource.name))
    defer { definitions.removeLast() }
    return try inDefinition(body)
  }

  /// Returns the result of `body`, whose expressions are those of a computed column.
  func inDefinition<Result>(_ body: () throws -> Result) rethrows -> Result {
    budget.beginDefinition()
    defer { budget.endDefinition() }
    return try body()
  }

  /// Returns the result of `body`, which compiles a rule, and whether that may fail for some records.
  func noticingFailures<Result>(_ body: () throws -> Result) rethrows -> (result: Result, mayFail: Bool) {
    let outer = ruleMayFail
    ruleMayFail = false
    defer { ruleMayFail = ruleMayFail || outer }
    let result = try body()
    return (result, ruleMayFail)
  }

  /// Returns the results of looking up the names of a record.
  func memory(of scope: NameScope) -> NameMemory {
    let id = ObjectIdentifier(scope)
    if let known = names[id] { return known }
    let memory = NameMemory(of: scope)
    names[id] = memory
    return memory
  }

  /// Returns the parts that have been built for a record of a statement.
  func memory(of record: StatementRecord) -> RecordMemory {
    let id = ObjectIdentifier(record)
    if let known = records[id] { return known }
    let memory = RecordMemory(of: record)
    records[id] = memory
    return memory
  }
}

/// The parts that have been built for a record of a statement, so that each is built only once.
final class RecordMemory {
  /// Keeps the identity under which the memory is found.
  let record: StatementRecord
  /// The records joined by to-one associations, by ``ResolvedAssociation/place``.
  var joined: [ResolvedAssociation.Place: StatementRecord] = [:]
  /// The groups that are joined to the record, by the aggregates that they are the groups of.
  var passes: [SQL: RecordID] = [:]
  /// The computed columns compiled so far, and the records that they expose.
  var computed: NameDictionary<(expression: CompiledExpression, exposure: Exposure)> = [:]
  /// The named expressions compiled so far, and the records that they expose.
  var named: NameDictionary<(expression: CompiledExpression, isOfGroup: Bool, exposure: Exposure)> = [:]

  init(of record: StatementRecord) { self.record = record }
}
