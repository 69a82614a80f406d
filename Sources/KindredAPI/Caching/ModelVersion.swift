import KindredAssociations
import KindredBackend
import OrderedCollections
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
  /// What principals see of it.
  private let views = Mutex(Views())
  private let counts: PlanCounts

  /// What principals see, by what their roles come to, the newest last: each has plans of its own.
  private struct Views {
    var byGrants: OrderedDictionary<[Int?], ModelVersion> = [:]
    /// The same, found without looking at each resource.
    var byRoles: [Set<String>: ModelVersion] = [:]

    static let maximumCount = 64
    /// Clients may have any number of roles in any combination.
    static let maximumRoleSets = 4096

    mutating func add(_ view: ModelVersion, _ roles: Set<String>, _ grants: [Int?]) {
      if byGrants[grants] == nil, byGrants.count >= Self.maximumCount {
        let oldest = byGrants.removeFirst().value
        byRoles = byRoles.filter { $0.value !== oldest }
      }
      if byRoles.count >= Self.maximumRoleSets { byRoles = [:] }
      byGrants[grants] = view
      byRoles[roles] = view
    }
  }

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
    if let view = views.withLock({ $0.byRoles[known] }) { return view }
    let grants = model.grants(of: known)
    let view =
      views.withLock { $0.byGrants[grants] }
      ?? ModelVersion(
        schemaVersion: schemaVersion, model: model.seen(by: known), timelessness: timelessness, counts: counts
      )
    views.withLock { $0.add(view, known, grants) }
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
    let version = try made(for: source)
    current.withLock { $0 = version }
    return version
  }

  /// The model of a schema that may never be committed, so that nobody else is to use it.
  func made(for source: any SchemaSource) throws -> ModelVersion {
    ModelVersion(
      schemaVersion: source.schemaVersion, model: try read(source), timelessness: try source.timelessness(),
      counts: planCounts)
  }
}
