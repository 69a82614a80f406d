import KindredBackend
import KindredModel
import KindredPlanning
import Synchronization

/// The statements that compute the columns that the server sets, planned once per access entry.
final class PresetStatements: Sendable {
  private struct Key: Hashable {
    let verb: ResourceAccess.Verb
    let resource: ExactName
  }

  private let model: Model
  private let dialect: Dialect
  private let known = Mutex<[Key: AssignedValues]>([:])

  init(model: Model, dialect: Dialect) {
    (self.model, self.dialect) = (model, dialect)
  }

  /// Returns the statement that computes the columns that an entry sets: of a new record, or of one that its locator
  /// columns find.
  func values(_ verb: ResourceAccess.Verb, of resource: WrittenResource) throws -> AssignedValues {
    let key = Key(verb: verb, resource: ExactName(resource.name))
    if let values = known.withLock({ $0[key] }) { return values }
    let planned = try Planner(model: model, dialect: dialect).values(
      of: resource.permissions[verb]?.presets ?? [], in: resource.resource,
      by: verb == .create ? nil : resource.locatorColumns)
    let values = AssignedValues(planned)
    known.withLock { $0[key] = values }
    return values
  }
}
