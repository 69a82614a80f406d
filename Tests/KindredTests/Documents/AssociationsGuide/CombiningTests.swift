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

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var title: String
  static let authorForeignKey = ForeignKey(["authorId"])
  static let translatorForeignKey = ForeignKey(["translatorId"])
  static let author = belongsTo(Person.self, using: authorForeignKey)
  static let translator = belongsTo(Person.self, using: translatorForeignKey)
  static let country = hasOne(Country.self, through: author, using: Person.country)
}

@Suite("The guide of associations: combining, filtering and sorting")
struct CombiningTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.people()
  }

  @Test
  func `S114, S337: associations in parallel`() throws {
    // This request can feed the following record:
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Person
      var translator: Person?
    }
    try dbQueue.read { db throws in
      let request =
        Book
        .including(required: Book.author)
        .including(optional: Book.translator)
      let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
      #expect(bookInfos.map(\.author.name) == ["Herman Melville", "Jules Verne", "Anon"])
      #expect(bookInfos.map(\.translator?.name) == ["Jean Giono", nil, nil])
      try expectSQL(
        request, db,
        """
        SELECT book.*, person.*, person2.*
        FROM book
        JOIN person ON person.id = book.authorId
        LEFT JOIN person AS person2 ON person2.id = book.translatorId
        """)
    }
  }

  @Test
  func `S115, S186: associations one behind the other; the author is a Person`() throws {
    // This request can feed the following record:
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Person
      var country: Country?
    }
    try dbQueue.read { db throws in
      let request =
        Book
        .including(
          required: Book.author
            .including(optional: Person.country))
      let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
      #expect(bookInfos.map(\.country?.code) == ["US", "FR", nil])
      try expectSQL(
        request, db,
        """
        SELECT book.*, person.*, country.*
        FROM book
        JOIN person ON person.id = book.authorId
        LEFT JOIN country ON country.code = person.countryCode
        """)
    }
  }

  @Test
  func `S116, S117: the records in between are skipped, by joining or by a through association`() throws {
    // This request can feed the following record:
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var country: Country?
    }
    try dbQueue.read { db throws in
      let joined =
        Book
        .joining(
          optional: Book.author
            .including(optional: Person.country))
      try expectSQL(
        joined, db,
        """
        SELECT book.*, country.*
        FROM book
        LEFT JOIN person ON person.id = book.authorId
        LEFT JOIN country ON country.code = person.countryCode
        """)
      let request = Book.including(optional: Book.country)
      try expectSQL(
        request, db,
        """
        SELECT book.*, country.*
        FROM book
        LEFT JOIN person ON person.id = book.authorId
        LEFT JOIN country ON country.code = person.countryCode
        """)
      for request in [joined, request] {
        let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
        #expect(bookInfos.map(\.country?.code) == ["US", "FR", nil])
      }
    }
  }

  @Test
  func `S263, S264: a required association behind an optional one`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var country: Country?
    }
    try dbQueue.read { db throws in
      // Not implemented in the original
      let request =
        Book
        .joining(
          optional: Book.author
            .including(required: Person.country))
      #expect(try BookInfo.fetchAll(db, request).map(\.country?.code) == ["US", "FR", nil])
      try expectSQL(
        request, db,
        """
        SELECT book.*, country.*
        FROM book
        LEFT JOIN (person JOIN country ON country.code = person.countryCode) ON person.id =
        book.authorId
        """)
    }
  }

  @Test
  func `S119, S120: books by a French author`() throws {
    try dbQueue.read { db throws in
      let frenchAuthor = Book.author.filter(Column("countryCode") == "FR")
      let request = Book.joining(required: frenchAuthor)
      // This request feeds the Book record:
      let books: [Book] = try request.fetchAll(db)
      #expect(books.map(\.title) == ["Paris"])
      try expectSQL(
        request, db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId AND person.countryCode = ?1
        """)
    }
  }

  @Test
  func `S121: novels and poems; the kind is "poems"`() throws {
    struct Author: Codable, FetchableRecord, TableRecord {
      var id: Int64
      static let book = hasMany(Book.self)
    }
    // This request can feed the following record:
    struct AuthorInfo: FetchableRecord, Decodable {
      var author: Author
      var novels: [Book]
      var poems: [Book]
    }
    try Databases.authors().read { db throws in
      let request =
        Author
        .including(
          all: Author.book
            .filter(Column("kind") == "novel")
            .forKey("novels")
        )
        .including(
          all: Author.book
            .filter(Column("kind") == "poems")
            .forKey("poems"))
      let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
      #expect(authorInfos.map { $0.novels.map(\.id) } == [[1], [3], [], [6], [7]])
      #expect(authorInfos.map { $0.poems.map(\.id) } == [[2], [], [], [], []])
    }
  }

  @Test
  func `S125, S126: sorted by the author, and by the book before the author`() throws {
    try dbQueue.read { db throws in
      let sortedAuthor = Book.author.order(Column("name"))
      let byName = Book.including(required: sortedAuthor)
      #expect(try byName.fetchAll(db).map(\.id) == [3, 1, 2])
      try expectSQL(
        byName, db,
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
      #expect(try request.fetchAll(db).map(\.id) == [2, 1, 3])
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
}
