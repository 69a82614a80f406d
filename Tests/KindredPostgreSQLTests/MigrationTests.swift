import KindredModel
import KindredPlanning
import KindredMigrations
import KindredPostgreSQL
import KindredPostgreSQLBackend
import TestSupport
import Testing

@Suite("Migrations of PostgreSQL", .enabled(if: Cluster.isAvailable), .timeLimit(.minutes(5)))
struct MigrationTests {
  let directory: TemporaryDirectory
  let target: ConnectionTarget
  let connection: PostgreSQLConnection

  init() throws {
    directory = try TemporaryDirectory()
    target = try Cluster.database()
    connection = try PostgreSQLConnection(target)
  }

  @discardableResult
  func migrate(isTrial: Bool = false) throws -> [String] {
    let database = PostgreSQLMigrationTarget(try PostgreSQLConnection(target), isTrial: isTrial)
    return try Migrator(directory: directory.path).migrate(database).map(\.fileName)
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
    try directory.write("CREATE TABLE t(x int); INSERT INTO t VALUES (2);", to: "0002-two.sql")
    #expect(try migrate() == ["0002-two.sql", "0003-nothing.sql", "10-ten.sql"])
    #expect(try migrate() == [])
    #expect(try connection.rows("SELECT x FROM t") == [["2"], ["10"]])
    #expect(
      try connection.rows("SELECT number, name, length(sha256) FROM kindred_migration ORDER BY number")
        == [["2", "0002-two.sql", "64"], ["3", "0003-nothing.sql", "64"], ["10", "10-ten.sql", "64"]])
    let statuses = try Migrator(directory: directory.path).status(on: PostgreSQLMigrationTarget(connection))
    #expect(statuses.allSatisfy { $0.appliedAt?.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil })
  }

  @Test
  func `a changed, a missing and a late file stop, before anything is applied`() throws {
    try directory.write("CREATE TABLE t(x int)", to: "0002-two.sql")
    try migrate()
    try directory.write("CREATE TABLE t(x int) ", to: "0002-two.sql")
    try directory.write("CREATE TABLE u(x int)", to: "0003-three.sql")
    #expect(
      failure()
        == "0002-two.sql: was changed after it was applied; restore it, and put the change into a new file")
    try directory.write("CREATE TABLE t(x int)", to: "0002-two.sql")
    try directory.write("CREATE TABLE v(x int)", to: "0001-one.sql")
    #expect(failure()?.hasPrefix("0001-one.sql: comes before 0002-two.sql") == true)
    #expect(try connection.rows("SELECT to_regclass('u'), to_regclass('v')") == [[nil, nil]])
  }

  @Test
  func `a file that fails is undone as a whole, and its error names the line`() throws {
    try directory.write(
      "CREATE TABLE t(x int);\n/* ; */ INSERT INTO t\n  VALUES ('ä', nonsense);\n", to: "0001-one.sql")
    #expect(failure() == "0001-one.sql:3: column \"nonsense\" does not exist")
    try directory.write("CREATE TABLE t(x int PRIMARY KEY);\n\nSELECT 1 / 0;\n", to: "0001-one.sql")
    #expect(failure() == "0001-one.sql:3: division by zero")
    #expect(try connection.rows("SELECT to_regclass('t'), to_regclass('kindred_migration')") == [[nil, nil]])
  }

  @Test
  func `a constraint that the commit checks is the failure of its file`() throws {
    try directory.write(
      """
      CREATE TABLE a(id int PRIMARY KEY);
      CREATE TABLE b(a int REFERENCES a DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO b VALUES (7);
      """, to: "0001-one.sql")
    #expect(
      failure()
        == "0001-one.sql: insert or update on table \"b\" violates foreign key constraint \"b_a_fkey\"")
    #expect(throws: MigrationError.self) { try migrate(isTrial: true) }
  }

  @Test(arguments: [
    ("BEGIN", "BEGIN"), ("start transaction", "START"), ("/* ; -- */ COMMIT", "COMMIT"), ("end", "END"),
    ("ROLLBACK", "ROLLBACK"), ("SAVEPOINT s", "SAVEPOINT"), ("PREPARE TRANSACTION 'x'", "PREPARE"),
  ])
  func `a file can't manage its transaction`(statement: String, keyword: String) throws {
    try directory.write("CREATE TABLE t(x int);\n\(statement);", to: "0001-one.sql")
    #expect(
      failure() == "0001-one.sql:2: \(keyword) is not allowed, because each file is one transaction")
  }

  @Test
  func `semicolons in texts, names, comments and bodies end no statement`() throws {
    try directory.write(
      #"""
      CREATE TABLE "a;b"(x text DEFAULT 'it''s; fine', y text DEFAULT E'\';', n int DEFAULT 1e0);
      /* a /* nested; */ comment; */ -- and; another
      CREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $body$ BEGIN RETURN 1; END; $body$;
      CREATE FUNCTION two(n int) RETURNS int LANGUAGE sql BEGIN ATOMIC
        SELECT CASE WHEN n > 0 THEN 1 ELSE 2 END; SELECT 2;
      END;
      DO $$ BEGIN PERFORM one(); EXECUTE 'SELECT $1' USING 1; END $$;
      CREATE RULE r AS ON DELETE TO "a;b" DO ALSO (SELECT 1; SELECT 2);;
      INSERT INTO "a;b"(n) VALUES (two(1)), ($$;$$::text = ';' AND 1 = 1)
      """#.replacing(", ($$;$$::text = ';' AND 1 = 1)", with: ", (length($q$;$$;$q$))"), to: "0001-one.sql")
    #expect(try migrate() == ["0001-one.sql"])
    #expect(
      try connection.rows(#"SELECT x, y, n FROM "a;b" ORDER BY n"#)
        == [["it's; fine", "';", "2"], ["it's; fine", "';", "4"]])
  }

  @Test
  func `a file runs with the settings of the database, whatever others have set`() throws {
    _ = try connection.rows(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET DateStyle = \"SQL, DMY\"', current_database()); END $$"
    )
    try directory.write(
      "SELECT set_config('search_path', '', false); SET ROLE pg_monitor; CREATE TABLE pg_temp.x(y int);",
      to: "0001-one.sql")
    try directory.write("CREATE TABLE t AS SELECT '02/01/2026'::date AS day", to: "0002-two.sql")
    #expect(try migrate() == ["0001-one.sql", "0002-two.sql"])
    #expect(try connection.rows("SELECT day = '2026-01-02' FROM t") == [["t"]])
  }

  @Test
  func `what can't run in a transaction runs outside, where the first line says so`() throws {
    try directory.write("CREATE TABLE t(x int); INSERT INTO t VALUES (1)", to: "0001-one.sql")
    try directory.write("CREATE INDEX CONCURRENTLY i ON t(x);", to: "0002-two.sql")
    #expect(failure() == "0002-two.sql:1: CREATE INDEX CONCURRENTLY cannot run inside a transaction block")
    try directory.write(
      "-- no transaction\r\nCREATE INDEX CONCURRENTLY i ON t(x);\r\nVACUUM t;\n", to: "0002-two.sql")
    #expect(try migrate(isTrial: true) == ["0002-two.sql"])
    #expect(try migrate() == ["0002-two.sql"])
    #expect(try connection.rows("SELECT to_regclass('i')") == [["i"]])
    try directory.write(
      "-- no transaction\nCREATE TABLE u(x int);\nCREATE TABLE t(x int);", to: "0003-three.sql")
    #expect(
      failure()
        == "0003-three.sql:3: relation \"t\" already exists; the statements before it are committed, as the file is no transaction"
    )
    try directory.write("-- no transaction\nBEGIN;", to: "0003-three.sql")
    #expect(
      failure()
        == "0003-three.sql:2: BEGIN is not allowed, because each statement of this file is a transaction")
  }

  @Test
  func `COPY from the client is refused, not waited for`() throws {
    try directory.write("CREATE TABLE t(x int);\nCOPY t FROM stdin;\n1\n\\.\n", to: "0001-one.sql")
    #expect(failure()?.hasPrefix("0001-one.sql:2: COPY can't read or write the files of the program") == true)
  }

  @Test
  func `a trial applies all files, and leaves nothing`() throws {
    try directory.write("CREATE TABLE t(x int)", to: "0001-one.sql")
    try directory.write("INSERT INTO t VALUES (1)", to: "0002-two.sql")
    #expect(try migrate(isTrial: true) == ["0001-one.sql", "0002-two.sql"])
    #expect(try connection.rows("SELECT to_regclass('t'), to_regclass('kindred_migration')") == [[nil, nil]])
  }

  @Test
  func `of several at once, one applies each file and the others wait`() async throws {
    try directory.write("CREATE TABLE t(x int); SELECT pg_sleep(0.3)", to: "0001-one.sql")
    try directory.write("-- no transaction\nCREATE INDEX CONCURRENTLY i ON t(x)", to: "0002-two.sql")
    try directory.write("INSERT INTO t VALUES (1)", to: "0003-three.sql")
    let (path, target) = (directory.path, target)
    let applied = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let database = PostgreSQLMigrationTarget(try PostgreSQLConnection(target))
          return try Migrator(directory: path).migrate(database).map(\.fileName)
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(applied.sorted() == ["0001-one.sql", "0002-two.sql", "0003-three.sql"])
    #expect(try connection.rows("SELECT x FROM t") == [["1"]])
  }

  @Test
  func `the table of applied migrations is no resource`() throws {
    try directory.write("CREATE TABLE shelf(id int PRIMARY KEY)", to: "0001-one.sql")
    try migrate()
    #expect(try PostgreSQLSchemaReader(connection).schema().tables.map(\.key) == ["shelf"])
  }
}
