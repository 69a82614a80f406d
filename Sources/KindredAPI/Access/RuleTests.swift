import KindredAssociations
import KindredBackend
import Synchronization

/// How records are tested by the rules of a role set, planned once for each rule.
final class RuleTests: Sendable {
  /// Which rule.
  enum Rule: Hashable {
    /// That of a resource for a verb.
    case of(ResourceAccess.Verb, resource: String)
    /// Those of all resources of a table, for what is not reached as one of them: what a foreign key refers to, or a
    /// record of a join table.
    case sight(ofTable: String)
  }

  private enum Key: Hashable {
    case stored(Rule, by: [String])
    case draft(Rule, DraftShape)
  }

  private let model: Model
  private let lookups = Mutex<[Key: ExecutableLookup]>([:])
  /// Clients choose which columns they write.
  private static let capacity = 1024

  init(model: Model) {
    self.model = model
  }

  /// How a record, found by these columns, is tested.
  func lookup(
    _ rule: Rule, _ condition: Expression?, of resource: Resource, by columns: [String]
  ) throws -> ExecutableLookup {
    try lookup(.stored(rule, by: columns)) { try $0.test(condition, of: resource, by: columns) }
  }

  /// How a record that can't be stored is tested.
  func lookup(
    _ rule: Rule, _ condition: Expression, of resource: Resource, _ draft: DraftShape
  ) throws -> ExecutableLookup {
    try lookup(.draft(rule, draft)) { try $0.test(condition, of: resource, draft) }
  }

  private func lookup(_ key: Key, _ plan: (Planner) throws -> RecordLookup) throws -> ExecutableLookup {
    if let lookup = lookups.withLock({ $0[key] }) { return lookup }
    let lookup = ExecutableLookup(try plan(Planner(model: model)))
    lookups.withLock { lookups in
      if lookups.count >= Self.capacity { lookups.removeAll(keepingCapacity: true) }
      lookups[key] = lookup
    }
    return lookup
  }
}
