import Kindred
import Testing

@Suite("Merging of associations")
struct MergeTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  /// Expects two requests to run the same statement and to return the same rows.
  private func expectSame(_ left: QueryInterfaceRequest<Book>, _ right: QueryInterfaceRequest<Book>) throws {
    try read { db throws in
      let (left, right) = (try Transcript(of: left, on: db), try Transcript(of: right, on: db))
      #expect(left.sql == right.sql)
      #expect(left.rows == right.rows)
    }
  }

  @Test
  func `S160, S161: one association under one key is joined once; including wins over joining`() throws {
    try expectSame(
      Book.including(optional: Book.author).joining(optional: Book.author),
      Book.including(optional: Book.author))
    try expectSame(
      Book.joining(optional: Book.author).including(optional: Book.author),
      Book.including(optional: Book.author))
  }

  @Test
  func `S162: required wins over optional`() throws {
    try expectSame(
      Book.including(required: Book.author).including(optional: Book.author),
      Book.including(required: Book.author))
  }

  @Test
  func `S163, S342: all filters hold`() throws {
    let (first, second) = (Column("country") == "US", Column("birthYear") > 1800)
    try expectSame(
      Book.including(required: Book.author.filter(first)).including(optional: Book.author.filter(second)),
      Book.including(required: Book.author.filter(first).filter(second)))
    #expect(
      try read { db throws in
        try Book.joining(required: Book.author.filter(first)).joining(required: Book.author.filter(!first))
          .fetchCount(db)
      } == 0)
  }

  @Test
  func `S164: the last order wins`() throws {
    try expectSame(
      Book.including(required: Book.author.order(Column("name")))
        .including(optional: Book.author.order(Column("birthYear"))),
      Book.including(required: Book.author.order(Column("birthYear"))))
  }

  @Test
  func `S165: the last selection wins`() throws {
    try expectSame(
      Book.including(required: Book.author.select(Column("name")))
        .including(optional: Book.author.select(Column("country"))),
      Book.including(required: Book.author.select(Column("country"))))
  }

  @Test
  func `S167, S171: other keys are never merged`() throws {
    let author = Book.author.select(Column("name"))
    try Library.make().expect(
      Book.filter(key: 1).select(Column("title")).including(required: author)
        .including(optional: author.forKey("writer")),
      sql: """
        SELECT "book"."title", "author"."name", "author2"."name" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId"
          LEFT JOIN "author" AS "author2" ON "author2"."id" = "book"."authorId" WHERE "book"."id" = 1
        """,
      rows: """
        [title:"Moby-Dick"] author: [name:"Melville"] writer: [name:"Melville"]
        """)
  }

  @Test
  func `S169: joins with aliases merge with those that have none, or others`() throws {
    let (first, second) = (TableAlias(), TableAlias())
    let request = Book.joining(required: Book.author.aliased(first)).including(required: Book.author)
      .joining(optional: Book.author.aliased(second))
      .filter(first[Column("country")] == "FR").order(second[Column("name")])
    try Library.make().expect(
      request.select(Column("title")),
      sql: """
        SELECT "book"."title", "author"."id", "author"."name", "author"."country",
          "author"."birthYear" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
          WHERE "author"."country" = 'FR' ORDER BY "author"."name"
        """,
      rows: """
        [title:"Hernani"] author: [id:2, name:"Hugo", country:"FR", birthYear:1802]
        """)
  }

  @Test
  func `S170, S340: one key for two different associations is an error, as the documents say`() throws {
    let request = Book.including(required: Book.author)
      .including(optional: Book.coverImage.forKey("author"))
    let error = #expect(throws: AssociationError.ambiguousKey("author")) {
      try read { db in try request.fetchAll(db) }
    }
    #expect(
      String(describing: error ?? .onlyForCollections)
        == "The association key `author` is ambiguous. Use the Association.forKey(_:) method is order to disambiguate."
    )
  }

  @Test
  func `S166, S168, S261, S262, S343: extensions of requests compose into one join`() throws {
    try Library.make().expect(
      Book.all().select(Column("title")).filter(authorCountry: "US").orderedByAuthorNameAndYear()
        .including(required: Book.author.select(Column("name"))),
      sql: """
        SELECT "book"."title", "author"."name" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."country" = 'US'
          ORDER BY ("author"."name" COLLATE "swiftLocalizedCaseInsensitiveCompare"), "book"."year"
        """,
      rows: """
        [title:"Moby-Dick"] author: [name:"Melville"]
        [title:"Clarel"] author: [name:"Melville"]
        [title:"Billy Budd"] author: [name:"Melville"]
        """)
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Author
    }
    try read { db throws in
      let request = Book.all().filter(authorCountry: "US").orderedByAuthorNameAndYear()
        .including(required: Book.author)
      #expect(try BookInfo.fetchAll(db, request).map(\.book.id) == [1, 3, 2])
    }
  }

  @Test
  func `S258, S259, S260: extensions of DerivableRequest are for requests and for associations`() throws {
    try read { db throws in
      #expect(try Author.all().orderedByName().fetchAll(db).map(\.name) == ["Hugo", "Melville", "Sappho"])
      #expect(try Author.all().filter(country: "FR").orderedByName().fetchAll(db).map(\.id) == [2])
      #expect(try Book.all().filter(authorCountry: "FR").fetchAll(db) == [Library.hernani])
      #expect(
        try Author.joining(required: Author.books.filter(authorCountry: "FR")).fetchAll(db).map(\.id) == [2])
    }
  }
}

extension DerivableRequest<Author> {
  fileprivate func filter(country: String) -> Self { filter(Column("country") == country) }

  fileprivate func orderedByName() -> Self {
    order(Column("name").collating(.localizedCaseInsensitiveCompare))
  }
}

extension DerivableRequest<Book> {
  fileprivate func filter(authorCountry: String) -> Self {
    joining(required: Book.author.filter(country: authorCountry))
  }

  fileprivate func orderedByAuthorNameAndYear() -> Self {
    let author = TableAlias()
    return joining(optional: Book.author.aliased(author))
      .order(author[Column("name")].collating(.localizedCaseInsensitiveCompare), Column("year"))
  }
}
