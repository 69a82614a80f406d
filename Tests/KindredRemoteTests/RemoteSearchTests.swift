import Foundation
import Kindred
import KindredRemote
import Testing

private struct Note: Codable, FetchableRecord, TableRecord, Hashable, Sendable {
  static let remarks = hasMany(Remark.self)
  var id: String
  var text: String
}

private struct Remark: Codable, FetchableRecord, TableRecord, Hashable, Sendable {
  static let note = belongsTo(Note.self)
  var id: Int64
  var noteId: String
  var text: String
}

private struct NoteInfo: Codable, FetchableRecord, Hashable, Sendable {
  var note: Note
  var remarks: [Remark]
}

private struct RemarkInfo: Codable, FetchableRecord, Hashable, Sendable {
  var remark: Remark
  var note: Note?
}

@Suite("Full-text searches on a server")
struct RemoteSearchTests {
  private let library: ServedLibrary
  private let remote: RemoteDatabase
  private let whale: FTS5Pattern

  init() async throws {
    library = try ServedLibrary()
    remote = try library.remote()
    whale = try #require(FTS5Pattern(matchingAllTokensIn: "whale"))
    try await library.file.write { db throws in
      try db.create(table: "note") { t in
        t.primaryKey("id", .text)
        t.column("text", .text)
      }
      try db.create(table: "remark") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("note").notNull()
        t.column("text", .text)
      }
      for table in ["note", "remark"] {
        try db.create(virtualTable: "\(table)Text", using: FTS5()) { t in
          t.synchronize(withTable: table)
          t.column("text")
        }
      }
      try db.execute(
        sql: """
          INSERT INTO note VALUES ('b', 'the white whale'), ('a', 'a whale, a whale'), ('c', 'the sea');
          INSERT INTO remark (noteId, text) VALUES ('a', 'no whale'), ('a', 'no sea'), ('c', 'whale');
          """)
    }
  }

  @Test
  func `matching is the search of a URL, also where the key is a text`() async throws {
    let request = Note.matching(whale).filter(Column("id") > "0").order(Column("id"))
    #expect(
      try await remote.url(of: request).absoluteString.removingPercentEncoding
        == #"http://library.example/notes?fields=id,text&filter=id > '0'&search="whale"&sort=id"#)
    let found = try await remote.fetchAll(request)
    #expect(found.map(\.id) == ["a", "b"])
    #expect(try await library.file.fetchAll(request) == found)
    #expect(try await remote.fetchCount(Note.matching(whale)) == 2)
    #expect(try await remote.fetchAll(Note.matching(nil as FTS5Pattern?)) == [])
  }

  @Test
  func `without an order, the best matches come first`() async throws {
    #expect(try await remote.fetchAll(Note.matching(whale)).map(\.id) == ["a", "b"])
    #expect(try await remote.fetchOne(Note.matching(whale))?.id == "a")
  }

  @Test
  func `a full-text table can be searched itself`() async throws {
    let request = Table("noteText").matching(whale).select(Column("text"), as: String.self)
    #expect(Set(try await remote.fetchAll(request)) == ["the white whale", "a whale, a whale"])
  }

  @Test
  func `associated records are searched, those of collections and single ones`() async throws {
    let notes = Note.including(all: Note.remarks.matching(whale).order(Column("id"))).order(Column("id"))
      .asRequest(of: NoteInfo.self)
    #expect(
      try await remote.url(of: notes).absoluteString.removingPercentEncoding?.contains(
        #"&remarks.search="whale""#)
        == true)
    let found = try await remote.fetchAll(notes)
    #expect(found.map(\.remarks.count) == [1, 0, 1])
    #expect(try await library.file.fetchAll(notes) == found)
    let required = Remark.including(required: Remark.note.matching(whale)).order(Column("id"))
      .asRequest(of: RemarkInfo.self)
    #expect(try await remote.fetchAll(required).map(\.remark.id) == [1, 2])
    #expect(try await library.file.fetchAll(required) == remote.fetchAll(required))
    let optional = Remark.including(optional: Remark.note.matching(whale)).order(Column("id"))
      .asRequest(of: RemarkInfo.self)
    #expect(try await remote.fetchAll(optional).map(\.note?.id) == ["a", "a", nil])
    #expect(try await library.file.fetchAll(optional) == remote.fetchAll(optional))
  }

  @Test
  func `the records of an aggregate can't be searched`() async throws {
    let request = Note.annotated(with: Note.remarks.matching(whale).count).asRequest(of: Row.self)
    await #expect(
      throws: RemoteError.notExpressible("matching(_:) of records that are not in the result")
    ) { try await remote.url(of: request) }
  }
}
