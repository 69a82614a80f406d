import Foundation
import Kindred
import KindredAPI
import KindredClients
import KindredHTTP
import KindredRemote
import Testing

/// `PrintedRecords.swift` is what `kindred client swift` prints for this database: that it compiles is half of the test.
@Suite("Record types that `kindred client swift` prints")
struct PrintedRecordsTests {
  private let library: ServedLibrary
  private let remote: RemoteDatabase

  init() async throws {
    library = try ServedLibrary()
    remote = try library.remote()
    try await library.file.write { db in
      try db.execute(
        sql: """
          DROP TABLE book; DROP TABLE author;
          CREATE TABLE house (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, "address line" TEXT, hasGarden BOOLEAN NOT NULL, plan BLOB);
          CREATE TABLE room (
            id INTEGER PRIMARY KEY, houseId INTEGER NOT NULL REFERENCES house, width REAL NOT NULL, length REAL NOT NULL,
            area REAL AS (width * length), note);
          CREATE TABLE guest (id TEXT PRIMARY KEY NOT NULL, name TEXT);
          CREATE TABLE stay (roomId INTEGER REFERENCES room, guestId TEXT REFERENCES guest, PRIMARY KEY (roomId, guestId));
          INSERT INTO house VALUES (1, 'Mill', 'Lane 1', 1, x'00FF'), (2, 'Barn', NULL, 0, NULL);
          INSERT INTO room VALUES (1, 1, 2.5, 4, 7), (2, 1, 1, 1, 'x'), (3, 2, 3, 3, NULL);
          INSERT INTO guest VALUES ('a', 'Ann'), ('b', NULL);
          INSERT INTO stay VALUES (1, 'a'), (2, 'b');
          """)
    }
  }

  @Test
  func `the printed types are those of the schema`() throws {
    let response = library.service.respond(to: HTTPRequest(method: .get, target: "/-/schema"))
    guard case .bytes(let json) = response.body else {
      Issue.record("the schema has no content")
      return
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "PrintedRecords.swift")
    #expect(try SwiftRecords(ServerSchema(json: json)).text == String(contentsOf: file, encoding: .utf8))
  }

  @Test
  func `they are written to a file`() async throws {
    let stored = try await library.file.write { db throws in
      try Room(id: 9, houseId: 2, width: 2, length: 5, area: nil, note: "new".databaseValue).insert(db)
      try Guest(id: "c", name: nil).insert(db)
      return try Room.fetchOne(db, key: 9)
    }
    #expect(stored?.area == 10)
    #expect(try await remote.fetchOne(Room.filter(key: 9))?.note == "new".databaseValue)
    #expect(try await remote.fetchCount(Guest.all()) == 3)
  }
}
