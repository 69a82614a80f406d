import KindredAssociations
import KindredBackend
import Synchronization

/// How records are tested by the rules of a role set, planned once for each rule.
final class RuleTests: Sendable {
  private struct Key: Hashable {
    let resource: String
    let verb: ResourceAccess.Verb
    let columns: [String]
  }

  private let model: Model
  private let lookups = Mutex<[Key: ExecutableLookup]>([:])

  init(model: Model) {
    self.model = model
  }

  /// How a record, found by these columns, is tested by a rule.
  func lookup(
    _ rule: Expression?, for verb: ResourceAccess.Verb, of resource: Resource, by columns: [String]
  ) throws -> ExecutableLookup {
    let key = Key(resource: resource.name, verb: verb, columns: columns)
    if let lookup = lookups.withLock({ $0[key] }) { return lookup }
    let lookup = ExecutableLookup(try Planner(model: model).test(rule, of: resource, by: columns))
    lookups.withLock { $0[key] = lookup }
    return lookup
  }
}
