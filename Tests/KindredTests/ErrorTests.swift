import Foundation
import Kindred
import Testing

@Suite("Errors of SQLite")
struct ErrorTests {
  private let queue = DatabaseQueue()

  /// Returns the error that a script throws.
  private func error(_ sql: String) throws -> DatabaseError? {
    try queue.write { db throws in #expect(throws: DatabaseError.self) { try db.execute(sql: sql) } }
  }

  @Test(arguments: [
    ("SELEKT 1", "SELEKT 1"),
    (
      "SELECT 1; SELECT * FORM t WHERE a = 'x;y' AND b = 1; SELECT 2",
      " SELECT * FORM t WHERE a = 'x;y' AND b = 1;"
    ),
    ("SELECT 1 FORM t x -- no; end\n + 1; SELECT 2", "SELECT 1 FORM t x -- no; end\n + 1;"),
    ("SELECT nothing, 1; SELECT 2", "SELECT nothing, 1;"),
    ("SELECT 'open", "SELECT 'open"),
    ("SELECT \"a;b\", [c;d], `e;f` FROM t;", "SELECT \"a;b\", [c;d], `e;f` FROM t;"),
  ])
  func `an invalid statement is in its error as a whole`(script: String, statement: String) throws {
    let error = try error(script)
    #expect(error?.sql == statement)
    #expect(error?.resultCode == .SQLITE_ERROR)
  }

  @Test
  func `a trigger is in its error up to the statement that is wrong`() throws {
    let error = try error(
      "CREATE TABLE t (a); CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT 1; SELEKT 2; END")
    #expect(error?.sql == " CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT 1; SELEKT 2;")
  }

  @Test(arguments: [
    (" SELECT 1 ; ", "SELECT 1"), ("SELECT 1", "SELECT 1"), ("\n-- one\nSELECT 1;", "-- one\nSELECT 1"),
    ("SELECT ';'", "SELECT ';'"),
  ])
  func `the SQL of a statement is without the white space around it`(sql: String, trimmed: String) throws {
    try queue.read { db throws in #expect(try db.makeStatement(sql: sql).sql == trimmed) }
  }

  @Test
  func `an error of SQLite is an NSError with the extended code`() throws {
    let error = DatabaseError(resultCode: .SQLITE_IOERR_READ, message: "the disk is gone")
    #expect(error.errorCode == 266)
    #expect((error as NSError).domain == "Kindred.DatabaseError")
    #expect((error as NSError).code == 266)
    #expect((error as NSError).localizedDescription == error.description)
    #expect(error.message == "the disk is gone")
  }

  @Test(
    arguments: [
      (ResultCode.SQLITE_IOERR_SHORT_READ, 522), (.SQLITE_CANTOPEN_ISDIR, 526),
      (.SQLITE_READONLY_DIRECTORY, 1544),
      (.SQLITE_ERROR_SNAPSHOT, 769), (.SQLITE_CORRUPT_INDEX, 779),
    ] as [(ResultCode, Int32)])
  func `extended codes have SQLite's numbers`(code: ResultCode, number: Int32) {
    #expect(code.rawValue == number)
    #expect(code.primaryResultCode.rawValue == number & 0xff)
  }

  @Test
  func `a schema has the number that each change increases`() throws {
    try queue.write { db throws in
      let before = try db.schemaVersion()
      try db.execute(sql: "CREATE TABLE t (a)")
      #expect(try db.schemaVersion() == before + 1)
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(try db.schemaVersion() == before + 1)
    }
    #expect(Database.isSQLiteInternalTable("sqlite_sequence") && !Database.isSQLiteInternalTable("player"))
  }

  @Test
  func `a record makes the error of its absence`() throws {
    try queue.write { db throws in
      try Library.createTables(db)
      let image = CoverImage(id: 7, bookId: 1, path: "moby.png")
      #expect(
        image.recordNotFound(db) as? RecordError
          == .recordNotFound(databaseTableName: "coverImage", key: ["id": 7.databaseValue]))
    }
  }
}
