import Kindred
import Testing

private struct RestrictedAuthor: TableRecord {
  static let databaseTableName = "author"
  static let databaseSelection: [any SQLSelectable] = [Column("id"), Column("name")]
}

@Suite("Refinements of associations")
struct RefinementTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  @Test
  func `S121, S167, S171: one association twice, with other filters under other keys`() throws {
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var novels: [Book]
      var poems: [Book]
    }
    let request =
      Author
      .including(all: Author.books.filter(Column("kind") == "novel").forKey("novels"))
      .including(all: Author.books.filter(Column("kind") == Book.Kind.poems).forKey("poems"))
    let infos = try read { db in try Info.fetchAll(db, request.order(Column("id"))) }
    #expect(infos.map(\.novels.count) == [2, 0, 0])
    #expect(infos.map(\.poems.count) == [1, 0, 0])
  }

  @Test
  func `S119: associations are filtered by keys and identities`() throws {
    try read { db throws in
      #expect(try Book.joining(required: Book.author.filter(id: 2)).fetchAll(db) == [Library.hernani])
      #expect(try Book.joining(required: Book.author.filter(ids: [1, 2])).fetchCount(db) == 4)
      #expect(try Book.joining(required: Book.author.filter(key: 1)).fetchCount(db) == 3)
      #expect(try Book.joining(required: Book.author.filter(keys: [1])).fetchCount(db) == 3)
    }
  }

  @Test
  func `S125, S126: an association's order comes after the record's, whatever the order of calls`() throws {
    try Library.make().expect(
      Book.select(Column("title")).including(
        required: Book.author.select(Column("name")).order(Column("name"))
      )
      .order(Column("kind")),
      sql: """
        SELECT "book"."title", "author"."name" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."kind", "author"."name"
        """,
      rows: """
        [title:"Moby-Dick"] author: [name:"Melville"]
        [title:"Billy Budd"] author: [name:"Melville"]
        [title:"Clarel"] author: [name:"Melville"]
        [title:"Hernani"] author: [name:"Hugo"]
        """)
    try read { db throws in
      let author = Book.author.order(Column("name"))
      let byAuthor = try Book.including(required: author).fetchAll(db)
      #expect(byAuthor.first == Library.hernani)
      let both = try Book.order(Column("kind")).including(required: author.order(Column("name").desc))
        .fetchAll(db)
      let later = try Book.including(required: author.order(Column("name").desc)).order(Column("kind"))
        .fetchAll(db)
      #expect(both.map(\.kind) == [.novel, .novel, .poems, .theatrePlay])
      #expect(both == later)
    }
  }

  @Test
  func `S127, S153: an alias in the record's order sorts by the other first`() throws {
    let writer = TableAlias()
    try Library.make().expect(
      Book.select(Column("title")).joining(required: Book.author.aliased(writer))
        .order(writer[Column("name")].desc, Column("year")),
      sql: """
        SELECT "book"."title" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId"
          ORDER BY "author"."name" DESC, "book"."year"
        """,
      rows: """
        [title:"Moby-Dick"]
        [title:"Clarel"]
        [title:"Billy Budd"]
        [title:"Hernani"]
        """)
    let author = TableAlias()
    let request = Book.joining(required: Book.author.aliased(author))
      .order(author[Column("name")], Column("year"))
    #expect(try read { db in try request.fetchAll(db).map(\.id) } == [4, 1, 3, 2])
  }

  @Test
  func `S128, S129, S131: an association's order is its default, and a later one replaces it`() throws {
    let books = Author.hasMany(Book.self).order(Column("year").desc)
    try read { db throws in
      let own = Library.melville.request(for: books)
      #expect(try own.fetchAll(db).map(\.id) == [2, 3, 1])
      #expect(try own.order(Column("year")).fetchAll(db).map(\.id) == [1, 3, 2])
      struct Info: Decodable, FetchableRecord { var books: [Book] }
      #expect(
        try Info.fetchAll(db, Author.including(all: books).order(Column("id")))[0].books.map(\.id) == [
          2, 3, 1,
        ])
      let renamed = Author.including(all: books.order(Column("year"))).order(Column("id"))
      #expect(try Info.fetchAll(db, renamed)[0].books.map(\.id) == [1, 3, 2])
    }
  }

  @Test
  func `S132, S134: an association selects all columns, or those that are named`() throws {
    try read { db throws in
      let all = try #require(try Row.fetchOne(db, Book.including(required: Book.author)))
      #expect(all.scopes["author"]?.columnNames == ["id", "name", "country", "birthYear"])
      let some = Book.including(required: Book.author.select(Column("id"), Column("name")))
      #expect(try #require(try Row.fetchOne(db, some)).scopes["author"]?.columnNames == ["id", "name"])
    }
  }

  @Test
  func `S133, S135: a type's own selection is that of its associations too`() throws {
    let author = Book.belongsTo(RestrictedAuthor.self)
    try Library.make().expect(
      Book.filter(key: 4).select(Column("title")).including(required: author),
      sql: """
        SELECT "book"."title", "author"."id", "author"."name" FROM "book"
          JOIN "author" ON "author"."id" = "book"."authorId" WHERE "book"."id" = 4
        """,
      rows: #"[title:"Hernani"] author: [id:2, name:"Hugo"]"#)
    try read { db throws in
      #expect(try #require(try Row.fetchOne(db, Library.hernani.request(for: author))).count == 2)
    }
  }

  @Test
  func `S140, S149: distinct values are those of each record`() throws {
    try Library.make().expect(
      Author.select(Column("id")).including(
        all: Author.books.select(Column("kind")).distinct().order(Column("kind")).forKey("kinds")
      ).order(Column("id")),
      sql: """
        SELECT "author"."id" FROM "author" ORDER BY "author"."id";
        SELECT DISTINCT "book"."kind",
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "book"
          WHERE "book"."authorId" = "kindred:above"."kindred:0" ORDER BY "book"."kind"
        """,
      rows: """
        [id:1] kinds: ([kind:"novel"], [kind:"poems"])
        [id:2] kinds: ([kind:"theatrePlay"])
        [id:3] kinds: ()
        """)
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var bookKinds: Set<Book.Kind>
    }
    let kinds = Author.books.select(Column("kind")).distinct().forKey("bookKinds")
    try read { db throws in
      let infos = try Info.fetchAll(db, Author.including(all: kinds).order(Column("id")))
      #expect(infos.map(\.bookKinds) == [[.novel, .poems], [.theatrePlay], []])
      let rows = try Row.fetchAll(db, Author.including(all: kinds).order(Column("id")))
      #expect(rows[0].prefetchedRows["bookKinds"]?.count == 2)
    }
  }

  @Test
  func `S141, S142, S147, S355: groups are those of each record`() throws {
    try Library.make().expect(
      Author.select(Column("id")).including(
        all: Author.books.select(Column("kind"), max(Column("year")).forKey("maxYear"))
          .group(Column("kind")).having(count(Column("id")) > 1).forKey("kinds")
      ).order(Column("id")),
      sql: """
        SELECT "author"."id" FROM "author" ORDER BY "author"."id";
        SELECT "book"."kind", MAX("book"."year"),
          "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "book"
          WHERE "book"."authorId" = "kindred:above"."kindred:0"
          GROUP BY "kindred:above"."kindred:n", "book"."kind" HAVING COUNT("book"."id") > 1
        """,
      rows: """
        [id:1] kinds: ([kind:"novel", maxYear:1924])
        [id:2] kinds: ()
        [id:3] kinds: ()
        """)
    struct Info: Decodable, FetchableRecord {
      struct KindInfo: Decodable, Hashable {
        var kind: Book.Kind
        var maxYear: Int
      }
      var author: Author
      var bookKindInfos: [KindInfo]
    }
    let kinds = Author.books.select(Column("kind"), max(Column("year")).forKey("maxYear"))
      .group(Column("kind")).order(Column("kind")).forKey("bookKindInfos")
    try read { db throws in
      let infos = try Author.including(all: kinds).order(Column("id")).asRequest(of: Info.self).fetchAll(db)
      #expect(
        infos[0].bookKindInfos == [
          Info.KindInfo(kind: .novel, maxYear: 1924), Info.KindInfo(kind: .poems, maxYear: 1876),
        ])
      #expect(infos[1].bookKindInfos == [Info.KindInfo(kind: .theatrePlay, maxYear: 1830)])
      let late = try Info.fetchAll(db, Author.including(all: kinds.having(max(Column("year")) > 1900)))
      #expect(late.map(\.bookKindInfos.count) == [1, 0, 0])
    }
  }

  @Test
  func `S143: an association's records are filtered by their own associations`() throws {
    try Library.make().expect(
      Author.select(Column("id")).including(
        all: Author.books.select(Column("title")).having(Book.awards.isEmpty == false)
      ).order(Column("id")),
      sql: """
        SELECT "author"."id" FROM "author" ORDER BY "author"."id";
        SELECT "book"."title", "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "book"
          WHERE "book"."authorId" = "kindred:above"."kindred:0" AND (NOT EXISTS (SELECT 1
          FROM "award" WHERE "award"."bookId" = "book"."id")) = 0
        """,
      rows: """
        [id:1] books: ([title:"Moby-Dick"])
        [id:2] books: ([title:"Hernani"])
        [id:3] books: ()
        """)
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var awardedBooks: [Book]
    }
    let awarded = Author.books.having(Book.awards.isEmpty == false).forKey("awardedBooks")
    let infos = try read { db in try Info.fetchAll(db, Author.including(all: awarded).order(Column("id"))) }
    #expect(infos.map { $0.awardedBooks.map(\.id) } == [[1], [4], []])
  }

  @Test
  func `S144: an association may have a table of its own`() throws {
    try Library.make().expect(
      Author.select(Column("id")).including(
        all: Author.books.select(Column("title")).filter(sql: "id IN (SELECT id FROM old)").with(
          CommonTableExpression(named: "old", sql: "SELECT id FROM book WHERE year < ?", arguments: [1860]))
      ).order(Column("id")),
      sql: """
        SELECT "author"."id" FROM "author" ORDER BY "author"."id";
        WITH "old" AS (SELECT id FROM book
          WHERE year < 1860) SELECT "book"."title", "kindred:above"."kindred:n"
          FROM (SELECT key AS "kindred:n", value AS "kindred:0" FROM json_each('[1,2,3]'))
          AS "kindred:above" CROSS JOIN "book"
          WHERE "book"."authorId" = "kindred:above"."kindred:0" AND (id IN (SELECT id FROM old))
        """,
      rows: """
        [id:1] books: ([title:"Moby-Dick"])
        [id:2] books: ([title:"Hernani"])
        [id:3] books: ()
        """)
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var specialBooks: [Book]
    }
    let special = CommonTableExpression(
      named: "special", sql: "SELECT id FROM book WHERE year > ?", arguments: [1860])
    let books = Author.books.with(special).filter(sql: "id IN (SELECT id FROM special)").forKey(
      "specialBooks")
    let infos = try read { db in try Info.fetchAll(db, Author.including(all: books).order(Column("id"))) }
    #expect(infos.map { Set($0.specialBooks.map(\.id)) } == [[2, 3], [], []])
  }

  @Test
  func `S354: a limit is that of each record's collection`() throws {
    struct Info: Decodable, FetchableRecord { var books: [Book] }
    let latest = Author.books.order(Column("year").desc).limit(1)
    let infos = try read { db in try Info.fetchAll(db, Author.including(all: latest).order(Column("id"))) }
    #expect(infos.map { $0.books.map(\.id) } == [[2], [4], []])
  }
}
