import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.database(), access: .readWrite)
  }

  @Test(arguments: ["SELECT 1", "SELECT 1;", " ; SELECT 1 -- one\n;; ", "/* ; */ SELECT ';' /* end"])
  func `prepare takes one statement`(sql: String) throws {
    #expect(try connection.prepare(sql).step())
  }

  @Test(arguments: [
    "", " -- nothing", ";;", "SELECT 1; SELECT 2", "SELECT 1; oops", "SELECT 1\0 FROM x", "SELECT 1;\0",
  ])
  func `prepare refuses none, more than one, and a NUL`(sql: String) {
    #expect(throws: DatabaseError.self) { try connection.prepare(sql) }
  }

  @Test
  func `execute runs all statements, and stops at the first error`() throws {
    #expect(throws: DatabaseError.self) {
      try connection.execute(
        "INSERT INTO book(title) VALUES ('a;b'); -- first\nSELECT 1; INSERT INTO nowhere VALUES (1); DELETE FROM book"
      )
    }
    #expect(try connection.rows("SELECT title FROM book") == [[.text("a;b")]])
    #expect(connection.lastInsertRowID == 1)
    #expect(connection.changes == 1)
  }

  @Test
  func `an error tells code, text and place, and no bound value`() throws {
    let syntax = #expect(throws: DatabaseError.self) { try connection.prepare("SELECT id FORM book") }
    #expect(syntax?.code == 1)
    #expect(syntax?.sql == "SELECT id FORM book")
    #expect(syntax?.offset == 15)

    let insert = try connection.prepare("INSERT INTO book VALUES (?, ?)")
    try insert.bind([.integer(4711), .text("secret")])
    _ = try insert.step()
    insert.reset()
    let conflict = #expect(throws: DatabaseError.self) { try insert.step() }
    #expect(conflict?.constraint == .primaryKey)
    #expect(conflict?.isConstraint == true)
    #expect(conflict?.description.contains("4711") == false)
    #expect(conflict?.description.contains("secret") == false)
  }

  @Test
  func `an unknown name in double quotes is an error, not a string`() throws {
    #expect(throws: DatabaseError.self) { try connection.prepare(#"SELECT "nowhere" FROM book"#) }
    var configuration = ConnectionConfiguration()
    configuration.allowsDoubleQuotedStrings = true
    let lenient = try Connection(path: connection.path, access: .readOnly, configuration: configuration)
    #expect(try lenient.value(#"SELECT "nowhere""#) == .text("nowhere"))
  }

  @Test(arguments: [
    "ATTACH 'other.sqlite' AS other", "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
    "SELECT load_extension('x')", "SELECT zeroblob(1 << 27)",
  ])
  func `what SQL could do to the server is refused`(sql: String) {
    #expect(throws: DatabaseError.self) { try connection.execute(sql) }
  }

  @Test
  func `an expression that is too deep, a text that is too long: errors`() {
    let deep = String(repeating: "(1+", count: 5000) + "1" + String(repeating: ")", count: 5000)
    #expect(throws: DatabaseError.self) { try connection.prepare("SELECT " + deep) }
    let long = "SELECT '" + String(repeating: "x", count: 2 << 20) + "'"
    #expect { try connection.prepare(long) } throws: { ($0 as? DatabaseError)?.isTooBig == true }
  }

  @Test
  func `temporary tables can be made on a read-only connection, the others not`() throws {
    let reader = try Connection(path: connection.path, access: .readOnly)
    #expect(reader.isReadOnly)
    try reader.execute("CREATE TEMP TABLE seen(x); INSERT INTO temp.seen VALUES (1)")
    #expect(try reader.value("SELECT x FROM temp.seen") == .integer(1))
    #expect { try reader.execute("DELETE FROM book") } throws: { ($0 as? DatabaseError)?.isReadOnly == true }
  }

  @Test
  func `the versions tell commits of others and changes of the schema`() throws {
    let other = try Connection(path: connection.path, access: .readWrite)
    let (data, schema) = (try connection.dataVersion, try connection.schemaVersion)
    try other.execute("INSERT INTO book(title) VALUES ('x')")
    #expect(try connection.dataVersion != data)
    #expect(try connection.schemaVersion == schema)
    try other.execute("CREATE TABLE author(id)")
    #expect(try connection.schemaVersion != schema)
  }

  @Test
  func `foreign keys are enforced`() throws {
    try connection.execute("CREATE TABLE review(id, bookId REFERENCES book(id))")
    #expect { try connection.execute("INSERT INTO review VALUES (1, 99)") } throws: {
      ($0 as? DatabaseError)?.constraint == .foreignKey
    }
  }

  @Test(arguments: ["a b?immutable=1#%41.sqlite", "file:x", "ü&'\".db"])
  func `a path is a path, whatever is in it`(name: String) throws {
    let path = directory.path(name)
    try Connection(path: path, access: .readWriteCreate).execute("CREATE TABLE t(x)")
    #expect(try Connection(path: path, access: .immutable).rows("SELECT * FROM t").isEmpty)
  }
}
