import KindredModel
import KindredPlanning
import KindredBackend
import KindredRequests
import OrderedCollections
import Synchronization

/// The model of one version of the schema, with the plans and documents derived from it.
final class ModelVersion: Sendable {
  let schemaVersion: Int64
  /// A number that only the views of the same model have.
  let number: Int
  let model: Model
  let dialect: Dialect
  let shapes: ShapeVocabulary
  let plans: PlansOfView
  /// The statements that change records.
  let changes: ChangeStatements
  /// The statements that find the records to be changed.
  let lookups: RecordLookups
  /// The statements that test records against the access rules for writing.
  let ruleTests: RuleTests
  /// The statements that compute the columns that the server sets.
  let presets: PresetStatements
  /// The roles and claims that the access rules use; nil if there are no rules.
  let vocabulary: AccessVocabulary?
  /// The resources as writes need them, worked out with the first write to each.
  private let written = Mutex<[WrittenPlace: WrittenResource]>([:])
  private let openAPI = Mutex<Document?>(nil)
  /// The versions that principals see.
  private let views = Mutex(Views())
  /// The versions for roles of the database that may not read all columns.
  private let databaseRoles = Mutex(DatabaseRoles())
  private let planCache: PlanCache
  /// The versions that are being made.
  private let makingViews = SingleFlight<[Int?], ModelVersion>()
  private let makingReadable = SingleFlight<[ExactName: NameSet], ModelVersion>()
  /// The names of the resources whose rules may fail for some records.
  let fallibleRules: [String]
  /// The version whose rules don't fail, once it is needed, and whether requests use it from the start.
  private let caution = Mutex<(version: ModelVersion?, isPreferred: Bool)>((nil, false))

  /// How records to be written are reached.
  private enum WrittenPlace: Hashable {
    case resource(ExactName)
    /// Without naming a resource.
    case table(ExactName)
  }

  /// The versions for roles of the database, which are shared by those from which the same columns are withheld.
  private struct DatabaseRoles {
    /// The versions by the names of roles; nil for a role that may read all columns.
    var byName: [ExactName: ModelVersion?] = [:]
    /// The same versions by the columns of each table that are withheld.
    var byWithheld: [[ExactName: NameSet]: ModelVersion] = [:]

    mutating func add(_ version: ModelVersion?, _ name: ExactName, _ withheld: [ExactName: NameSet]) {
      if let version, byWithheld[withheld] == nil {
        if byWithheld.count >= Views.maximumCount { self = DatabaseRoles() }
        byWithheld[withheld] = version
      }
      if byName.count >= Views.maximumRoleSets { byName = [:] }
      byName[name] = .some(version)
    }
  }

  /// The versions that principals see, keyed by what their roles grant, the newest last.
  ///
  /// Each has its own plans, in the same cache.
  private struct Views {
    var byGrants: OrderedDictionary<[Int?], ModelVersion> = [:]
    /// The same versions keyed by roles, which saves looking at each resource.
    var byRoles: [NameSet: ModelVersion] = [:]

    static let maximumCount = 64
    /// Bounded because clients may have any combination of roles.
    static let maximumRoleSets = 4096

    mutating func add(_ view: ModelVersion, _ roles: NameSet, _ grants: [Int?]) {
      if byGrants[grants] == nil, byGrants.count >= Self.maximumCount {
        let oldest = byGrants.removeFirst().value
        byRoles = byRoles.filter { $0.value !== oldest }
      }
      if byRoles.count >= Self.maximumRoleSets { byRoles = [:] }
      byGrants[grants] = view
      byRoles[roles] = view
    }
  }

  init(schemaVersion: Int64, number: Int, model: Model, dialect: Dialect, _ planCache: PlanCache) {
    self.schemaVersion = schemaVersion
    self.number = number
    self.model = model
    self.dialect = dialect
    self.planCache = planCache
    fallibleRules = model.isRestricted ? model.fallibleRules : []
    ruleTests = RuleTests(model: model, dialect: dialect)
    presets = PresetStatements(model: model, dialect: dialect)
    shapes = ShapeVocabulary(model)
    plans = planCache.addView()
    lookups = RecordLookups(model: model, dialect: dialect)
    changes = ChangeStatements(dialect)
    let readsClaims = model.unrestricted.actions.values.contains {
      $0.parameters.contains { $0.claim != nil }
    }
    vocabulary = model.hasAccess || readsClaims ? model.accessVocabulary : nil
  }

  /// Returns a resource of the model as writes need it.
  func written(_ resource: Resource) -> WrittenResource {
    written(at: .resource(ExactName(resource.name))) { resource }
  }

  /// Returns the resource whose rules apply to records of a table that are reached without naming a resource.
  func written(ofTable table: Table) -> WrittenResource {
    written(at: .table(ExactName(table.name))) { model.resource(of: table) }
  }

  private func written(at place: WrittenPlace, _ resource: () -> Resource) -> WrittenResource {
    if let known = written.withLock({ $0[place] }) { return known }
    let made = WrittenResource(resource(), in: model)
    return written.withLock { written in
      let first = written[place] ?? made
      written[place] = first
      return first
    }
  }

  /// Returns a planner of requests to the model.
  ///
  /// - Parameter check: Throws if planning must stop.
  func planner(limits: PlanningLimits, check: @escaping () throws -> Void) -> Planner {
    Planner(model: model, dialect: dialect, limits: limits, check: check)
  }

  /// Returns the version that a principal sees: a model without what its roles may not see, and separate plans.
  ///
  /// - Parameter isCautious: Whether rules must not fail for records for which they can't be computed; otherwise they are
  ///   written so only if one has failed before.
  func seen(by principal: Principal, cautiously isCautious: Bool = false) -> ModelVersion {
    guard let roles = principal.roles, let vocabulary else { return self }
    let known = roles.intersection(vocabulary.roles)
    if let view = views.withLock({ $0.byRoles[known] }) { return view.tested(cautiously: isCautious) }
    let grants = model.grants(of: known)
    let view = makingViews.value(for: grants, known: { views.withLock { $0.byGrants[grants] } }) {
      let view = self.view(model.seen(by: known))
      views.withLock { $0.add(view, known, grants) }
      return view
    }
    views.withLock { $0.add(view, known, grants) }
    return view.tested(cautiously: isCautious)
  }

  /// Whether its rules don't fail.
  var isCautious: Bool { model.testsRulesCautiously }

  private func tested(cautiously isNeeded: Bool) -> ModelVersion {
    guard !fallibleRules.isEmpty, !isCautious else { return self }
    return caution.withLock { caution in
      guard isNeeded || caution.isPreferred else { return self }
      if let version = caution.version { return version }
      var model = model
      model.testsRulesCautiously = true
      let version = view(model)
      caution.version = version
      return version
    }
  }

  /// Makes later requests use rules that don't fail, since one has failed; returns false if they do so already.
  func preferCaution() -> Bool {
    caution.withLock { caution in
      defer { caution.isPreferred = true }
      return !caution.isPreferred
    }
  }

  /// Returns the version whose records leave out the columns that a transaction's role of the database may not read.
  func readable(by role: DatabaseRole?, in source: any SchemaSource) throws -> ModelVersion {
    guard dialect.hasColumnPrivileges else { return self }
    let name = ExactName(role?.name ?? "")
    if let known = databaseRoles.withLock({ $0.byName[name] }) { return known ?? self }
    let withheld = try source.withheldColumns()
    guard !withheld.isEmpty else {
      databaseRoles.withLock { $0.add(nil, name, withheld) }
      return self
    }
    let version = makingReadable.value(
      for: withheld, known: { databaseRoles.withLock { $0.byWithheld[withheld] } }
    ) {
      let version = self.view(model.leavingOut(withheld))
      databaseRoles.withLock { $0.add(version, name, withheld) }
      return version
    }
    databaseRoles.withLock { $0.add(version, name, withheld) }
    return version
  }

  private func view(_ model: Model) -> ModelVersion {
    ModelVersion(schemaVersion: schemaVersion, number: number, model: model, dialect: dialect, planCache)
  }

  /// Returns the version for a role of the database, as far as it is known.
  func readable(by role: DatabaseRole?) -> ModelVersion {
    (databaseRoles.withLock { $0.byName[ExactName(role?.name ?? "")] } ?? nil) ?? self
  }

  /// Returns the OpenAPI document of the model, which is created on first use.
  ///
  /// - Parameter make: Creates the document, always the same one.
  func openAPI(_ make: (Model) -> [UInt8]) -> Representation {
    if let document = openAPI.withLock({ $0 }) {
      return Representation(MediaType.json.rawValue, document.bytes, tag: document.tag)
    }
    let bytes = make(model)
    let representation = Representation(MediaType.json.rawValue, bytes)
    openAPI.withLock { $0 = Document(bytes: bytes, tag: representation.tag) }
    return representation
  }

  private struct Document {
    let bytes: [UInt8]
    let tag: ContentHash.Digest
  }
}
