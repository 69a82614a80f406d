import KindredBackend
import KindredPostgreSQL

/// The connection's user owns the answers of all roles.
extension PostgreSQLWriteTransaction {
  private func hasAnswers() throws -> Bool {
    try !run([Query("SELECT to_regclass('\(BookkeepingName.answers)')")])[0].isNull(0, 0)
  }

  /// Runs `body`, for whose missing privileges no client is to blame.
  private func bookkeeping<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try asUser(body)
    } catch var error as PostgreSQLError where error.state == .forbidden {
      error.isOfBookkeeping = true
      error.advice =
        "an Idempotency-Key needs the table \(BookkeepingName.answers), which the database user must be allowed to read and write, "
        + "and to create where it is missing; grant CREATE on the first schema of its search path until the table exists"
      throw error
    }
  }

  func keptAnswer(_ key: KeptAnswer.Key, since time: Int64) throws -> KeptAnswer? {
    try bookkeeping { try answer(key, since: time) }
  }

  private func answer(_ key: KeptAnswer.Key, since time: Int64) throws -> KeptAnswer? {
    guard try hasAnswers() else { return nil }
    let rows = try run([
      Query(
        """
        SELECT \(KeptAnswer.columns) FROM \(BookkeepingName.answers)
        WHERE principal = $1 AND key = $2 AND time > $3
        """, [Array(key.principal.utf8), Array(key.text.utf8), Array(String(time).utf8)])
    ])[0]
    return Rows(rows).values.first.flatMap { KeptAnswer($0) }
  }

  func keep(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws {
    try bookkeeping { try store(answer, under: key) }
  }

  private func store(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws {
    if try !hasAnswers() { try createTable() }
    do {
      _ = try run([
        Query(
          """
          INSERT INTO \(BookkeepingName.answers) (principal, key, \(KeptAnswer.columns))
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
          """, answer.row(under: key).map(\.postgreSQLText))
      ])
    } catch let error as PostgreSQLError where error.state == .uniqueViolation {
      throw Self.overtaken(error)
    }
  }

  private func createTable() throws {
    do {
      _ = try run([
        Query(
          """
          CREATE TABLE IF NOT EXISTS \(BookkeepingName.answers) (
            principal text, key text, fingerprint bytea NOT NULL, time bigint NOT NULL, status integer NOT NULL,
            location text, total bigint, preferences text, tag bytea, content bytea, PRIMARY KEY (principal, key))
          """, isReusable: false)
      ])
    } catch let error as PostgreSQLError where PostgreSQLError.State.duplicates.contains(error.state) {
      throw Self.overtaken(error)
    }
  }

  /// Another transaction has created the table, or kept an answer under the key: this one runs again, and finds it.
  private static func overtaken(_ error: PostgreSQLError) -> PostgreSQLError {
    PostgreSQLError(.serializationFailure, error.message)
  }

  func removeKeptAnswers(until time: Int64) throws {
    try bookkeeping {
      guard try hasAnswers() else { return }
      _ = try run([
        Query("DELETE FROM \(BookkeepingName.answers) WHERE time <= $1", [Array(String(time).utf8)])
      ])
    }
  }
}

extension PostgreSQLError.State {
  fileprivate static let uniqueViolation: Self = "23505"
  /// Another transaction has created the same table: its name, or that of its type.
  fileprivate static let duplicates: Set<Self> = [uniqueViolation, "42P07", "42710"]
}
