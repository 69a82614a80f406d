import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("Statements")
struct StatementTests {
  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.database("CREATE TABLE t(x)"), access: .readWrite)
  }

  @Test(
    arguments: [
      .null, .integer(0), .integer(.min), .integer(.max), .real(0.1), .real(-0.0), .real(.infinity),
      .real(.leastNonzeroMagnitude), .text(""), .text("Moby-Dick"), .text("a\0b"), .text("日本 😀"), .blob([]),
      .blob([0, 255, 254, 0]),
    ] as [SQLValue])
  func `a value comes back as it went in`(value: SQLValue) throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?)")
    try insert.bind(value, at: 1)
    #expect(try !insert.step())
    #expect(try connection.rows("SELECT x FROM t") == [[value]])
  }

  @Test
  func `text that is not UTF-8 comes as its bytes, and as a value with U+FFFD`() throws {
    let statement = try connection.prepare("SELECT CAST(x'61FF62' AS TEXT)")
    #expect(try statement.step())
    #expect(statement.columnType(0) == .text)
    #expect(Array(statement.bytes(0)) == [0x61, 0xFF, 0x62])
    #expect(statement.value(0) == .text("a\u{FFFD}b"))
    #expect(statement.text(0) == "a\u{FFFD}b")
  }

  @Test
  func `the text of a UTF-16 database comes as UTF-8`() throws {
    let connection = try Connection(path: directory.path("utf16.sqlite"), access: .readWriteCreate)
    try connection.execute(
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(x); INSERT INTO t VALUES ('Zürich 😀')")
    let statement = try connection.prepare("SELECT x FROM t")
    #expect(try statement.step())
    #expect(Array(statement.bytes(0)) == Array("Zürich 😀".utf8))
    #expect(statement.value(0) == .text("Zürich 😀"))
  }

  @Test
  func `a column is bound from another statement with its storage class`() throws {
    let values: [SQLValue] = [.null, .integer(7), .real(1.5), .text("a\0b"), .blob([0, 1])]
    let source = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5")
    try source.bind(values)
    #expect(try source.step())
    let target = try connection.prepare("SELECT ?1, ?2, ?3, ?4, ?5")
    for column in 0..<Int32(5) { try target.bind(column: column, of: source, at: column + 1) }
    #expect(try target.step())
    #expect(target.row == values)
  }

  @Test
  func `the empty text and the empty blob are not NULL, whatever their address`() throws {
    let statement = try connection.prepare("SELECT typeof(?1), typeof(?2)")
    try statement.bind(text: UnsafeRawBufferPointer(start: nil, count: 0), at: 1)
    try statement.bind(blob: UnsafeRawBufferPointer(start: nil, count: 0), at: 2)
    #expect(try statement.step())
    #expect(statement.row == [.text("text"), .text("blob")])
  }

  @Test
  func `NaN is NULL`() throws {
    let statement = try connection.prepare("SELECT ?")
    try statement.bind(Double.nan, at: 1)
    #expect(try statement.step())
    #expect(statement.columnType(0) == .null)
    #expect(statement.text(0) == nil)
  }

  @Test
  func `numbers can be read as text, and text as numbers`() throws {
    let statement = try connection.prepare("SELECT 12, '34', 1.5")
    #expect(try statement.step())
    #expect(statement.text(0) == "12")
    #expect(statement.int64(1) == 34)
    #expect(statement.double(2) == 1.5)
    #expect(statement.int64(99) == 0)
  }

  @Test
  func `a statement describes its columns`() throws {
    try connection.execute("CREATE TABLE author(id INTEGER PRIMARY KEY, name VARCHAR(10))")
    let statement = try connection.prepare("SELECT name AS n, id, 1+1 AS two FROM author")
    #expect(statement.columnNames == ["n", "id", "two"])
    #expect((0..<3).map(statement.columnDeclaredType) == ["VARCHAR(10)", "INTEGER", nil])
    #expect(statement.columnName(9) == "")
    #expect(statement.isReadOnly)
    #expect(try !connection.prepare("DELETE FROM author").isReadOnly)
  }

  @Test
  func `a statement counts what it does without an index`() throws {
    try connection.execute("INSERT INTO t VALUES (1), (2), (3)")
    let statement = try connection.prepare("SELECT x FROM t WHERE x > 0 ORDER BY x")
    while try statement.step() {}
    #expect(statement.fullScanSteps == 2)
    #expect(statement.sorts == 1)
    #expect(statement.virtualMachineSteps > 0)
  }

  @Test
  func `a parameter that is not there is an error, not a trap`() throws {
    let statement = try connection.prepare("SELECT ?")
    #expect(statement.parameterCount == 1)
    #expect(throws: DatabaseError.self) { try statement.bind(.integer(1), at: 2) }
    #expect(throws: DatabaseError.self) { try statement.bindNull(at: 0) }
  }

  @Test
  func `a statement outlives its connection`() throws {
    func statement() throws -> Statement {
      try Connection(path: directory.path("library.sqlite"), access: .readOnly).prepare("SELECT 1")
    }
    let orphan = try statement()
    #expect(try orphan.step())
    #expect(orphan.int64(0) == 1)
  }
}
