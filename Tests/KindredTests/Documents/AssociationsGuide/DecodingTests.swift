import Kindred
import Testing

private struct Author: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
  static let country = belongsTo(Country.self)
  static let books = hasMany(Book.self)
  static let novels =
    books
    .filter(Column("kind") == "novel")
    .forKey("novels")
}

private struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
  var name: String
}

private struct CoverImage: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var path: String?
}

private struct Prize: Codable, FetchableRecord, TableRecord, Hashable {
  var id: Int64
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var title: String
  static let author = belongsTo(Author.self)
  static let coverImage = hasOne(CoverImage.self)
  static let prizes = hasMany(Prize.self)
}

@Suite("The guide of associations: fetching values")
struct DecodingTests {
  @Test
  func `S175, S176, S180, S181, S191, S192, S193: each joining method feeds its kind of property`() throws {
    struct Employee: Codable, FetchableRecord, TableRecord {
      var id: Int64
      static let manager = belongsTo(Employee.self, key: "manager")
    }
    struct EmployeeInfo: FetchableRecord, Decodable {
      var employee: Employee
      var manager: Employee?  // the optional associated manager
    }
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Author  // the required associated author
    }
    struct AuthorInfo: FetchableRecord, Decodable {
      var author: Author
      var books: [Book]  // all associated books
    }
    struct NovelistInfo: FetchableRecord, Decodable {
      var author: Author
      var novels: [Book]
    }
    try Databases.authors().write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE employee (id INTEGER PRIMARY KEY, managerId INTEGER REFERENCES employee);
          INSERT INTO employee VALUES (1, NULL), (2, 1);
          """)
      let employees = Employee.including(optional: Employee.manager)
      let employeeInfos: [EmployeeInfo] = try EmployeeInfo.fetchAll(db, employees)
      #expect(employeeInfos.map(\.manager?.id) == [nil, 1])

      let books = Book.including(required: Book.author)
      let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, books)
      #expect(bookInfos.map(\.author.id) == [1, 1, 2, 2, 4, 5])

      let authors = Author.including(all: Author.books)
      let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, authors)
      #expect(authorInfos.map(\.books.count) == [2, 2, 0, 1, 1])

      let novelists = Author.including(all: Author.novels)
      #expect(try NovelistInfo.fetchAll(db, novelists).map(\.novels.count) == [1, 1, 0, 1, 1])
    }
  }

  private let request =
    Book
    .including(
      required: Book.author
        .including(optional: Author.country)
    )
    .including(optional: Book.coverImage)

  @Test
  func `S172, S174, S187: a tree of keys, decoded flat`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Author
      var country: Country?
      var coverImage: CoverImage?
    }
    try Databases.mobyDick().read { db throws in
      let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
      #expect(bookInfos.map(\.country?.name) == ["United States of America"])
      #expect(bookInfos.map(\.coverImage?.id) == [nil])
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.*, country.*, coverImage.*
        FROM book
        JOIN author ON author.id = book.authorId
        LEFT JOIN country ON country.code = author.countryCode
        LEFT JOIN coverImage ON coverImage.imageId = book.id
        """)
    }
  }

  @Test
  func `S199, S200, S201, S202, S347: a tree of keys, decoded by hand`() throws {
    struct BookInfo: FetchableRecord {
      var book: Book
      var author: Author
      var country: Country?
      var coverImage: CoverImage?

      init(row: Row) throws {
        book = try Book(row: row)
        author = try row["author"]
        country = row["country"]
        coverImage = row["coverImage"]
      }
    }
    try Databases.mobyDick().read { db throws in
      let bookInfos: [BookInfo] = try BookInfo.fetchAll(db, request)
      #expect(bookInfos.map(\.author.name) == ["Herman Melville"])
      #expect(bookInfos.map(\.country?.code) == ["US"])
      #expect(bookInfos.map(\.coverImage?.id) == [nil])

      let row = try #require(try Row.fetchOne(db, Author.all()))
      let name: String = row["name"]
      #expect(name == "Herman Melville")
    }
  }

  @Test
  func `S203: a collection, decoded by hand`() throws {
    struct AuthorInfo: FetchableRecord {
      var author: Author
      var books: [Book]

      init(row: Row) throws {
        author = try Author(row: row)
        books = row["books"]
      }
    }
    let request = Author.including(all: Author.books)
    let authorInfos: [AuthorInfo] = try Databases.authors().read { db in
      try AuthorInfo.fetchAll(db, request)
    }
    #expect(authorInfos.map(\.books.count) == [2, 2, 0, 1, 1])
  }

  @Test
  func `S205, S206, S207, S208, S209, S210, S211: rows tell their tree`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Author  // .including(required: Book.author)
      var country: Country?  // .including(optional: Author.country)
      var coverImage: CoverImage?  // .including(optional: Book.coverImage)
      var prizes: [Prize]  // .including(all: Book.prizes)
    }
    try Databases.mobyDick().read { db throws in
      let request = request.including(all: Book.prizes)
      let rows = try Row.fetchAll(db, request)
      #expect(
        rows[0].debugDescription == """
          ▿ [id:1, authorId:2, title:"Moby-Dick"]
            unadapted: [id:1, authorId:2, title:"Moby-Dick", id:2, name:"Herman Melville", countryCode:"US", \
          code:"US", name:"United States of America", id:NULL, imageId:NULL, path:NULL]
            - author: [id:2, name:"Herman Melville", countryCode:"US"]
              - country: [code:"US", name:"United States of America"]
            - coverImage: [id:NULL, imageId:NULL, path:NULL]
            + prizes: 3 rows
          """)
      #expect(try BookInfo.fetchAll(db, request).map(\.prizes.count) == [3])

      let renamed =
        Book
        .including(optional: Book.author.forKey("writer"))  // customized association key
      #expect(
        try Row.fetchAll(db, renamed)[0].debugDescription == """
          ▿ [id:1, authorId:2, title:"Moby-Dick"]
            unadapted: [id:1, authorId:2, title:"Moby-Dick", id:2, name:"Herman Melville", countryCode:"US"]
            - writer: [id:2, name:"Herman Melville", countryCode:"US"]
          """)
    }
  }
}
