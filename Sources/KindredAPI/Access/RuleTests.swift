import KindredModel
import KindredPlanning
import KindredBackend
import Synchronization

/// The statements that test records against access rules, planned once per rule.
final class RuleTests: Sendable {
  /// Identifies a rule.
  enum Rule: Hashable {
    /// The rule of a resource for a verb.
    case of(ResourceAccess.Verb, resource: ExactName)
    /// The rule of the first resource of a table, for records that aren't reached through one of them: the destination of
    /// a foreign key, or a record of a join table.
    case sight(ofTable: ExactName)
  }

  private enum Key: Hashable {
    case stored(Rule, by: [ExactName])
    case draft(Rule, DraftShape)
  }

  private let model: Model
  private let dialect: Dialect
  private let lookups = Mutex<[Key: ExecutableLookup]>([:])
  /// The largest number of statements, bounded because clients choose which columns they write.
  private static let capacity = 1024

  init(model: Model, dialect: Dialect) {
    (self.model, self.dialect) = (model, dialect)
  }

  /// Returns the statement that tests a stored record, found by these columns.
  func lookup(
    _ rule: Rule, _ condition: Expression?, of resource: Resource, by columns: [String]
  ) throws -> ExecutableLookup {
    try lookup(.stored(rule, by: columns.exact)) { try $0.test(condition, of: resource, by: columns) }
  }

  /// Returns the statement that tests a record that can't be stored.
  func lookup(
    _ rule: Rule, _ condition: Expression, of resource: Resource, _ draft: DraftShape
  ) throws -> ExecutableLookup {
    try lookup(.draft(rule, draft)) { try $0.test(condition, of: resource, draft) }
  }

  private func lookup(_ key: Key, _ plan: (Planner) throws -> RecordLookup) throws -> ExecutableLookup {
    if let lookup = lookups.withLock({ $0[key] }) { return lookup }
    let lookup = ExecutableLookup(try plan(Planner(model: model, dialect: dialect)))
    lookups.withLock { lookups in
      if lookups.count >= Self.capacity { lookups.removeAll(keepingCapacity: true) }
      lookups[key] = lookup
    }
    return lookup
  }
}
