import Kindred
import Testing

@Suite("Table aliases")
struct AliasTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  @Test
  func `S150: a column of another record is none of the request's own: SQLite says so`() throws {
    let request = Book.joining(required: Book.author).filter(Column("year") >= Column("birthYear"))
    let error = #expect(throws: DatabaseError.self) { try read { db in try request.fetchAll(db) } }
    #expect(error?.code == 1)
    #expect(error?.message == "no such column: book.birthYear")
  }

  @Test
  func `S122, S123, S151, S152: an alias refers to another record in WHERE`() throws {
    let writer = TableAlias()
    try Library.make().expect(
      Book.select(Column("title")).joining(required: Book.author.aliased(writer))
        .filter(Column("year") >= writer[Column("birthYear")] + 60),
      sql: """
        SELECT "book"."title" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
          WHERE "book"."year" >= "author"."birthYear" + 60
        """,
      rows: #"[title:"Billy Budd"]"#)
    let author = TableAlias()
    let request = Book.joining(required: Book.author.aliased(author))
      .filter(Column("year") >= author[Column("birthYear")] + 60)
    #expect(try read { db in try request.fetchAll(db).map(\.id).sorted() } == [2])
  }

  @Test
  func `the bits of a value are turned round`() throws {
    #expect(
      try read { db in try Book.select(~(Column("id") + 1), as: Int.self).fetchSet(db) } == [
        -3, -4, -5, -6, -7,
      ])
  }

  @Test
  func `a list has values, columns and columns of other records`() throws {
    let writer = TableAlias()
    try Library.make().expect(
      Book.select(Column("title")).joining(required: Book.author.aliased(writer))
        .filter([writer[Column("birthYear")], Column("id"), 1851].contains(Column("year"))),
      sql: """
        SELECT "book"."title" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
          WHERE "book"."year" IN ("author"."birthYear", "book"."id", 1851)
        """,
      rows: #"[title:"Moby-Dick"]"#)
  }

  @Test
  func `S154, S155: the name of an alias is the name in SQL, for snippets in ON and in WHERE`() throws {
    let request = Book.aliased(TableAlias(name: "b"))
      .joining(
        required: Book.author.aliased(TableAlias(name: "a")).filter(sql: "a.country = ?", arguments: ["FR"])
      )
      .filter(sql: "b.year >= a.birthYear")
    try read { db throws in
      #expect(try request.fetchAll(db) == [Library.hernani])
    }
    try Library.make().expect(
      request.select(Column("title")),
      sql: """
        SELECT "b"."title" FROM "book" AS "b"
          JOIN "author" AS "a" ON "a"."id" = "b"."authorId" AND (a.country = 'FR')
          WHERE (b.year >= a.birthYear)
        """,
      rows: #"[title:"Hernani"]"#)
  }

  @Test
  func `S156, S157: types, requests and associations take aliases, which ON knows`() throws {
    let book = TableAlias()
    try Library.make().expect(
      Book.select(Column("title")).aliased(book)
        .joining(required: Book.author.filter(Column("birthYear") + 60 < book[Column("year")])),
      sql: """
        SELECT "book"."title" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId"
          AND "author"."birthYear" + 60 < "book"."year"
        """,
      rows: #"[title:"Billy Budd"]"#)
    let request = Book.aliased(book)
      .including(required: Book.author.filter(Column("birthYear") + 60 < book[Column("year")]))
    #expect(try read { db in try request.fetchAll(db).map(\.id) } == [2])
    #expect(try read { db in try Book.all().aliased(TableAlias()).fetchCount(db) } == 5)
  }

  @Test
  func `S158: one alias of two tables is an error, in the words of the documents`() throws {
    let alias = TableAlias()
    let request = Book.aliased(alias).joining(required: Book.author.aliased(alias))
    let error = #expect(throws: (any Error).self) { try read { db in try request.fetchAll(db) } }
    #expect(String(describing: error).contains("A TableAlias most not be used to refer to multiple tables"))
  }

  @Test
  func `an alias of no table is an error`() throws {
    let alias = TableAlias()
    #expect(throws: (any Error).self) {
      try read { db in try Book.filter(alias[Column("year")] > 1).fetchAll(db) }
    }
  }

  @Test
  func `S159, S264: an alias reaches into the collections of including(all:)`() throws {
    let writer = TableAlias()
    try Library.make().expect(
      Author.select(Column("name")).aliased(writer).including(
        all: Author.books.select(Column("title")).filter(Column("year") >= writer[Column("birthYear")] + 60)
      ).order(Column("id")),
      sql: """
        SELECT "author"."name", "author"."id", "author"."birthYear" FROM "author"
          ORDER BY "author"."id";
        SELECT "book"."title",
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value ->> 0 AS "kindred:0", value ->> 1 AS "kindred:1"
          FROM json_each('[[1,1819],[2,1802],[3,null]]'))
          AS "kindred:above" CROSS JOIN "book"
          WHERE "book"."authorId" = "kindred:above"."kindred:0"
          AND "book"."year" >= "kindred:above"."kindred:1" + 60
        """,
      rows: """
        [name:"Melville"] books: ([title:"Billy Budd"])
        [name:"Hugo"] books: ()
        [name:"Sappho"] books: ()
        """)
    struct Info: Decodable, FetchableRecord { var books: [Book] }
    let author = TableAlias()
    let request = Author.aliased(author)
      .including(all: Author.books.filter(Column("year") >= author[Column("birthYear")] + 60))
      .order(Column("id"))
    #expect(try read { db in try Info.fetchAll(db, request).map { $0.books.map(\.id) } } == [[2], [], []])
  }

  @Test
  func `S330: records that have no associated one: by an optional join, or by having(isEmpty)`() throws {
    let author = TableAlias()
    try Library.make().expect(
      Book.select(Column("title")).joining(optional: Book.author.aliased(author)).filter(!author.exists),
      sql: """
        SELECT "book"."title" FROM "book"
          LEFT JOIN "author" ON "author"."id" = "book"."authorId" WHERE NOT "author"."id" IS NOT NULL
        """,
      rows: #"[title:"Beowulf"]"#)
    try read { db throws in
      let joined = Book.joining(optional: Book.author.aliased(author)).filter(!author.exists)
      #expect(try joined.fetchAll(db) == [Library.beowulf])
      #expect(try Author.having(Author.books.isEmpty).fetchAll(db) == [Library.sappho])
    }
  }
}
