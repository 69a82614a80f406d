import CKindredSQLite
import Foundation
import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("Opening")
struct OpeningTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns the message for a file that can't be opened, without its path.
  func failure(_ path: String, access: Connection.Access = .readOnly) -> String? {
    let error = #expect(throws: OpenError.self) { try ConnectionPool(path: path, access: access, readers: 1) }
    #expect(error?.description.contains { $0.isNewline } == false)
    return error?.description.replacing(path + ": ", with: "")
  }

  @Test(arguments: [Connection.Access.readOnly, .readWrite, .immutable])
  func `a missing file`(access: Connection.Access) {
    #expect(failure(directory.path("nowhere.sqlite"), access: access) == "no such file; check the path")
    #expect(failure(directory.path("no/where.sqlite"), access: access) == "no such file; check the path")
  }

  @Test
  func `a directory`() {
    #expect(failure(directory.path) == "is a directory; name the database file in it")
  }

  @Test(arguments: ["just text, and long enough to be looked at".utf8, "short".utf8])
  func `something that is no database`(content: String.UTF8View) throws {
    let path = try directory.write(Array(content), to: "x.sqlite")
    #expect(failure(path) == "is not an SQLite database, or is encrypted; check the path")
    #expect(failure(path, access: .readWrite) == "is not an SQLite database, or is encrypted; check the path")
  }

  @Test
  func `a file without content is an empty database`() throws {
    let path = try directory.write("", to: "x.sqlite")
    #expect(try Connection(path: path, access: .readOnly).rows("SELECT * FROM sqlite_schema").isEmpty)
  }

  @Test
  func `a damaged file`() throws {
    let path = try directory.database()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: 100)
    try file.write(contentsOf: Data(repeating: 0x5A, count: 3000))
    try file.close()
    #expect(failure(path)?.hasPrefix("is damaged (") == true)
  }

  @Test(arguments: [
    ("view", "CREATE VIEW later AS SELECT 1 ^ 2", "unrecognized token: \"^\""),
    (
      "trigger", "CREATE TRIGGER later AFTER INSERT ON t BEGIN SELECT 1 ^ 2; END", "unrecognized token: \"^\""
    ),
    ("view", "CREATE VIEW later AS SELECT x FROM t FURTHERMORE LIMIT 1 OF 2", "near"),
  ])
  func `a schema in SQL of a newer SQLite is not called damaged`(type: String, sql: String, token: String)
    throws
  {
    let path = try directory.database("CREATE TABLE t(x)")
    var lax = ConnectionConfiguration.unlimited
    lax.preparations = [
      ConnectionPreparation { connection in
        _ = kindred_sqlite3_db_config(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        try connection.execute("PRAGMA writable_schema = ON")
      }
    ]
    let connection = try Connection(path: path, access: .readWrite, configuration: lax)
    _ = try connection.rows(
      "INSERT INTO sqlite_schema VALUES (?, 'later', 't', 0, ?) RETURNING 1", [.text(type), .text(sql)]
    ) { _ in }
    let message = try #require(failure(path))
    #expect(
      message.hasPrefix("its `later` has SQL that SQLite \(SQLiteLibrary.version) doesn't know"), "\(message)"
    )
    #expect(message.contains(token) && !message.contains("damaged"), "\(message)")
  }

  @Test
  func `a database of SQLite 2 is called so`() throws {
    let path = try directory.write("** This file contains an SQLite 2.1 database **\0\0", to: "old.sqlite")
    #expect(failure(path)?.hasPrefix("is a database of SQLite 2, which") == true)
  }

  @Test
  func `a file that is cut off`() throws {
    let path = try directory.database("CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(50000))")
    try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 4196)
    #expect(failure(path)?.hasPrefix("is damaged (") == true)
  }

  @Test
  func `a file in a directory that is not there can't be made`() {
    #expect(
      failure(directory.path("no/where.sqlite"), access: .readWriteCreate)?.hasPrefix(
        "its directory isn't writable")
        == true)
  }

  @Test
  func `a line feed in the path stays out of the message`() {
    _ = failure(directory.path("a\nb"))
    #expect(OpenError(.missing, path: "a\r\nb").description == "a b: no such file; check the path")
  }

  @Test
  func `a database is put into WAL mode by a writable pool, and left as it is by the others`() throws {
    func mode() throws -> SQLValue? {
      try Connection(path: path, access: .readOnly).value("PRAGMA journal_mode")
    }
    let path = try directory.database()
    _ = try ConnectionPool(path: path, access: .readOnly, readers: 1)
    #expect(try mode() == .text("delete"))
    _ = try ConnectionPool(path: path, access: .readWrite, readers: 1)
    #expect(try mode() == .text("wal"))
  }
}
