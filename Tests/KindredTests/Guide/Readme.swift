import Foundation
import Kindred
import Testing

@Suite("The README's sample in Swift")
struct Readme {
  @Test
  func `it gives what the README's first request gives`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "library.sqlite").path
    try Self.makeLibrary(path)
    // Sample: readme
    struct Author: Codable, FetchableRecord, TableRecord {
      static let books = hasMany(Book.self)

      var name: String
    }

    struct Book: Codable, FetchableRecord, TableRecord {
      var title: String
      var year: Int
    }

    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookCount: Int
      var books: [Book]
    }

    let dbQueue = try DatabaseQueue(path: path)
    let authors = try dbQueue.read { db in
      try Author
        .filter(Column("countryCode") == "FR")
        .annotated(with: Author.books.count)
        .including(all: Author.books.order(Column("year").desc).limit(2))
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    // End
    let hugo = try #require(authors.first)
    #expect(hugo.author.name == "Victor Hugo")
    #expect(hugo.bookCount == 5)
    #expect(hugo.books.map(\.title) == ["Toilers of the Sea", "Les Misérables"])
  }

  private static func makeLibrary(_ path: String) throws {
    let migrations = Samples.top.appending(path: "Migrations")
    let names = try FileManager.default.contentsOfDirectory(atPath: migrations.path).sorted()
    try DatabaseQueue(path: path).write { db in
      for name in names where name.hasSuffix(".sql") {
        try db.execute(sql: String(contentsOf: migrations.appending(path: name), encoding: .utf8))
      }
    }
  }
}
