import Kindred
import Testing

@Suite("Joining methods")
struct JoiningTests {
  struct BookInfo: Decodable, FetchableRecord, Hashable {
    var book: Book
    var author: Author
  }

  struct OptionalBookInfo: Decodable, FetchableRecord, Hashable {
    var book: Book
    var author: Author?
  }

  struct AuthorInfo: Decodable, FetchableRecord, Hashable {
    var author: Author
    var books: [Book]
  }

  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  @Test
  func `S90, S95, S110, S187, S192: including(required:) is an inner join with the other's columns`() throws {
    try Library.make().expect(
      Book.select(Column("title")).including(required: Book.author.select(Column("name"))).order(
        Column("id")),
      sql: """
        SELECT "book"."title", "author"."name" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
        """,
      rows: """
        [title:"Moby-Dick"] author: [name:"Melville"]
        [title:"Billy Budd"] author: [name:"Melville"]
        [title:"Clarel"] author: [name:"Melville"]
        [title:"Hernani"] author: [name:"Hugo"]
        """)
    let infos = try read { db throws in
      try Book.including(required: Book.author).order(Column("id")).asRequest(of: BookInfo.self).fetchAll(db)
    }
    #expect(infos.map(\.book) == [Library.mobyDick, Library.billyBudd, Library.clarel, Library.hernani])
    #expect(infos.map(\.author.name) == ["Melville", "Melville", "Melville", "Hugo"])
  }

  @Test
  func `S91, S177: including(required:) of a to-many association gives a row per pair`() throws {
    try Library.make().expect(
      Author.select(Column("name")).including(required: Author.books.select(Column("title")))
        .order(Column("id")),
      sql: """
        SELECT "author"."name", "book"."title" FROM "author"
          JOIN "book" ON "book"."authorId" = "author"."id" ORDER BY "author"."id"
        """,
      rows: """
        [name:"Melville"] book: [title:"Moby-Dick"]
        [name:"Melville"] book: [title:"Billy Budd"]
        [name:"Melville"] book: [title:"Clarel"]
        [name:"Hugo"] book: [title:"Hernani"]
        """)
    struct Authorship: Decodable, FetchableRecord {
      var author: Author
      var book: Book
    }
    let pairs = try read { db throws in
      try Authorship.fetchAll(db, Author.including(required: Author.books).order(Column("id")))
    }
    #expect(pairs.map(\.author.id) == [1, 1, 1, 2])
    #expect(Set(pairs.map(\.book.id)) == [1, 2, 3, 4])
  }

  @Test
  func `S92, S93, S191: including(optional:) keeps the records that have none, whatever the kind`() throws {
    try Library.make().expect(
      Book.select(Column("title")).including(optional: Book.author.select(Column("name"))).order(
        Column("id")),
      sql: """
        SELECT "book"."title", "author"."name" FROM "book"
          LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
        """,
      rows: """
        [title:"Moby-Dick"] author: [name:"Melville"]
        [title:"Billy Budd"] author: [name:"Melville"]
        [title:"Clarel"] author: [name:"Melville"]
        [title:"Hernani"] author: [name:"Hugo"]
        [title:"Beowulf"] author: [name:NULL]
        """)
    struct Authorship: Decodable, FetchableRecord {
      var author: Author
      var book: Book?
    }
    let infos = try read { db throws in
      try OptionalBookInfo.fetchAll(db, Book.including(optional: Book.author).order(Column("id")))
    }
    #expect(infos.map(\.author?.name) == ["Melville", "Melville", "Melville", "Hugo", nil])
    let pairs = try read { db throws in
      try Authorship.fetchAll(db, Author.including(optional: Author.books).order(Column("id")))
    }
    #expect(pairs.count == 5)
    #expect(pairs.last?.book == nil)
  }

  @Test
  func `S94, S96, S97, S175, S193, S269: including(all:) gives a collection per record`() throws {
    try Library.make().expect(
      Author.select(Column("name")).including(all: Author.books.select(Column("title")).order(Column("year")))
        .order(Column("id")),
      sql: """
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id";
        SELECT "book"."title", "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "book"
          WHERE "book"."authorId" = "kindred:above"."kindred:0" ORDER BY "book"."year"
        """,
      rows: """
        [name:"Melville"] books: ([title:"Moby-Dick"], [title:"Clarel"], [title:"Billy Budd"])
        [name:"Hugo"] books: ([title:"Hernani"])
        [name:"Sappho"] books: ()
        """)
    struct SetInfo: Decodable, FetchableRecord {
      var author: Author
      var books: Set<Book>
    }
    let request = Author.including(all: Author.books.order(Column("year"))).order(Column("id"))
    let infos = try read { db in try AuthorInfo.fetchAll(db, request) }
    #expect(
      infos.map { $0.books.map(\.title) } == [["Moby-Dick", "Clarel", "Billy Budd"], ["Hernani"], []])
    let sets = try read { db in try SetInfo.fetchAll(db, request) }
    #expect(sets.map(\.books.count) == [3, 1, 0])
    struct OtherInfo: Decodable, FetchableRecord { var books: ContiguousArray<Book> }
    let others = try read { db in try OtherInfo.fetchAll(db, request) }
    #expect(others.map { $0.books.map(\.id) } == [[1, 3, 2], [4], []])
  }

  @Test
  func `S98, S148: including(all:) of selected columns feeds partial records, fetchable or not`() throws {
    struct Info: Decodable, FetchableRecord {
      struct PartialBook: Decodable, Hashable {
        var title: String
        var year: Int
      }
      var author: Author
      var books: [PartialBook]
    }
    let infos = try read { db throws in
      try Author.including(all: Author.books.select(Column("title"), Column("year")).order(Column("year")))
        .order(Column("id")).asRequest(of: Info.self).fetchAll(db)
    }
    #expect(infos[1].books == [Info.PartialBook(title: "Hernani", year: 1830)])
  }

  @Test
  func `S99, S198: including(all:) of one column feeds values`() throws {
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var bookTitles: [String]
    }
    let infos = try read { db throws in
      try Author
        .including(all: Author.books.select(Column("title")).order(Column("year")).forKey("bookTitles"))
        .order(Column("id")).asRequest(of: Info.self).fetchAll(db)
    }
    #expect(infos.map(\.bookTitles) == [["Moby-Dick", "Clarel", "Billy Budd"], ["Hernani"], []])
  }

  @Test
  func `S100, S331: annotated(withRequired:) appends columns of the other to those of the record`() throws {
    try Library.make().expect(
      Book.select(Column("title")).annotated(
        withRequired: Book.author.select(Column("name"), Column("country"))
      ).order(Column("id")),
      sql: """
        SELECT "book"."title", "author"."name", "author"."country" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
        """,
      rows: """
        [title:"Moby-Dick", name:"Melville", country:"US"]
        [title:"Billy Budd", name:"Melville", country:"US"]
        [title:"Clarel", name:"Melville", country:"US"]
        [title:"Hernani", name:"Hugo", country:"FR"]
        """)
    struct Info: Decodable, FetchableRecord {
      var book: Book
      var name: String
      var country: String
    }
    let request = Book.annotated(withRequired: Book.author.select(Column("name"), Column("country")))
    try read { db throws in
      let infos = try request.order(Column("id")).asRequest(of: Info.self).fetchAll(db)
      #expect(infos.map(\.name) == ["Melville", "Melville", "Melville", "Hugo"])
      #expect(infos.last?.country == "FR")
      let row = try #require(try Row.fetchOne(db, request))
      #expect(row.scopes.isEmpty)
      #expect(row.columnNames.suffix(2) == ["name", "country"])
    }
  }

  @Test
  func `S101, S102, S103, S345: annotated(withOptional:) gives NULL for a missing record`() throws {
    try Library.make().expect(
      Book.select(Column("title")).annotated(
        withOptional: Book.author.select(Column("name").forKey("authorName"))
      ).order(Column("id").desc),
      sql: """
        SELECT "book"."title", "author"."name" FROM "book"
          LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id" DESC
        """,
      rows: """
        [title:"Beowulf", authorName:NULL]
        [title:"Hernani", authorName:"Hugo"]
        [title:"Clarel", authorName:"Melville"]
        [title:"Billy Budd", authorName:"Melville"]
        [title:"Moby-Dick", authorName:"Melville"]
        """)
    struct Info: Decodable, FetchableRecord {
      var book: Book
      var authorName: String?
    }
    try read { db throws in
      let renamed = Book.annotated(withOptional: Book.author.select(Column("name").forKey("authorName")))
      let infos = try Info.fetchAll(db, renamed.order(Column("id")))
      #expect(infos.map(\.authorName) == ["Melville", "Melville", "Melville", "Hugo", nil])
      // Without the new name, the column is `name`, and there is no value for the property.
      let plain = Book.annotated(withOptional: Book.author.select(\.name))
      #expect(try Info.fetchAll(db, plain).allSatisfy { $0.authorName == nil })
    }
  }

  @Test
  func `S89, S104, S109, S119, S120, S329: joining(required:) filters, and selects nothing`() throws {
    try Library.make().expect(
      Book.select(Column("title")).joining(required: Book.author.filter(Column("country") == "FR")),
      sql: """
        SELECT "book"."title" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."country" = 'FR'
        """,
      rows: #"[title:"Hernani"]"#)
    try read { db throws in
      let request = Book.joining(required: Book.author.filter(Column("country") == "FR"))
      #expect(try request.fetchAll(db) == [Library.hernani])
      #expect(try #require(try Row.fetchOne(db, request)).scopes.isEmpty)
    }
  }

  @Test
  func `S105, S124: joining(optional:) has no effect on its own, even filtered`() throws {
    try Library.make().expect(
      Book.select(Column("title")).joining(optional: Book.author.filter(Column("country") == "FR"))
        .order(Column("id")),
      sql: """
        SELECT "book"."title" FROM "book"
          LEFT JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."country" = 'FR'
          ORDER BY "book"."id"
        """,
      rows: """
        [title:"Moby-Dick"]
        [title:"Billy Budd"]
        [title:"Clarel"]
        [title:"Hernani"]
        [title:"Beowulf"]
        """)
    try read { db throws in
      let filtered = Book.joining(optional: Book.author.filter(Column("country") == "FR"))
      #expect(try filtered.order(Column("id")).fetchAll(db) == Book.order(Column("id")).fetchAll(db))
    }
  }

  @Test
  func `S106, S107, S112: each shape of record has its joining method`() throws {
    struct Partial: Decodable, Hashable {
      var name: String
      var country: String?
    }
    struct Required: Decodable, FetchableRecord {
      var book: Book
      var author: Partial
    }
    struct Optional: Decodable, FetchableRecord {
      var book: Book
      var author: Partial?
    }
    let author = Book.author.select(Column("name"), Column("country"))
    try read { db throws in
      let required = try Book.including(required: author).asRequest(of: Required.self).fetchAll(db)
      #expect(required.count == 4)
      let optional = try Book.including(optional: author).order(Column("id")).asRequest(of: Optional.self)
        .fetchAll(db)
      #expect(optional.map(\.author?.name) == ["Melville", "Melville", "Melville", "Hugo", nil])
    }
  }

  @Test
  func `S108: a nested struct of some columns decodes from the selected ones`() throws {
    struct Info: Decodable, FetchableRecord {
      struct PartialAuthor: Decodable { var name: String }
      var book: Book
      var author: PartialAuthor
    }
    let infos = try read { db throws in
      try Info.fetchAll(db, Book.including(required: Book.author.select(Column("name"))))
    }
    #expect(infos.count == 4)
  }

  @Test
  func `S19, S111: pairs come of one statement, and any request decodes into any type`() throws {
    try read { db throws in
      let request = Book.including(optional: Book.author)
      #expect(try Transcript(of: request, on: db).sql.split(separator: ";").count == 1)
      #expect(try OptionalBookInfo.fetchAll(db, request).count == 5)
      #expect(try Book.fetchAll(db, request).count == 5)
    }
  }

  @Test
  func `S113: the joining methods are on types, on requests and on associations`() throws {
    try read { db throws in
      #expect(try Author.all().including(all: Author.books).fetchAll(db).count == 3)
      #expect(
        try Author.including(optional: Author.books.including(optional: Book.coverImage)).fetchCount(db) == 5)
      #expect(try Author.joining(optional: Author.books.joining(required: Book.awards)).fetchCount(db) == 4)
      #expect(
        try Author.annotated(withOptional: Author.books.annotated(withOptional: Book.coverImage)).fetchCount(
          db) == 5)
    }
  }

  @Test
  func `S145, S146: only including(all:) takes associations with limit, distinct, group or having`() throws {
    let request = Book.including(required: Book.author.limit(1))
    #expect(throws: AssociationError.onlyForCollections) { try read { db in try request.fetchAll(db) } }
    for association in [
      Author.books.distinct(), Author.books.group(Column("kind")), Author.books.having(Book.awards.isEmpty),
    ] {
      #expect(throws: AssociationError.onlyForCollections) {
        try read { db in try Author.joining(optional: association).fetchAll(db) }
      }
    }
  }

  @Test
  func `S87: making a request reads nothing: what is wrong with it is thrown when it is fetched`() throws {
    struct Ghost: TableRecord { static let books = hasMany(Book.self) }
    let request = Ghost.including(all: Ghost.books)
    #expect(throws: DatabaseError.self) { try read { db in try Row.fetchAll(db, request) } }
  }
}
