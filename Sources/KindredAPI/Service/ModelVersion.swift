import KindredAssociations
import KindredExecution
import KindredSQLite
import Synchronization

/// The model of one version of the schema, and what was made with it: plans, and the description of it all.
final class ModelVersion: Sendable {
  let schemaVersion: Int64
  let model: Model
  let timelessness: Timelessness
  let plans: PlanCache
  /// The statements that change records.
  let changes = ChangeStatements()
  /// How records are found for a change.
  let lookups: RecordLookups
  private let openAPI = Mutex<Document?>(nil)

  init(schemaVersion: Int64, model: Model, timelessness: Timelessness, counts: PlanCounts) {
    self.schemaVersion = schemaVersion
    self.model = model
    self.timelessness = timelessness
    plans = PlanCache(counts)
    lookups = RecordLookups(model: model)
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
  private let read: @Sendable (Connection) throws -> Model
  private let current = Mutex<ModelVersion?>(nil)
  /// Of all versions.
  let planCounts = PlanCounts()

  /// - Parameter read: makes the model of a database as a connection sees it.
  init(read: @escaping @Sendable (Connection) throws -> Model) {
    self.read = read
  }

  /// The model that was used last.
  var known: ModelVersion? { current.withLock { $0 } }

  /// The model that fits the snapshot of `connection`.
  func version(for connection: Connection) throws -> ModelVersion {
    try version(connection.schemaVersion, for: connection)
  }

  /// - Parameter schemaVersion: that of the snapshot.
  func version(_ schemaVersion: Int64, for connection: Connection) throws -> ModelVersion {
    if let version = current.withLock({ $0 }), version.schemaVersion == schemaVersion { return version }
    let version = ModelVersion(
      schemaVersion: schemaVersion, model: try read(connection),
      timelessness: try Timelessness(on: connection),
      counts: planCounts)
    current.withLock { $0 = version }
    return version
  }
}
