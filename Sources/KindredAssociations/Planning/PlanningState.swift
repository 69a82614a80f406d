import KindredSQLSyntax
import OrderedCollections

/// What the planning of one request works with, and what it finds out beside the selects.
final class PlanningState {
  let model: Model
  /// Of the database that the plan is for.
  let dialect: any SQLDialect
  /// The values of the request, by number.
  let literals: [SQLValue]
  /// Notes errors instead of throwing them.
  let diagnostics: Diagnostics?
  /// Whether each statement runs for one record: then reading a table once costs less than copying it.
  let isForOneRecord: Bool
  var budget: PlanningBudget

  // MARK: Findings

  var missingIndexes: OrderedSet<String> = []
  var mismatches: OrderedSet<String> = []
  var transients: OrderedDictionary<String, TransientTable> = [:]
  /// The full-text patterns to check before the first byte is sent.
  var searches: [Plan.SearchCheck] = []
  /// Whether values of the request became part of the SQL.
  var readsLiterals = false

  // MARK: Memory

  /// What the expressions that are being compiled expose.
  var exposure = Exposure()
  /// The nodes whose conditions are being compiled.
  var filtered = FilteredNodes()
  /// How often a name has been met within itself.
  var selfReferences = 0
  /// The default names that were made for suggestions, by the association's key and its destination.
  var suggestedNames: [[String]: [String]] = [:]
  /// The records that a request for rows has given names of their own.
  var aliased: [RecordAlias: Scope] = [:]
  // Kept here and not in the records, which would keep each other in memory.
  private(set) var names: [ObjectIdentifier: NameMemory] = [:]
  private(set) var records: [ObjectIdentifier: RecordMemory] = [:]

  init(
    model: Model, dialect: any SQLDialect, literals: [SQLValue] = [],
    budget: PlanningBudget = PlanningBudget(.none, check: {}), diagnostics: Diagnostics? = nil,
    isForOneRecord: Bool = false
  ) {
    self.model = model
    self.dialect = dialect
    self.literals = literals
    self.budget = budget
    self.diagnostics = diagnostics
    self.isForOneRecord = isForOneRecord
  }

  /// A state that begins with nothing found, for statements that are checked and never run.
  func scratch() -> PlanningState {
    PlanningState(
      model: model, dialect: dialect, literals: literals, budget: budget, diagnostics: diagnostics,
      isForOneRecord: isForOneRecord)
  }

  /// What is known about the names of a record.
  func memory(of scope: ResolutionScope) -> NameMemory {
    let id = ObjectIdentifier(scope)
    if let known = names[id] { return known }
    let memory = NameMemory(of: scope)
    names[id] = memory
    return memory
  }

  /// What has been made for a record of a statement.
  func memory(of scope: Scope) -> RecordMemory {
    let id = ObjectIdentifier(scope)
    if let known = records[id] { return known }
    let memory = RecordMemory(of: scope)
    records[id] = memory
    return memory
  }
}

/// What has been found out about the names of a record, so that each is looked up once.
final class NameMemory {
  /// Keeps the identity under which the memory is found.
  private let scope: ResolutionScope
  /// The annotations and fields of the record's node by their names; nil until one is looked up.
  var expressions: [String: Expression]?
  /// Those that have been resolved.
  var resolved: [String: ResolvedName] = [:]
  /// Those that are being resolved, so that none refers to itself.
  var resolving: Set<String> = []
  /// The aggregates that default names stand for; nil until one is looked up.
  var defaultAggregates: [String: DefaultAggregate]?
  /// The to-one associations, by the place of ``ResolvedAssociation/place``.
  var associated: [String: ResolvedAssociation] = [:]

  init(of scope: ResolutionScope) { self.scope = scope }
}

/// What has been made for a record of a statement, so that each is made once.
final class RecordMemory {
  /// Keeps the identity under which the memory is found.
  let scope: Scope
  /// The records that to-one associations lead to, by the place of ``ResolvedAssociation/place``.
  var joined: [String: Scope] = [:]
  /// The named expressions that have been compiled, and what they expose.
  var named: [String: (expression: CompiledExpression, isOfGroup: Bool, exposure: Exposure)] = [:]

  init(of scope: Scope) { self.scope = scope }
}
