import Kindred
import Testing

@Suite("Common table expressions")
struct CommonTableTests {
  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try Library.make().read(body)
  }

  @Test
  func `S21, S44: records are associated with the rows of a request under a name`() throws {
    struct Info: Decodable, FetchableRecord {
      struct Latest: Decodable { var maxYear: Int }
      var author: Author
      var latest: Latest?
    }
    let latest = CommonTableExpression(
      named: "latest",
      request: Book.all().select(Column("authorId"), max(Column("year")).forKey("maxYear")).group(
        Column("authorId")))
    let association = Author.association(to: latest) { author, latest in
      latest[Column("authorId")] == author[Column("id")]
    }
    let request = Author.with(latest).including(optional: association).order(Column("id"))
    #expect(try read { db in try Info.fetchAll(db, request).map(\.latest?.maxYear) } == [1924, 1830, nil])
    try Library.make().expect(
      Author.select(Column("name")).with(latest).including(optional: association).order(Column("id")),
      sql: """
        WITH "latest" AS (SELECT "book"."authorId" AS "authorId", MAX("book"."year")
          AS "maxYear" FROM "book" GROUP BY "book"."authorId") SELECT "author"."name",
          "latest"."authorId", "latest"."maxYear" FROM "author"
          LEFT JOIN "latest" ON "latest"."authorId" = "author"."id" ORDER BY "author"."id"
        """,
      rows: """
        [name:"Melville"] latest: [authorId:1, maxYear:1924]
        [name:"Hugo"] latest: [authorId:2, maxYear:1830]
        [name:"Sappho"] latest: [authorId:NULL, maxYear:NULL]
        """)
    let required = Author.joining(required: association.filter(Column("maxYear") > 1900))
    #expect(try read { db in try required.fetchAll(db).map(\.id) } == [1])
  }

  @Test
  func `tables of SQL have columns, may be recursive, and are fetched by themselves`() throws {
    let counter = CommonTableExpression(
      named: "counter", columns: ["x"],
      literal: "VALUES(\(1)) UNION ALL SELECT x + 1 FROM counter WHERE x < \(4)", as: Int.self)
    #expect(try read { db in try counter.all().fetchAll(db) } == [1, 2, 3, 4])
    let rows = CommonTableExpression(
      named: "years", sql: "SELECT year FROM book WHERE authorId = ?", arguments: [1])
    #expect(try read { db in try Row.fetchAll(db, rows.all().order(Column("year"))).count } == 3)
  }

  @Test
  func `requests look into others by exists and contains`() throws {
    try read { db throws in
      let awarded = Award.select(Column("bookId"), as: Int64.self)
      #expect(
        try Book.filter(awarded.contains(Column("id"))).order(Column("id")).fetchAll(db).map(\.id) == [1, 4])
      let book = TableAlias()
      let own = Award.filter(Column("bookId") == book[Column("id")])
      #expect(try Book.aliased(book).filter(!own.exists()).fetchCount(db) == 3)
    }
  }

  @Test
  func `a common table that only the SQL of another one names is there`() throws {
    let first = CommonTableExpression<Row>(named: "first", columns: ["id"], sql: "SELECT 1")
    let second = CommonTableExpression<Row>(named: "second", columns: ["id"], sql: "SELECT id FROM first")
    let ids = second.all().select(Column("id"), as: Int64.self)
    #expect(
      try read { db in
        try Book.with(first).with(second).filter(ids.contains(Column("id"))).fetchAll(db).map(\.id)
      } == [1])
  }
}
