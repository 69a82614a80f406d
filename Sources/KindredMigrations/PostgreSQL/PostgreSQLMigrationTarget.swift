import KindredPostgreSQL
import KindredSystem

/// A PostgreSQL database that migrations are applied to.
///
/// Each file is a transaction, unless its first line is `-- no transaction`: then each of its statements is committed by
/// itself. An advisory lock keeps other processes from applying files meanwhile; they wait for it.
public struct PostgreSQLMigrationTarget: MigrationTarget {
  private let connection: PostgreSQLConnection
  /// Whether all is rolled back at the end.
  private let isTrial: Bool

  /// Creates a target.
  ///
  /// - Parameter isTrial: Whether the migrations run in one transaction, which is rolled back at the end; migrations
  ///   that run outside of a transaction are left out.
  public init(_ connection: PostgreSQLConnection, isTrial: Bool = false) {
    (self.connection, self.isTrial) = (connection, isTrial)
  }

  /// The rows of the table, if it exists.
  public var appliedMigrations: [AppliedMigration] {
    get throws {
      guard let table = try table else { return [] }
      let rows = try run(
        """
        SELECT number, name, sha256, to_char("appliedAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
        FROM \(table) ORDER BY number
        """)
      return (0..<rows.rowCount).map { row in
        AppliedMigration(
          number: rows.integer(row, 0) ?? 0, fileName: rows.text(row, 1) ?? "",
          checksum: rows.text(row, 2) ?? "", time: rows.text(row, 3) ?? "")
      }
    }
  }

  /// Calls `body`, in a trial in one transaction.
  public func prepared<Result>(for body: () throws -> Result) throws -> Result {
    guard isTrial else { return try body() }
    try begin()
    // Without this, the end of the connection would undo it too.
    defer { _ = try? run("ROLLBACK") }
    return try body()
  }

  /// Runs a migration while this process holds the lock.
  public func apply(
    _ migration: Migration, if isPending: () throws -> Bool, found: (BrokenReferences) -> Void
  ) throws -> Bool {
    do {
      if isTrial {
        guard try isPending() else { return false }
        return try apply(migration)
      }
      guard migration.isTransaction else {
        return try locked { try isPending() && apply(migration) }
      }
      try begin()
      let isApplied: Bool
      do {
        isApplied = try isPending() && apply(migration)
      } catch {
        // The connection is lost if this fails, and the transaction with it.
        _ = try? run("ROLLBACK")
        throw error
      }
      _ = try run("COMMIT")
      return isApplied
    } catch let error as PostgreSQLError {
      throw MigrationFailure(.failed(error))
    }
  }

  private func apply(_ migration: Migration) throws -> Bool {
    if try table == nil {
      _ = try run(
        """
        CREATE TABLE kindred_migration (
          number bigint PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL,
          "appliedAt" timestamptz NOT NULL DEFAULT now())
        """)
    }
    // By its full name, since a file may change the search path; and its role.
    let name = try table ?? "kindred_migration"
    if migration.isTransaction || !isTrial { try run(migration) }
    if isTrial { _ = try run("SET CONSTRAINTS ALL IMMEDIATE") }
    let values = [String(migration.number), migration.fileName, migration.checksum].map { Array($0.utf8) }
    _ = try connection.run([
      Query("RESET SESSION AUTHORIZATION", isReusable: false), Query("RESET ROLE", isReusable: false),
      Query("INSERT INTO \(name) (number, name, sha256) VALUES ($1, $2, $3)", values, isReusable: false),
    ])
    return true
  }

  /// The table of applied migrations, by its full name; nil if it doesn't exist.
  private var table: String? {
    get throws {
      try run("SELECT to_regclass('kindred_migration')").isNull(0, 0)
        ? nil
        : run(
          """
          SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE c.oid = to_regclass('kindred_migration')
          """
        ).text(0, 0)
    }
  }

  private func run(_ sql: String) throws(PostgreSQLError) -> QueryResult {
    let results = try connection.run([Query(sql, isReusable: false)])
    return results[0]
  }

  // MARK: The lock

  /// The advisory lock's number: `kindred` in ASCII.
  private static let lock = 0x6b_69_6e_64_72_65_64
  /// The microseconds between two attempts.
  ///
  /// A statement that waited would be a transaction that `CREATE INDEX CONCURRENTLY` waits for.
  private static let pause: UInt32 = 100_000

  /// Begins a transaction that holds the lock, with the settings that the connection had at its beginning.
  private func begin() throws {
    while true {
      var queries = [
        Query("BEGIN ISOLATION LEVEL READ COMMITTED", isReusable: false),
        Query("SELECT pg_try_advisory_xact_lock(\(Self.lock))", isReusable: false),
      ]
      // A pooler's session isn't this connection's own.
      if connection.ownsSession { queries.insert(Query("RESET ALL", isReusable: false), at: 1) }
      if try connection.run(queries)[queries.count - 1].isTrue(0, 0) { return }
      _ = try run("ROLLBACK")
      usleep(Self.pause)
    }
  }

  /// Calls `body` while the session holds the lock.
  private func locked<Result>(_ body: () throws -> Result) throws -> Result {
    guard connection.ownsSession else {
      throw MigrationFailure(
        .unsupported(
          "runs outside a transaction, which a connection pooler can't; connect to the server itself"))
    }
    _ = try run("RESET ALL")
    while try !run("SELECT pg_try_advisory_lock(\(Self.lock))").isTrue(0, 0) { usleep(Self.pause) }
    // The end of the connection ends it too.
    defer { _ = try? run("SELECT pg_advisory_unlock(\(Self.lock))") }
    return try body()
  }

  // MARK: Statements

  private func run(_ migration: Migration) throws {
    guard !migration.sql.utf8.contains(0) else {
      throw MigrationFailure(.failed(message: "the SQL contains a NUL character", isFull: false))
    }
    var batch: [PostgreSQLScript.Statement] = []
    var hasCommitted = false
    for statement in PostgreSQLScript(migration.sql) {
      try check(statement, in: migration)
      batch.append(statement)
      guard !migration.isTransaction || batch.count == Self.batchSize else { continue }
      try run(batch, after: hasCommitted)
      hasCommitted = !migration.isTransaction
      batch = []
    }
    try run(batch, after: hasCommitted)
  }

  /// The number of statements that take one round trip.
  private static let batchSize = 100

  private func run(_ statements: [PostgreSQLScript.Statement], after hasCommitted: Bool) throws {
    guard !statements.isEmpty else { return }
    do {
      _ = try connection.run(statements.map { Query($0.text, isReusable: false) })
    } catch {
      let statement = statements[min(error.position ?? 0, statements.count - 1)]
      var reason = MigrationError.Reason.failed(error)
      if hasCommitted, case .failed(let message, let isFull) = reason {
        reason = .failed(
          message: message + "; the statements before it are committed, as the file is no transaction",
          isFull: isFull)
      }
      throw MigrationFailure(reason, line: statement.line(ofCharacter: error.character))
    }
  }

  private func check(_ statement: PostgreSQLScript.Statement, in migration: Migration) throws {
    guard let keyword = statement.words.first else { return }
    if Self.transactionKeywords.contains(keyword) || statement.words.starts(with: ["PREPARE", "TRANSACTION"])
    {
      let reason: MigrationError.Reason =
        migration.isTransaction
        ? .transactionStatement(keyword)
        : .unsupported("\(keyword) is not allowed, because each statement of this file is a transaction")
      throw MigrationFailure(reason, line: statement.line)
    }
    if keyword == "COPY", statement.copiesToClient {
      throw MigrationFailure(
        .unsupported(
          "COPY can't read or write the files of the program; use INSERT, or a file of the server"),
        line: statement.line)
    }
  }

  /// The first words of the statements that manage transactions.
  private static let transactionKeywords: Set = [
    "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE",
  ]
}

extension PostgreSQLScript.Statement {
  /// Whether a COPY reads from the client, or writes to it.
  fileprivate var copiesToClient: Bool {
    text.uppercased().split { !$0.isLetter }.contains { $0 == "STDIN" || $0 == "STDOUT" }
  }
}

extension MigrationError.Reason {
  /// The reason that an error of PostgreSQL is.
  static func failed(_ error: PostgreSQLError) -> MigrationError.Reason {
    .failed(message: error.message, isFull: error.state == .diskFull)
  }
}
