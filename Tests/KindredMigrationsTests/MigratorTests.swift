import KindredCryptography
import KindredMigrations
import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("Migrations")
struct MigratorTests {
  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.path("library.sqlite"), access: .readWriteCreate)
  }

  /// Runs the migrations of the directory.
  @discardableResult
  func migrate() throws -> [String] {
    try Migrator(directory: directory.path).migrate(connection).map(\.fileName)
  }

  /// Returns the error that the migrations fail with.
  func failure() -> String? {
    let error = #expect(throws: MigrationError.self) { try migrate() }
    return error?.description.replacing(directory.path + "/", with: "")
  }

  @Test
  func `files are applied in the order of their numbers, and once`() throws {
    try directory.write("INSERT INTO t VALUES (10)", to: "10-ten.sql")
    try directory.write("-- nothing\n", to: "0003-nothing.sql")
    try directory.write("CREATE TABLE t(x); INSERT INTO t VALUES (2);", to: "0002-two.sql")
    try directory.write("not SQL", to: "README.md")
    #expect(try migrate() == ["0002-two.sql", "0003-nothing.sql", "10-ten.sql"])
    #expect(try migrate() == [])
    try directory.write("INSERT INTO t VALUES (11)", to: "0011-eleven.sql")
    #expect(try Migrator(directory: directory.path).pending(on: connection).map(\.number) == [11])
    #expect(try migrate() == ["0011-eleven.sql"])
    #expect(try connection.rows("SELECT x FROM t") == [[.integer(2)], [.integer(10)], [.integer(11)]])
    #expect(
      try connection.rows("SELECT name, length(sha256) FROM kindred_migration WHERE number = 2")
        == [[.text("0002-two.sql"), .integer(64)]])
  }

  @Test
  func `the checksum is SHA-256`() throws {
    let migration = try Migration(fileName: "1-a.sql", sql: "abc")
    #expect(migration.checksum == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test
  func `a changed file stops, before anything is applied`() throws {
    try directory.write("CREATE TABLE t(x)", to: "0001-one.sql")
    try migrate()
    try directory.write("CREATE TABLE t(x) ", to: "0001-one.sql")
    try directory.write("CREATE TABLE u(x)", to: "0002-two.sql")
    #expect(
      failure()
        == "0001-one.sql: was changed after it was applied; restore it, and put the change into a new file"
    )
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT * FROM u") }
  }

  @Test
  func `a missing file stops`() throws {
    try Migrator([Migration(fileName: "0001-one.sql", sql: "CREATE TABLE t(x)")]).migrate(connection)
    #expect(failure() == "0001-one.sql: was applied, but is missing now; restore it")
  }

  @Test
  func `a file that comes late stops`() throws {
    try directory.write("CREATE TABLE t(x)", to: "0002-two.sql")
    try migrate()
    try directory.write("CREATE TABLE u(x)", to: "0001-one.sql")
    #expect(failure()?.hasPrefix("0001-one.sql: comes before 0002-two.sql") == true)
  }

  @Test
  func `a failing file is named with its line and rolled back; those before it stay`() throws {
    try directory.write("CREATE TABLE t(x UNIQUE)", to: "0001-one.sql")
    try directory.write(
      """
      -- a comment; with a semicolon
      INSERT INTO t VALUES (1);

      /* and
         another */ INSERT INTO t
        VALUES (1);
      """, to: "0002-two.sql")
    #expect(failure() == "0002-two.sql:5: UNIQUE constraint failed: t.x")
    #expect(try connection.rows("SELECT * FROM t").isEmpty)
    #expect(try connection.value("SELECT group_concat(number) FROM kindred_migration") == .text("1"))
    #expect(!connection.isInTransaction)
  }

  @Test
  func `a syntax error is placed at its own line`() throws {
    try directory.write("CREATE TABLE t(x);\n\nSELECT x,\n  y\nFORM t;", to: "0001-one.sql")
    #expect(
      failure() == "0001-one.sql:4: no such column: y"
        || failure() == #"0001-one.sql:5: near "t": syntax error"#)
  }

  @Test(arguments: ["BEGIN", "commit", "End", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "/* x */;; COMMIT"])
  func `statements that manage transactions are refused`(statement: String) throws {
    try directory.write("CREATE TABLE t(x);\n\(statement); CREATE TABLE u(x)", to: "0001-one.sql")
    #expect(failure()?.hasPrefix("0001-one.sql:2: ") == true)
    #expect(try connection.value("SELECT count(*) FROM sqlite_schema") == .integer(0))
  }

  @Test
  func `a trigger's BEGIN and END are no transaction`() throws {
    try directory.write(
      "CREATE TABLE t(x); CREATE TRIGGER a AFTER INSERT ON t BEGIN DELETE FROM t; END;", to: "0001-one.sql")
    #expect(try migrate() == ["0001-one.sql"])
  }

  @Test(arguments: ["1-other.sql", "schema.sql", "0002_a.sql"])
  func `two files of one number, and a misnamed one, stop`(name: String) throws {
    try directory.write("", to: "0001-one.sql")
    try directory.write("", to: name)
    #expect(throws: MigrationError.self) { try Migrator(directory: directory.path) }
  }

  @Test
  func `a directory that is not there, and a file that is no text, stop`() throws {
    let missing = directory.path("nowhere")
    let error = #expect(throws: MigrationError.self) { try Migrator(directory: missing) }
    #expect(error?.description == "\(missing): can't be read: No such file or directory")
    try directory.write([0x2D, 0x2D, 0xFF], to: "0001-binary.sql")
    #expect(failure() == "0001-binary.sql: can't be read: it is not UTF-8 text")
  }

  @Test
  func `a table can be rebuilt, as foreign keys are checked at the end of the file`() throws {
    try directory.write(
      "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id, aId REFERENCES a(id) ON DELETE CASCADE);"
        + "INSERT INTO a VALUES (1); INSERT INTO b VALUES (1, 1);", to: "0001-one.sql")
    try directory.write(
      "CREATE TABLE new(id INTEGER PRIMARY KEY, x); INSERT INTO new SELECT id, 0 FROM a;"
        + "DROP TABLE a; ALTER TABLE new RENAME TO a;", to: "0002-two.sql")
    try migrate()
    #expect(try connection.rows("SELECT * FROM b") == [[.integer(1), .integer(1)]])
    #expect(throws: DatabaseError.self) { try connection.execute("INSERT INTO b VALUES (2, 2)") }
  }

  /// Makes tables `a` and `b` with a row of `b` that refers to no row of `a`.
  private func makeOrphan() throws {
    try directory.write(
      "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id, aId REFERENCES a(id));", to: "0001-one.sql")
    try migrate()
    try connection.foreignKeys.setEnforced(false)
    try connection.execute("INSERT INTO b VALUES (1, 7)")
    try connection.foreignKeys.setEnforced(true)
  }

  @Test(arguments: [
    "CREATE TABLE c(x)",
    "CREATE TABLE new(id, aId REFERENCES A(id)); INSERT INTO new(rowid, id, aId) SELECT 5, id, aId FROM b; DROP TABLE b; ALTER TABLE new RENAME TO b",
    "ALTER TABLE b RENAME TO c", "ALTER TABLE a RENAME TO c", "DELETE FROM b",
    "INSERT INTO a VALUES (7); INSERT INTO b VALUES (2, 7)",
  ])
  func `a reference that was broken before stops nothing`(sql: String) throws {
    try makeOrphan()
    try directory.write(sql, to: "0002-two.sql")
    #expect(try migrate() == ["0002-two.sql"])
  }

  @Test(arguments: [
    ("INSERT INTO b VALUES (2, 8)", "row 2 of b", 8), ("UPDATE b SET aId = 8", "row 1 of b", 8),
    ("DELETE FROM b; INSERT INTO b VALUES (2, 8)", "row 1 of b", 8),
    ("INSERT INTO b VALUES (2, 7)", "row 2 of b", 7),
    ("CREATE TABLE c(aId REFERENCES a); INSERT INTO c VALUES (9)", "row 1 of c", 9),
    ("DELETE FROM b; CREATE TABLE c(aId REFERENCES a); INSERT INTO c VALUES (9)", "row 1 of c", 9),
    ("ALTER TABLE b RENAME TO c; UPDATE c SET aId = 8", "row 1 of c", 8),
  ])
  func `a reference that a file breaks stops it, whatever was broken before`(
    sql: String, row: String, target: Int
  ) throws {
    try makeOrphan()
    try directory.write(sql, to: "0002-two.sql")
    #expect(
      failure() == "0002-two.sql: leaves \(row) with a reference to a missing row of a (aId = \(target))")
  }

  @Test
  func `a foreign key that couldn't be checked before stops nothing`() throws {
    try directory.write("CREATE TABLE a(x); CREATE TABLE b(aX);", to: "0001-one.sql")
    try migrate()
    try connection.foreignKeys.setEnforced(false)
    try connection.execute("DROP TABLE b; CREATE TABLE b(aX REFERENCES a(x)); INSERT INTO b VALUES (1)")
    try directory.write("CREATE TABLE c(x)", to: "0002-two.sql")
    #expect(try migrate() == ["0002-two.sql"])
    try directory.write("CREATE TABLE d(x REFERENCES c(x)); INSERT INTO d VALUES (1)", to: "0003-three.sql")
    #expect(failure() == "0003-three.sql: foreign key mismatch - \"d\" referencing \"c\"")
  }

  @Test
  func `what others apply before a file's transaction is compared with all files, as at the start`() throws {
    try directory.write("CREATE TABLE a(x)", to: "0001-one.sql")
    try directory.write("CREATE TABLE b(x)", to: "0002-two.sql")
    let other = try TemporaryDirectory()
    try other.write("CREATE TABLE a(x)", to: "0001-one.sql")
    try other.write("CREATE TABLE c(x)", to: "0002-another.sql")
    var isFirst = true
    let error = #expect(throws: MigrationError.self) {
      try Migrator(directory: directory.path).migrate(connection) { _ in
        guard isFirst else { return }
        isFirst = false
        _ = try? Migrator(directory: other.path).migrate(
          Connection(path: connection.path, access: .readWrite))
      }
    }
    #expect(error?.reason == .changed)
    #expect(try connection.rows("SELECT name FROM sqlite_schema WHERE name = 'b'").isEmpty)
  }

  @Test
  func `each file is reported when it is committed, those before an error too`() throws {
    try directory.write("CREATE TABLE t(x)", to: "0001-one.sql")
    try directory.write("CRATE TABLE u(x)", to: "0002-two.sql")
    var applied: [String] = []
    #expect(throws: MigrationError.self) {
      try Migrator(directory: directory.path).migrate(connection) { event in
        guard case .applied(let migration) = event else { return }
        #expect(!connection.isInTransaction)
        applied.append(migration.fileName)
      }
    }
    #expect(applied == ["0001-one.sql"])
  }

  @Test
  func `a commit that fails is the failure of its file`() throws {
    try connection.execute("PRAGMA max_page_count = 3")
    try directory.write(
      "CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(100000))", to: "0001-one.sql")
    #expect(
      failure()?.hasPrefix("0001-one.sql") == true
        && failure()?.hasSuffix("; free some space, and run the migrations again") == true)
  }

  @Test(arguments: [
    "PRAGMA foreign_keys = ON", "pragma foreign_keys(1)", "PRAGMA main.journal_mode = WAL",
    "PRAGMA /* x */ main . \"journal_mode\" = WAL", "PRAGMA [Foreign_Keys]",
  ])
  func `a pragma without effect is refused by name`(statement: String) throws {
    try directory.write("CREATE TABLE t(x);\n\(statement);", to: "0001-one.sql")
    let error = try #require(failure())
    #expect(error.hasPrefix("0001-one.sql:2: PRAGMA "))
    #expect(error.hasSuffix(" has no effect, because each file is one transaction; remove it"))
    try directory.write("PRAGMA defer_foreign_keys = ON; PRAGMA user_version = 7;", to: "0001-one.sql")
    #expect(try migrate() == ["0001-one.sql"])
  }

  @Test
  func `a byte order mark hides no statement`() throws {
    for statement in ["COMMIT", "PRAGMA foreign_keys = ON"] {
      try directory.write("\u{FEFF}\(statement); CREATE TABLE t(x);", to: "0001-one.sql")
      #expect(failure()?.hasPrefix("0001-one.sql:1: ") == true)
      try directory.write("CREATE TABLE t(x);\n\u{FEFF} /* x */\u{FEFF}\(statement);", to: "0001-one.sql")
      #expect(failure()?.hasPrefix("0001-one.sql:2: ") == true)
    }
    try directory.write("\u{FEFF}CREATE TABLE t(x);", to: "0001-one.sql")
    #expect(try migrate() == ["0001-one.sql"])
  }

  @Test(arguments: [("\n", "\r\n"), ("\r\n", "\n")])
  func `line breaks may change after a file was applied, its text may not`(before: String, after: String)
    throws
  {
    let lines = ["CREATE TABLE t(x);", "CREATE TABLE u(x);"]
    try directory.write(lines.joined(separator: before), to: "0001-one.sql")
    try migrate()
    try directory.write(lines.joined(separator: after), to: "0001-one.sql")
    #expect(try migrate() == [])
    try directory.write(lines.joined(separator: after + after), to: "0001-one.sql")
    #expect(failure()?.hasPrefix("0001-one.sql: was changed") == true)
  }

  @Test
  func `a checksum of former versions, with CRLF, is that of the same file`() throws {
    try directory.write("CREATE TABLE t(x);\r\n", to: "0001-one.sql")
    try migrate()
    try connection.execute(
      "UPDATE kindred_migration SET sha256 = '\(HashFunction.sha256.digest(of: Array("CREATE TABLE t(x);\r\n".utf8)).hexadecimal)'"
    )
    #expect(try migrate() == [])
  }

  @Test
  func `a row that refers to nothing stops`() throws {
    try directory.write(
      "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(aId REFERENCES a); INSERT INTO b VALUES (7);",
      to: "0001-one.sql")
    #expect(failure() == "0001-one.sql: leaves row 1 of b with a reference to a missing row of a (aId = 7)")
    #expect(try connection.value("SELECT count(*) FROM sqlite_schema") == .integer(0))
  }

  @Test
  func `a long script of short statements is no long statement`() throws {
    let sql = "CREATE TABLE t(x);\n" + String(repeating: "INSERT INTO t VALUES (1);\n", count: 50_000)
    try Migrator([Migration(fileName: "0001-one.sql", sql: sql)]).migrate(connection)
    #expect(try connection.value("SELECT count(*) FROM t") == .integer(50_000))
  }
}
