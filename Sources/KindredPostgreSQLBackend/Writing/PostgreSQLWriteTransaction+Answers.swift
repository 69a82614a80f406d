import KindredBackend
import KindredPostgreSQL

/// The connection's user owns the answers of all roles.
extension PostgreSQLWriteTransaction {
  private var table: KeptAnswersTable { backend.keptAnswers }

  /// Runs `body`, for whose missing privileges no client is to blame.
  private func bookkeeping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as PostgreSQLError where error.state == .forbidden {
      error.isOfBookkeeping = true
      error.advice =
        "an Idempotency-Key needs the table \(BookkeepingName.answers), which the database user must be allowed to read and write, "
        + "and to create where it is missing; grant CREATE on the first schema of its search path until the table exists"
      throw error
    } catch let error as PostgreSQLError where error.state == .unknownTable || error.state == .unknownColumn {
      // It has been dropped or replaced.
      table.forget()
      throw Self.overtaken(error)
    }
  }

  func keptAnswer(_ key: KeptAnswer.Key, since time: Int64) throws -> KeptAnswer? {
    try bookkeeping {
      let found = try lookUp(key)
      guard let found, found.time > time else {
        expiredKey = found == nil ? nil : key
        return nil
      }
      // The answer may be of a commit that a standby has not confirmed yet. With a record in the log, this transaction's own
      // COMMIT waits until all before it has been confirmed.
      _ = try asUser { try run([Self.mark]) }
      return found
    }
  }

  private static let mark = Query("SELECT pg_logical_emit_message(true, 'kindred', '')")

  /// Returns the answer under a key, whenever it was kept.
  ///
  /// It is read before the transaction begins: in it, reading would conflict with other writes with keys. If another one
  /// keeps an answer meanwhile, the primary key makes this transaction run again.
  private func lookUp(_ key: KeptAnswer.Key) throws -> KeptAnswer? {
    guard let name = try table.find({ try beforeBeginning($0) }) else { return nil }
    let rows = try beforeBeginning(
      Query(
        "SELECT \(KeptAnswer.columns) FROM \(name) WHERE principal = $1 AND key = $2",
        [Array(key.principal.utf8), Array(key.text.utf8)]))
    return Rows(rows).values.first.flatMap { KeptAnswer($0) }
  }

  func keep(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws {
    try bookkeeping { try asUser { try store(answer, under: key) } }
  }

  private func store(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws {
    let name = try table.find { try run([$0])[0] } ?? createTable()
    if let expiredKey {
      let values = [expiredKey.principal, expiredKey.text].map { Array($0.utf8) }
      _ = try run([Query("DELETE FROM \(name) WHERE principal = $1 AND key = $2", values)])
    }
    do {
      _ = try run([
        Query(
          """
          INSERT INTO \(name) (principal, key, \(KeptAnswer.columns))
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
          """, answer.row(under: key).map(\.postgreSQLText))
      ])
    } catch let error as PostgreSQLError where error.state == .uniqueViolation {
      throw Self.overtaken(error)
    }
  }

  /// Creates the table, and returns its name.
  private func createTable() throws -> String {
    do {
      _ = try run(KeptAnswersTable.creation)
    } catch let error as PostgreSQLError where PostgreSQLError.State.duplicates.contains(error.state) {
      throw Self.overtaken(error)
    }
    return BookkeepingName.answers
  }

  /// Another transaction has created the table, or kept an answer under the key: this one runs again, and finds it.
  private static func overtaken(_ error: PostgreSQLError) -> PostgreSQLError {
    PostgreSQLError(.serializationFailure, error.message)
  }

  /// They are removed outside of this transaction, which would conflict with all others that keep answers.
  func removeKeptAnswers(until time: Int64) throws {
    table.removeExpired(until: time, of: backend)
  }
}

extension PostgreSQLError.State {
  fileprivate static let uniqueViolation: Self = "23505"
  /// Another transaction has created the same table: its name, or that of its type or index.
  fileprivate static let duplicates: Set<Self> = [uniqueViolation, "42P07", "42710"]
}
