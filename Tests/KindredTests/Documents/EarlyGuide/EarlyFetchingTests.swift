import Kindred
import Testing

// Uses the library in which authors and translators have one type, so `Author.country` is `Person.country` here.

private struct Person: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
  static let country = belongsTo(Country.self)
}

private struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
}

private struct CoverImage: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var path: String
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  static let authorForeignKey = ForeignKey(["authorId"])
  static let translatorForeignKey = ForeignKey(["translatorId"])
  static let author = belongsTo(Person.self, using: authorForeignKey)
  static let translator = belongsTo(Person.self, using: translatorForeignKey)
  static let coverImage = hasOne(CoverImage.self)
}

private struct HierarchicalInfo: FetchableRecord, Decodable {
  struct AuthorInfo: Decodable {
    var author: Person
    var country: Country?
  }
  var book: Book
  var authorInfo: AuthorInfo
  var translatorInfo: AuthorInfo?
  var coverImage: CoverImage?
}

extension HierarchicalInfo {
  static func all() -> QueryInterfaceRequest<HierarchicalInfo> {
    return
      Book
      .including(optional: Book.coverImage)
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
      .asRequest(of: HierarchicalInfo.self)  // (2)
  }
}

@Suite("The early guide of associations: combining and fetching")
struct EarlyFetchingTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.people()
  }

  @Test
  func `S114, S115, S116, S118, S358: parallel and chained`() throws {
    try dbQueue.read { db throws in
      try expectSQL(
        Book
          .including(required: Book.author)
          .including(optional: Book.translator), db,
        """
        SELECT book.*, person.*, person2.*
        FROM book
        JOIN person ON person.id = book.authorId
        LEFT JOIN person AS person2 ON person2.id = book.translatorId
        """)
      try expectSQL(
        Book
          .including(
            required: Book.author
              .including(optional: Person.country)), db,
        """
        SELECT book.*, person.*, country.*
        FROM book
        JOIN person ON person.id = book.authorId
        LEFT JOIN country ON country.code = person.countryCode
        """)
      try expectSQL(
        Book
          .joining(
            optional: Book.author
              .including(optional: Person.country)), db,
        """
        SELECT book.*, country.*
        FROM book
        LEFT JOIN person ON person.id = book.authorId
        LEFT JOIN country ON country.code = person.countryCode
        """)
      // Not implemented in the original
      let request =
        Book
        .joining(
          optional: Book.author
            .including(required: Person.country))
      #expect(try request.fetchCount(db) == 3)
    }
  }

  @Test
  func `S119, S120, S125, S126: filtered and sorted`() throws {
    try dbQueue.read { db throws in
      let frenchAuthor = Book.author.filter(Column("countryCode") == "FR")
      try expectSQL(
        Book.joining(required: frenchAuthor), db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId AND person.countryCode = ?1
        """)
      let sortedAuthor = Book.author.order(Column("name"))
      try expectSQL(
        Book.including(required: sortedAuthor), db,
        """
        SELECT book.*, person.*
        FROM book
        JOIN person ON person.id = book.authorId
        ORDER BY person.name
        """)
      let request =
        Book
        .including(required: sortedAuthor)
        .order(Column("publishDate").desc)
      try expectSQL(
        request, db,
        """
        SELECT book.*, person.*
        FROM book
        JOIN person ON person.id = book.authorId
        ORDER BY book.publishDate DESC, person.name
        """)
    }
  }

  @Test
  func `S154, S155: named aliases`() throws {
    let bookAlias = TableAlias(name: "myBook")
    let authorAlias = TableAlias(name: "myAuthor")
    let request = Book.aliased(bookAlias)
      .joining(
        required: Book.author.aliased(authorAlias)
          .filter(sql: "myAuthor.countryCode = ?", arguments: ["FR"])
      )
      .filter(sql: "myBook.publishDate >= myAuthor.deathDate")
    try dbQueue.read { db throws in
      #expect(try request.fetchAll(db).map(\.id) == [2])
      try expectSQL(
        request, db,
        """
        SELECT myBook.*
        FROM book AS myBook
        JOIN person AS myAuthor ON myAuthor.id = myBook.authorId AND (myAuthor.countryCode = ?1)
        WHERE (myBook.publishDate >= myAuthor.deathDate)
        """)
    }
  }

  @Test
  func `S186, S187, S188, S199, S201: decoded flat, by the compiler and by hand`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Person
      var country: Country?
      var coverImage: CoverImage?
    }
    struct RowInfo: FetchableRecord {
      var book: Book
      var author: Person
      var country: Country?
      var coverImage: CoverImage?

      init(row: Row) throws {
        book = try Book(row: row)
        author = try row["author"]
        country = row["country"]
        coverImage = row["coverImage"]
      }
    }
    let request =
      Book
      .including(
        required: Book.author
          .including(optional: Person.country)
      )
      .including(optional: Book.coverImage)
    try dbQueue.read { db throws in
      let bookInfos = try BookInfo.fetchAll(db, request)  // [BookInfo]
      #expect(bookInfos.map(\.country?.code) == ["US", "FR", nil])
      #expect(bookInfos.map(\.coverImage?.id) == [1, nil, nil])
      let rowInfos = try RowInfo.fetchAll(db, request)  // [BookInfo]
      #expect(rowInfos.map(\.country?.code) == ["US", "FR", nil])
      #expect(rowInfos.map(\.author.name) == bookInfos.map(\.author.name))
    }
  }

  @Test
  func `S185, S194, S195, S196: records inside of records`() throws {
    let bookInfos = try dbQueue.read { db in try HierarchicalInfo.all().fetchAll(db) }  // [BookInfo]
    #expect(bookInfos.map(\.authorInfo.country?.code) == ["US", "FR", nil])
    #expect(bookInfos.map(\.translatorInfo?.author.name) == ["Jean Giono", nil, nil])
  }

  @Test
  func `S170, S171, S340: one key for two associations; and one association under two keys`() throws {
    try dbQueue.read { db throws in
      let request =
        Book
        .including(required: Book.author.forKey("firstAuthor"))
        .including(required: Book.author.forKey("secondAuthor"))
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.scopes.names == ["firstAuthor", "secondAuthor"])

      let ambiguous =
        Book
        .including(required: Book.author)  // key "author"
        .including(required: Book.translator.forKey("author"))  // key "author"
      let error = #expect(throws: AssociationError.self) { try ambiguous.fetchAll(db) }
      #expect("\(try #require(error))".hasPrefix("The association key `author` is ambiguous."))
    }
  }
}

@Suite("The early guide of associations: rows")
struct EarlyRowTests {
  private struct Author: TableRecord {
    static let country = belongsTo(Country.self)
  }

  private struct Book: TableRecord {
    static let author = belongsTo(Author.self)
    static let coverImage = hasOne(CoverImage.self)
  }

  @Test
  func `S173, S204, S205, S206, S212, S348: rows tell their tree`() throws {
    let dbQueue = try Databases.mobyDick()
    try dbQueue.write { db throws in
      try db.execute(sql: "INSERT INTO coverImage VALUES (42, 1, 'moby-dick.jpg')")
    }
    let request =
      Book
      .including(
        required: Book.author
          .including(optional: Author.country)
      )
      .including(optional: Book.coverImage)
    try dbQueue.read { db throws in
      let row = try #require(try Row.fetchOne(db, request))  // Row
      #expect(
        row.debugDescription == """
          ▿ [id:1, authorId:2, title:"Moby-Dick"]
            unadapted: [id:1, authorId:2, title:"Moby-Dick", id:2, name:"Herman Melville", countryCode:"US", \
          code:"US", name:"United States of America", id:42, imageId:1, path:"moby-dick.jpg"]
            - author: [id:2, name:"Herman Melville", countryCode:"US"]
              - country: [code:"US", name:"United States of America"]
            - coverImage: [id:42, imageId:1, path:"moby-dick.jpg"]
          """)
      #expect(row.scopes["author"]?.scopes["country"]?["code"] == "US")
    }
  }
}
