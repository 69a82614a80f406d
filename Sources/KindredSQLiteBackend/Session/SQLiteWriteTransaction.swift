import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredSQLite

/// The writing connection in a transaction, or in a savepoint of a shared one.
final class SQLiteWriteTransaction: WriteTransaction, SQLiteTransaction {
  let connection: Connection
  let schemaVersion: Int64
  private let watcher: StateWatcher

  init(_ connection: Connection, _ watcher: StateWatcher) throws {
    self.connection = connection
    self.watcher = watcher
    schemaVersion = try connection.schemaVersion
  }

  var isOpen: Bool { connection.isInTransaction }
  let beginsWithCommittedSchema = false
  let checksEachStatement = false

  /// Others can't commit while it is open.
  func stateNumber(of tables: Set<String>?) -> Int64? {
    connection.hasChanged(tables) ? nil : watcher.current
  }

  func rows(of statement: ExecutableStatement, _ parameters: Parameters) throws -> [[SQLValue]] {
    try connection.tellingExhaustedKeys { try connection.rows(of: statement, parameters) }
  }

  func records(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [[SQLValue]] {
    try connection.records(lookup, parameters)
  }

  func rolledBack<Result>(_ body: () throws -> Result) throws -> Result { try connection.rolledBack(body) }

  var violatesForeignKeys: Bool { connection.foreignKeys.areViolated }

  func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result {
    // A deferred key that is violated may be corrected later, and is checked by the commit. Until then SQLite has to check
    // the others at once: it counts their violations apart, and forgets them with the setting.
    guard !connection.foreignKeys.areViolated else { return try body() }
    try connection.foreignKeys.setDeferred(true)
    defer { try? connection.foreignKeys.setDeferred(false) }
    let result = try body()
    try connection.foreignKeys.check()
    return result
  }

  /// Records are never written together.
  func setDeadline(_ nanoseconds: UInt64?, records count: Int) { connection.setDeadline(nanoseconds) }

  func insertion(of columns: [Column], into table: Table) throws -> any RecordInsertion {
    let change = TableChange.insertion(of: columns.map(\.name).exact, returning: [])
    return SQLiteInsertion(try connection.prepare(table.statement(change, dialect: dialect).sql), connection)
  }
}

/// A prepared INSERT.
private final class SQLiteInsertion: RecordInsertion {
  private let statement: Statement
  private let connection: Connection

  init(_ statement: Statement, _ connection: Connection) {
    self.statement = statement
    self.connection = connection
  }

  func bind(_ value: SQLValue, at index: Int) throws { try statement.bind(value, at: Int32(index + 1)) }

  func bind(text: UnsafeRawBufferPointer, at index: Int) throws {
    try statement.bind(text: text, at: Int32(index + 1))
  }

  func run() throws -> Bool {
    defer { statement.reset() }
    _ = try connection.tellingExhaustedKeys { try statement.step() }
    return connection.changes > 0
  }
}

// MARK: - Answers

extension SQLiteWriteTransaction {
  func keptAnswer(_ key: KeptAnswer.Key, since time: Int64) throws -> KeptAnswer? {
    guard try BookkeepingTable.idempotency.existsUnlessTaken(on: connection) else { return nil }
    return try connection.rows(
      """
      SELECT \(KeptAnswer.columns) FROM kindred_idempotency
      WHERE principal = ?1 AND key = ?2 AND time > ?3
      """, [.text(key.principal), .text(key.text), .integer(time)]
    ) { KeptAnswer($0.row) }.first ?? nil
  }

  func keep(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws {
    try BookkeepingTable.idempotency.create(on: connection)
    _ = try connection.rows(
      """
      INSERT INTO kindred_idempotency (principal, key, \(KeptAnswer.columns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """, answer.row(under: key)
    ) { _ in }
  }

  func removeKeptAnswers(until time: Int64) throws {
    guard try BookkeepingTable.idempotency.exists(on: connection) else { return }
    _ = try connection.rows("DELETE FROM kindred_idempotency WHERE time <= ?1", [.integer(time)]) { _ in }
  }
}
