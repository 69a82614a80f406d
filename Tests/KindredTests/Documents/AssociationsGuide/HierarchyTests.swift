import Kindred
import Testing

private struct Person: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
  static let country = belongsTo(Country.self)
}

private struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
}

private struct CoverImage: Codable, FetchableRecord, TableRecord {
  var path: String
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  static let author = belongsTo(Person.self, using: ForeignKey(["authorId"]))
  static let translator = belongsTo(Person.self, using: ForeignKey(["translatorId"]))
  static let coverImage = hasOne(CoverImage.self)
}

private struct BookInfo: FetchableRecord, Decodable {
  struct PersonInfo: Decodable {
    var person: Person
    var country: Country?
  }
  var book: Book
  var authorInfo: PersonInfo
  var translatorInfo: PersonInfo?
  var coverImage: CoverImage?
}

extension BookInfo {
  static func all() -> QueryInterfaceRequest<BookInfo> {
    Book.including(optional: Book.coverImage)
      .including(
        required: Book.author
          .forKey(CodingKeys.authorInfo)  // (1)
          .including(optional: Person.country)
      )
      .including(
        optional: Book.translator
          .forKey(CodingKeys.translatorInfo)  // (1)
          .including(optional: Person.country)
      )
      .asRequest(of: BookInfo.self)  // (2)
  }
}

@Suite("The guide of associations: records inside of records")
struct HierarchyTests {
  @Test
  func `S185, S194, S195, S196, S344: keys are those of properties; the request is given once`() throws {
    try Databases.people().read { db throws in
      let bookInfos = try BookInfo.all().fetchAll(db)  // [BookInfo]
      #expect(bookInfos.map(\.authorInfo.person.name) == ["Herman Melville", "Jules Verne", "Anon"])
      #expect(bookInfos.map(\.authorInfo.country?.code) == ["US", "FR", nil])
      #expect(bookInfos.map(\.translatorInfo?.person.name) == ["Jean Giono", nil, nil])
      #expect(bookInfos.map(\.translatorInfo?.country?.code) == ["FR", nil, nil])
      #expect(bookInfos.map(\.coverImage?.path) == ["moby-dick.jpg", nil, nil])
      try expectSQL(
        BookInfo.all(), db,
        """
        SELECT book.*, coverImage.*, person.*, country.*, person2.*, country2.*
        FROM book
        LEFT JOIN coverImage ON coverImage.bookId = book.id
        JOIN person ON person.id = book.authorId
        LEFT JOIN country ON country.code = person.countryCode
        LEFT JOIN person AS person2 ON person2.id = book.translatorId
        LEFT JOIN country AS country2 ON country2.code = person2.countryCode
        """)
    }
  }
}
