import KindredModel
import KindredPlanning
import KindredSQLiteDialect
import KindredSQLSyntax
import Synchronization

/// The plans of requests by their shapes, for one schema.
final class RequestPlanCache: Sendable {
  /// What is known of a shape.
  private enum Entry: Sendable {
    /// One request has had it, as most shapes are never seen again.
    case seen
    /// Its plan, with the numbers of values.
    case planned(Planned)
    /// Its statements depend on its values.
    case dependsOnValues
  }

  private struct State {
    var version: DatabaseSchema.Version?
    var entries: [[UInt8]: Entry] = [:]
  }

  /// The maximum number of shapes, and of the bytes of one.
  private static let capacity = (shapes: 500, bytes: 16_384)

  private let state = Mutex(State())

  private func entry(_ shape: [UInt8], _ version: DatabaseSchema.Version) -> Entry? {
    state.withLock { $0.version == version ? $0.entries[shape] : nil }
  }

  private func keep(_ entry: Entry, _ shape: [UInt8], _ version: DatabaseSchema.Version) {
    guard shape.count <= Self.capacity.bytes else { return }
    state.withLock { state in
      if state.version != version { state = State(version: version) }
      if state.entries.count >= Self.capacity.shapes {
        state.entries = state.entries.filter { if case .planned = $1 { true } else { false } }
        if state.entries.count > Self.capacity.shapes / 2 { state.entries = [:] }
      }
      state.entries[shape] = entry
    }
  }

  // MARK: Planning

  /// Returns a request with its plan, which is made unless one of the same shape is known.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, `RequestError`.
  func request(_ blueprint: RequestBlueprint, on db: Database) throws -> PlannedRequest {
    let (planned, values) = try planned(blueprint, for: .rows, on: db)
    guard case .rows(let shape) = planned else { throw DatabaseError.misuse("a plan without rows") }
    return try PlannedRequest(shape, values: values, on: db)
  }

  /// Returns the statement that counts or writes the records of a request, and the values that it binds; nil for a write
  /// that has to find its records first.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`, `RequestError`.
  func statement(
    _ blueprint: RequestBlueprint, for purpose: RequestPurpose, on db: Database
  ) throws -> (text: StatementText, values: [SQLValue])? {
    let (planned, values) = try planned(blueprint, for: purpose, on: db)
    switch planned {
    case .rows: throw DatabaseError.misuse("a plan of rows")
    case .subqueries: return nil
    case .statement(let statement):
      try db.prepare(statement.transients)
      return (statement.text, try statement.bound(values))
    }
  }

  private func planned(
    _ blueprint: RequestBlueprint, for purpose: RequestPurpose, on db: Database
  ) throws -> (Planned, [SQLValue]) {
    let version = try db.versionOfSchema
    var shape = RequestShape(of: blueprint, for: purpose)
    if case .planned(let known)? = known(shape, version) { return (known, shape.values) }
    let resolver = try BlueprintResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    if !shape.isComplete {
      shape = RequestShape(of: &request, for: purpose, numbersValues: false)
      if case .planned(let known)? = known(shape, version) { return (known, shape.values) }
    }
    let planner = Planner(model: resolver.model, dialect: .sqlite)
    let plan = try planner.plan(request, for: purpose)
    let planned = try plan.planned(on: db)
    if shape.isComplete {
      switch entry(shape.bytes, version) {
      case nil: keep(shape.values.isEmpty ? .planned(planned) : .seen, shape.bytes, version)
      case .seen:
        keep(try Self.entry(for: request, shape, purpose, plan, planner, db), shape.bytes, version)
      case .planned, .dependsOnValues: break
      }
    }
    return (planned, [])
  }

  private func known(_ shape: RequestShape, _ version: DatabaseSchema.Version) -> Entry? {
    shape.isComplete ? entry(shape.bytes, version) : nil
  }

  /// Returns what is known of the shape of a request.
  ///
  /// Whether the statements of a plan are the same for other values is found out by planning it with their numbers.
  private static func entry(
    for request: KindredModel.FetchRequest, _ shape: RequestShape, _ purpose: RequestPurpose,
    _ plan: PurposePlan, _ planner: Planner, _ db: Database
  ) throws -> Entry {
    var numbered = request
    let numbers = RequestShape(of: &numbered, for: purpose, numbersValues: true)
    guard numbers.isComplete, numbers.values == shape.values else { return .dependsOnValues }
    // Numbers differ where values must be equal, such as those of a common table that is given twice.
    guard let other = try? planner.plan(numbered, for: purpose), !other.readsLiterals,
      other.transients == plan.transients, other.unnumberedSQL == plan.unnumberedSQL
    else { return .dependsOnValues }
    return .planned(try other.planned(on: db))
  }
}
