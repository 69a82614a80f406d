import KindredAssociations
import KindredExecution
import KindredSQLite
import Synchronization

/// The model of one version of the schema, and the plans that were made with it.
final class ModelVersion: Sendable {
  let schemaVersion: Int64
  let model: Model
  let timelessness: Timelessness
  let plans = PlanCache()

  init(schemaVersion: Int64, model: Model, timelessness: Timelessness) {
    self.schemaVersion = schemaVersion
    self.model = model
    self.timelessness = timelessness
  }
}

/// The model of a database, read anew when the schema changes under the running server.
final class ModelSource: Sendable {
  private let read: @Sendable (Connection) throws -> Model
  private let current = Mutex<ModelVersion?>(nil)

  /// - Parameter read: makes the model of a database as a connection sees it.
  init(read: @escaping @Sendable (Connection) throws -> Model) {
    self.read = read
  }

  /// The model that fits the snapshot of `connection`.
  func version(for connection: Connection) throws -> ModelVersion {
    let schemaVersion = try connection.schemaVersion
    if let version = current.withLock({ $0 }), version.schemaVersion == schemaVersion { return version }
    let version = ModelVersion(
      schemaVersion: schemaVersion, model: try read(connection),
      timelessness: try Timelessness(on: connection))
    current.withLock { $0 = version }
    return version
  }
}

/// Plans by what was asked.
final class PlanCache: Sendable {
  /// A request as parsed, and its plan.
  struct Entry: Sendable {
    var request: ParsedRequest
    var plan: ExecutablePlan
    /// Whether its result follows from the database alone.
    var isTimeless: Bool
  }

  private struct State {
    var entries: [String: (entry: Entry, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
    var hits = 0
    var misses = 0
  }

  private static let capacity = 1024
  private let state = Mutex(State())

  /// How often a plan was found, and how often not.
  var counts: (hits: Int, misses: Int) { state.withLock { ($0.hits, $0.misses) } }

  func entry(for key: String, _ make: () throws -> Entry) throws -> Entry {
    let found = state.withLock { state -> Entry? in
      state.uses += 1
      guard let entry = state.entries[key]?.entry else {
        state.misses += 1
        return nil
      }
      state.hits += 1
      state.entries[key]?.lastUse = state.uses
      return entry
    }
    if let found { return found }
    let entry = try make()
    state.withLock { state in
      if state.entries.count >= Self.capacity {
        // The half that was not used for longest goes at once, so that this is rare.
        let median = state.uses - UInt64(state.entries.count / 2)
        state.entries = state.entries.filter { $0.value.lastUse > median }
        if state.entries.count >= Self.capacity { state.entries.removeAll() }
      }
      state.entries[key] = (entry, state.uses)
    }
    return entry
  }
}
