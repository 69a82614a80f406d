import KindredPlanning
import KindredBackend
import KindredOutput
import KindredRequests

/// The state of the database that a transaction shows, as far as it is known.
struct ShownState {
  let database: ReadDatabase
  let transaction: any Transaction
  /// Identifies the model among all that have been read.
  let model: ModelIdentity
  /// The number of the state before the snapshot of a reading transaction was taken; nil if it is unknown.
  let before: Int64?

  init(
    of transaction: any Transaction, in database: ReadDatabase, _ version: ModelVersion,
    _ context: ServiceContext,
    before: Int64? = nil
  ) {
    self.database = database
    self.transaction = transaction
    self.before = before
    model = ModelIdentity(source: context.models(of: database).identity, number: version.number)
  }

  /// The number of the snapshot's state, or of an earlier one; nil if it is unknown.
  var number: Int64? {
    guard let reading = transaction as? any ReadTransaction, reading.isOfWatchedServer else { return nil }
    return reading.observedState ?? before
  }

  /// The tables that a result depends on; nil if they are unknown, or if it depends on something else too.
  func tables(of planned: PlannedRequest) -> Set<String>? {
    try? planned.plan.readTables.find { try transaction.tables(readBy: planned.plan.plan) }
  }

  /// The state of the tables that a result shows: as long as their state has this number, the result is the same.
  ///
  /// Nil if it is unknown, if others have changed them since the snapshot, if the transaction itself may have, or if the
  /// result depends on something else too.
  func number(of planned: PlannedRequest) -> Int64? {
    guard planned.isTimeless else { return nil }
    let tables = tables(of: planned)
    if let writing = transaction as? any WriteTransaction {
      guard let number = try? writing.stateNumber(of: tables) else { return nil }
      return tables.map { lastChange(of: $0, until: number) } ?? number
    }
    guard let number else { return nil }
    guard let tables else {
      return (transaction as? any ReadTransaction)?.shows(state: number) ?? false ? number : nil
    }
    return lastChange(of: tables, until: number)
  }

  private func lastChange(of tables: Set<String>, until number: Int64) -> Int64? {
    database.tableStates.lastChange(of: tables).flatMap { $0 <= number ? $0 : nil }
  }

  /// Returns a tag for content that is too long to be hashed: it changes with the tables that the content depends on.
  func tag(of planned: PlannedRequest, _ records: RecordsQuery) -> ContentHash.Digest {
    var text = ListBytes()
    RepresentationCache.Key(records).append(to: &text)
    text.append(String(model.source))
    text.append(String(model.number))
    if let state = number(of: planned) {
      text.append(String(state))
    } else {
      text.append("unknown \(UInt64.random(in: .min ... .max))")
    }
    var hash = ContentHash()
    text.bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }
}

/// Identifies a model among all that have been read while the server runs, and in other runs.
struct ModelIdentity: Equatable {
  /// A random number of the source.
  let source: UInt64
  /// The number of the model among those of the source.
  let number: Int
}
