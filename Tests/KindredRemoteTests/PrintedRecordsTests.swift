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
  func `requests of them have the same result on a file and on a server`() async throws {
    func results(of db: some RequestReader) async throws -> [Row] {
      let houses = try await db.fetchAll(
        House.annotated(with: House.rooms.count).including(all: House.rooms.order(Column("id")))
          .order(Column("id")).asRequest(of: Row.self))
      let rooms = try await db.fetchAll(
        Room.filter(Column("area") > 1).including(required: Room.house).including(all: Room.guests)
          .order(Column("id")).asRequest(of: Row.self))
      return houses + rooms
    }
    let onServer = try await results(of: remote)
    #expect(onServer == (try await results(of: library.file)) && onServer.count == 4)
    let rooms = try await remote.fetchAll(Room.order(Column("id")))
    #expect(
      rooms.map(\.area) == [10, 1, 9] && rooms.map(\.note) == [7.databaseValue, "x".databaseValue, .null])
    let mill = try await remote.fetchOne(House.filter(key: 1))
    #expect(mill?.addressLine == "Lane 1" && mill?.hasGarden == true && mill?.plan == Data([0, 255]))
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
