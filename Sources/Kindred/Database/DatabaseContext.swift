import Synchronization

/// The state that all accesses to one database share.
final class DatabaseContext: Sendable {
  /// The observers of commits.
  let observers = ObserverRegister()
  /// The observers of transactions.
  let transactionObservers = TransactionObservers()
  /// Reports the errors that no closure can receive.
  let lostErrors = LostErrors()
  /// The accesses that are under way.
  let running = RunningAccesses()
  /// The accesses that are under way, by their threads.
  let current = CurrentAccesses()
  /// Runs asynchronous read accesses, and the fetches of observations.
  let reads: AccessQueue
  /// Runs asynchronous write accesses.
  let writes: AccessQueue
  /// The SQL that has been made for record types.
  let recordStatements = RecordStatements()

  private let committedSchema = Mutex<DatabaseSchema?>(nil)

  /// The settings with which the database was opened.
  let configuration: Configuration

  /// Creates the state of a database.
  ///
  /// - Parameters:
  ///   - configuration: The settings with which the database was opened.
  ///   - readers: The number of reading connections in addition to the writing one; nil if there is only one
  ///     connection.
  init(_ configuration: Configuration = Configuration(), readers: Int? = nil) {
    self.configuration = configuration
    writes = AccessQueue(
      width: 1, qos: configuration.qos, target: configuration.writeTargetQueue ?? configuration.targetQueue)
    let reads = readers.map {
      AccessQueue(width: $0, qos: configuration.qos, target: configuration.targetQueue)
    }
    self.reads = reads ?? writes
  }

  /// Returns the schema of a version, if it has been read.
  func schema(version: DatabaseSchema.Version) -> DatabaseSchema? {
    committedSchema.withLock { $0?.version == version ? $0 : nil }
  }

  /// Forgets the schema, which is read again when it is needed.
  func forgetSchema() { committedSchema.withLock { $0 = nil } }

  /// Keeps a committed schema for other accesses, unless it contains tables that only one connection has.
  func keep(_ schema: DatabaseSchema) {
    guard schema.version.own == nil else { return }
    committedSchema.withLock { $0 = schema }
  }
}
