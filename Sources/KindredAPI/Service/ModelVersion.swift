import KindredAssociations
import KindredBackend
import Synchronization

/// The model of one version of the schema, and what was made with it: plans, and the description of it all.
final class ModelVersion: Sendable {
  let schemaVersion: Int64
  let model: Model
  let timelessness: Timelessness
  let plans: PlanCache
  /// The statements that change records.
  let changes: ChangeStatements
  /// How records are found for a change.
  let lookups: RecordLookups
  /// How records are tested by the rules for writing.
  let ruleTests: RuleTests
  /// The roles and claims that make a difference; nil where no access is configured.
  let vocabulary: AccessVocabulary?
  private let openAPI = Mutex<Document?>(nil)
  /// What principals see of it, by their roles.
  private let views = Mutex<[Set<String>: ModelVersion]>([:])
  private let counts: PlanCounts

  /// Each has plans of its own; more are forgotten all at once.
  private static let maximumViews = 64

  init(schemaVersion: Int64, model: Model, timelessness: Timelessness, counts: PlanCounts) {
    self.schemaVersion = schemaVersion
    self.model = model
    self.timelessness = timelessness
    self.counts = counts
    ruleTests = RuleTests(model: model)
    plans = PlanCache(counts)
    lookups = RecordLookups(model: model)
    changes = ChangeStatements(model.dialect)
    vocabulary = model.hasAccess ? model.accessVocabulary : nil
  }

  /// Returns what a principal sees: a model without what isn't for their roles, and plans that no others share.
  func seen(by principal: Principal) -> ModelVersion {
    guard let roles = principal.roles, let vocabulary else { return self }
    let known = roles.intersection(vocabulary.roles)
    if let view = views.withLock({ $0[known] }) { return view }
    let view = ModelVersion(
      schemaVersion: schemaVersion, model: model.seen(by: known), timelessness: timelessness, counts: counts)
    views.withLock { views in
      if views.count >= Self.maximumViews { views = [:] }
      views[known] = view
    }
    return view
  }

  /// The document that describes the model, which is made when it is asked for first.
  ///
  /// - Parameter make: makes the document; it is the same whenever it is called.
  func openAPI(_ make: (Model) -> JSONValue) -> Representation {
    if let document = openAPI.withLock({ $0 }) {
      return Representation(MediaType.json.rawValue, document.bytes, tag: document.tag)
    }
    let bytes = make(model).bytes
    let representation = Representation(MediaType.json.rawValue, bytes)
    openAPI.withLock { $0 = Document(bytes: bytes, tag: representation.tag) }
    return representation
  }

  private struct Document {
    let bytes: [UInt8]
    let tag: ContentHash.Digest
  }
}

/// The model of a database, read anew when the schema changes under the running server.
final class ModelSource: Sendable {
  private let read: @Sendable (any SchemaSource) throws -> Model
  private let current = Mutex<ModelVersion?>(nil)
  /// Of all versions.
  let planCounts = PlanCounts()

  /// - Parameter read: makes the model of a database as a snapshot shows it.
  init(read: @escaping @Sendable (any SchemaSource) throws -> Model) {
    self.read = read
  }

  /// The model that was used last.
  var known: ModelVersion? { current.withLock { $0 } }

  /// The model that fits a snapshot.
  func version(for source: any SchemaSource) throws -> ModelVersion {
    let schemaVersion = source.schemaVersion
    if let version = current.withLock({ $0 }), version.schemaVersion == schemaVersion { return version }
    let version = ModelVersion(
      schemaVersion: schemaVersion, model: try read(source),
      timelessness: try source.timelessness(),
      counts: planCounts)
    current.withLock { $0 = version }
    return version
  }
}
