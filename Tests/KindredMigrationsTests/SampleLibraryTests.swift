import Foundation
import KindredMigrations
import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("The sample library")
struct SampleLibraryTests {
  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.path("library.sqlite"), access: .readWriteCreate)
    let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    try Migrator(directory: package.appending(path: "Migrations").path).migrate(connection)
  }

  @Test
  func `each table has what it should`() throws {
    let expected = [
      "author": 31, "award": 10, "book": 80, "citizen": 13, "citizenship": 18, "country": 15,
      "demographics": 14, "employee": 10, "painting": 12, "passport": 13, "player": 9, "playlist": 3,
      "playlistTrack": 9, "review": 54, "team": 3, "track": 15,
    ]
    for (table, count) in expected {
      #expect(try connection.value("SELECT count(*) FROM \(table)") == .integer(Int64(count)), "\(table)")
    }
  }

  @Test
  func `every foreign key holds, and is searched by an index`() throws {
    #expect(try connection.rows("PRAGMA foreign_key_check").isEmpty)
    let scanned = try connection.rows(
      """
      SELECT m.name, k."from" FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS k
      WHERE NOT EXISTS (
        SELECT 1 FROM pragma_index_list(m.name) AS i, pragma_index_info(i.name) AS c
        WHERE c.seqno = 0 AND c.name = k."from")
      """)
    #expect(scanned == [])
  }

  @Test
  func `the records that the documentation names are there`() throws {
    #expect(
      try connection.rows(
        "SELECT author.name, title, countryCode FROM book JOIN author ON author.id = authorId WHERE book.id IN (1, 7)"
      )
        == [
          [.text("Herman Melville"), .text("Moby-Dick"), .text("US")],
          [.text("Herman Melville"), .text("Billy Budd"), .text("US")],
        ])
    #expect(try connection.value("SELECT count(*) FROM book WHERE authorId = 1") == .integer(2))
    #expect(
      try connection.rows("SELECT * FROM citizenship WHERE citizenId = 12 AND countryCode = 'FR'").count == 1)
  }

  @Test
  func `titles are found, with and without accents, and after every change`() throws {
    func ids(_ pattern: String) throws -> [SQLValue] {
      try connection.rows("SELECT rowid FROM bookText('\(pattern)')").map { $0[0] }
    }
    #expect(try ids("miserables") == [.integer(6)])
    try connection.execute("UPDATE book SET title = 'The Whale' WHERE id = 1")
    #expect(try ids("moby") == [])
    #expect(try ids("whale") == [.integer(1)])
    try connection.execute("INSERT INTO book (id, title) VALUES (99, 'Whales')")
    try connection.execute("DELETE FROM book WHERE id = 1")
    #expect(try ids("whale*") == [.integer(99)])
    try connection.execute("INSERT INTO bookText (bookText, rank) VALUES ('integrity-check', 1)")
  }
}
