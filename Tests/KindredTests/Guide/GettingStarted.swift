import Foundation
import Kindred
import Testing

@Suite("The guide: getting started")
struct GettingStarted {
  @Test
  func `opening a database`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "library.sqlite").path
    // Sample: open
    let dbQueue = try DatabaseQueue(path: path)  // one connection
    let dbPool = try DatabasePool(path: path)  // readers and one writer
    let memory = DatabaseQueue()  // nothing is kept
    // End
    let databases: [any DatabaseReader] = [dbQueue, dbPool, memory]
    for database in databases {
      #expect(try database.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
    }
  }

  @Test
  func `reading and writing`() async throws {
    let dbQueue = try Library.make()
    try accesses(dbQueue)
    // Sample: async
    let count = try await dbQueue.read { db in try Book.fetchCount(db) }
    // End
    #expect(count == 7)
  }

  private func accesses(_ dbQueue: DatabaseQueue) throws {
    // Sample: accesses
    try dbQueue.write { db in
      try db.execute(
        sql: "INSERT INTO country (code, name) VALUES (?, ?)", arguments: ["IT", "Italy"])
    }
    let names = try dbQueue.read { db in
      try String.fetchAll(db, sql: "SELECT name FROM country ORDER BY name")
    }
    // End
    #expect(names == ["France", "Italy", "United Kingdom", "United States"])
  }

  @Test
  func `a first request`() throws {
    let dbQueue = try Library.make()
    // Sample: first
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
    }

    let infos = try dbQueue.read { db in
      try Author
        .filter(Column("countryCode") == "FR")
        .including(all: Author.books.order(Column("year")))
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    for info in infos {
      print(info.author.name, info.books.map(\.title))
    }
    // End
    #expect(infos.map(\.books.count) == [3])
  }
}
