import Foundation
import Kindred
import KindredRemote
import Testing

@Suite("The documents about databases on servers")
struct DocumentTests {
  private struct Author: Codable, FetchableRecord, TableRecord, Equatable {
    static let books = hasMany(Book.self)
    var name: String
  }

  private struct Book: Codable, FetchableRecord, TableRecord, Equatable {
    var title: String
  }

  private struct AuthorInfo: Codable, FetchableRecord, Equatable {
    var author: Author
    var books: [Book]
  }

  @Test
  func `their sample gives the same from a file and from a server`() async throws {
    let library = try ServedLibrary()
    try await library.file.write { db in
      try db.execute(
        sql: """
          ALTER TABLE author ADD COLUMN countryCode TEXT; ALTER TABLE book ADD COLUMN year INTEGER;
          UPDATE author SET countryCode = 'FR' WHERE id = 1; UPDATE book SET year = 2000 - id;
          """)
    }
    let (path, url, token) = (library.file.path, try URL(named: "http://library.example"), "x")
    let transport = library.transport
    func RemoteDatabase(_ url: URL, token: String) -> KindredRemote.RemoteDatabase {
      KindredRemote.RemoteDatabase(url, token: nil, transport: transport)
    }
    // Sample
    func authors(of db: some RequestReader) async throws -> [AuthorInfo] {
      try await db.fetchAll(
        Author.filter(Column("countryCode") == "FR")
          .including(all: Author.books.order(Column("year").desc))
          .asRequest(of: AuthorInfo.self))
    }

    let inFile = try await authors(of: DatabaseQueue(path: path))
    let onServer = try await authors(of: RemoteDatabase(url, token: token))
    // End
    #expect(inFile == onServer && inFile.first?.books.map(\.title) == ["Moby-Dick", "Clarel"])
  }

  @Test(arguments: ["Sources/KindredRemote/KindredRemote.docc/KindredRemote.md", "docs/clients.md"])
  func `the sample is the one that is compiled`(path: String) throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let lines = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "    // Sample"))
    let end = try #require(lines.firstIndex(of: "    // End"))
    let sample = lines[(start + 1)..<end].map { $0.dropFirst(4) + "\n" }.joined()
    let document = try String(contentsOf: top.appending(path: path), encoding: .utf8)
    #expect(document.contains("```swift\n\(sample)```\n"))
  }
}
