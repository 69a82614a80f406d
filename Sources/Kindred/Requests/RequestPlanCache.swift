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
    /// Its plan, with marks in place of values.
    case planned(PlannedShape)
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
    let version = try db.versionOfSchema
    var shape = RequestShape(of: blueprint)
    if shape.isComplete, let known = try known(shape, version, db) { return known }
    let resolver = try BlueprintResolver(db, blueprint)
    var request = try resolver.request(blueprint)
    if !shape.isComplete {
      shape = RequestShape(of: &request, putsMarks: false)
      if shape.isComplete, let known = try known(shape, version, db) { return known }
    }
    let planner = Planner(model: resolver.model, dialect: .sqlite)
    let plan = try planner.planRows(request)
    let planned = try PlannedShape(plan, on: db)
    if shape.isComplete {
      switch entry(shape.bytes, version) {
      case nil: keep(shape.values.isEmpty ? .planned(planned) : .seen, shape.bytes, version)
      case .seen:
        keep(try Self.entry(for: request, shape, plan, planner, db), shape.bytes, version)
      case .planned, .dependsOnValues: break
      }
    }
    return try PlannedRequest(planned, values: [], on: db)
  }

  private func known(
    _ shape: RequestShape, _ version: DatabaseSchema.Version, _ db: Database
  ) throws -> PlannedRequest? {
    guard case .planned(let known) = entry(shape.bytes, version) else { return nil }
    return try PlannedRequest(known, values: shape.values, on: db)
  }

  /// Returns what is known of the shape of a request.
  ///
  /// Whether the statements of a plan are the same for other values is found out by planning it with marks.
  private static func entry(
    for request: KindredModel.FetchRequest, _ shape: RequestShape, _ plan: Plan, _ planner: Planner,
    _ db: Database
  ) throws -> Entry {
    var marked = request
    let marks = RequestShape(of: &marked, putsMarks: true)
    guard marks.isComplete, marks.values == shape.values else { return .dependsOnValues }
    // Marks differ where values must be equal, such as those of a common table that is given twice.
    guard let other = try? planner.planRows(marked), other.transients == plan.transients,
      other.unnumberedSQL == plan.unnumberedSQL
    else { return .dependsOnValues }
    return .planned(try PlannedShape(other, values: shape.values, on: db))
  }
}

extension Plan {
  /// The texts of the statements without the numbers of their parameters, of which equal values share one.
  fileprivate var unnumberedSQL: [String] {
    let number = /\?[0-9]+/.matchingSemantics(.unicodeScalar)
    return nodes.flatMap { [$0.statement.sql] + ($0.batch.map { [$0.statement.sql] } ?? []) }
      .map { $0.replacing(number, with: "?") }
  }
}
