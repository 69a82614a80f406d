import Testing

@Suite("Aggregates of associations")
struct AggregateTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `aggregates of several associations don't inflate one another`() throws {
    try expectRequest(
      #"""
      /authors?fields=name&annotate=bookCount,paintingCount,books.sum(price),paintings.max(year)
      """#, on: library,
      sql: #"""
        SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id"), \#
        (SELECT COUNT(*) FROM temp."kindred:painting(authorId)" AS "index" CROSS JOIN "painting" ON \#
        "painting"."rowid" = "index"."p0" WHERE "index"."k0" = "author"."id"), (SELECT \#
        SUM("book"."price") FROM "book" WHERE "book"."authorId" = "author"."id"), (SELECT \#
        MAX("painting"."year") FROM temp."kindred:painting(authorId)" AS "index" CROSS JOIN "painting" ON \#
        "painting"."rowid" = "index"."p0" WHERE "index"."k0" = "author"."id"), "author"."id" FROM \#
        "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"name":"Melville","bookCount":3,"paintingCount":2,"bookPriceSum":20.75,"maxPaintingYear":1860},
        {"name":"Zola","bookCount":2,"paintingCount":1,"bookPriceSum":14.0,"maxPaintingYear":1880},
        {"name":"Anonymous","bookCount":0,"paintingCount":0,"bookPriceSum":null,"maxPaintingYear":null}]
        """#)
  }

  @Test
  func `of some of the records`() throws {
    try expectRequest(
      #"""
      /authors?fields=name\#
      &annotate=novels:books.filter(kind='novel').count,firstPoem:books.filter(kind='poem').min(year)
      """#, on: library,
      sql: #"""
        SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id" AND \#
        "book"."kind" = ?1), (SELECT MIN("book"."year") FROM "book" WHERE "book"."authorId" = \#
        "author"."id" AND "book"."kind" = ?2), "author"."id" FROM "author" ORDER BY "author"."id" LIMIT \#
        ?3 + ?4
        """#,
      json: #"""
        [{"name":"Melville","novels":2,"firstPoem":1891},{"name":"Zola","novels":2,"firstPoem":null},
        {"name":"Anonymous","novels":0,"firstPoem":null}]
        """#)
  }

  @Test
  func `of none`() throws {
    try expectRequest(
      #"""
      /authors/3?fields=name\#
      &annotate=bookCount,hasNoBook,minBookYear,averageBookPrice,sum:books.sum(price),total:books.total(price)
      """#, on: library,
      sql: #"""
        SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id"), \#
        NOT EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id"), (SELECT \#
        MIN("book"."year") FROM "book" WHERE "book"."authorId" = "author"."id"), (SELECT \#
        AVG("book"."price") FROM "book" WHERE "book"."authorId" = "author"."id"), (SELECT \#
        SUM("book"."price") FROM "book" WHERE "book"."authorId" = "author"."id"), (SELECT \#
        TOTAL("book"."price") FROM "book" WHERE "book"."authorId" = "author"."id") FROM "author" WHERE \#
        "author"."id" = ?1 ORDER BY "author"."id" LIMIT 1
        """#,
      json: #"""
        {"name":"Anonymous","bookCount":0,"hasNoBook":true,"minBookYear":null,"averageBookPrice":null,"sum":null,
        "total":0.0}
        """#)
  }

  @Test
  func `through a to-one, where a missing one counts as none`() throws {
    try expectRequest(
      #"/books?fields=title&annotate=n:author.books.count&filter=id>4"#, on: library,
      sql: #"""
        SELECT "book"."title", (SELECT COUNT(*) FROM "book" AS "book2" WHERE "book2"."authorId" = \#
        "author"."id"), "book"."id" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \#
        WHERE "book"."id" > ?1 ORDER BY "book"."id" LIMIT ?2 + ?3
        """#,
      json: #"""
        [{"title":"Beowulf","n":0},{"title":"Truth","n":2}]
        """#)
  }

  @Test
  func `through a join table`() throws {
    try expectRequest(
      #"/tags?fields=name&annotate=bookCount,minBookYear"#, on: library,
      sql: #"""
        SELECT "tag"."name", (SELECT COUNT(*) FROM "bookTag" JOIN "book" ON "book"."id" = \#
        "bookTag"."bookId" WHERE "bookTag"."tagId" = "tag"."id"), (SELECT MIN("book"."year") FROM \#
        "bookTag" JOIN "book" ON "book"."id" = "bookTag"."bookId" WHERE "bookTag"."tagId" = "tag"."id"), \#
        "tag"."id" FROM "tag" ORDER BY "tag"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"name":"sea","bookCount":2,"minBookYear":1847},{"name":"work","bookCount":2,"minBookYear":1851},
        {"name":"unused","bookCount":0,"minBookYear":null}]
        """#)
  }

  @Test
  func `of a node: its filter holds, its limit doesn't`() throws {
    try expectRequest(
      #"""
      /authors?fields=name&include=books&books.values=title&books.filter=kind='novel'&books.limit=1\#
      &annotate=bookCount
      """#, on: library,
      sql: #"""
        SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id" AND \#
        "book"."kind" = ?1), "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?2 + ?3
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 AND "book"."kind" = ?2 ORDER BY \#
        "book"."id" LIMIT ?3
        """#,
      json: #"""
        [{"name":"Melville","bookCount":2,"books":["Moby-Dick"]},
        {"name":"Zola","bookCount":2,"books":["Germinal"]},{"name":"Anonymous","bookCount":0,"books":[]}]
        """#)
  }

  @Test
  func `filtered and sorted by: the associated records are read once, in groups`() throws {
    try expectRequest(
      #"/authors?fields=name&annotate=bookCount&having=books.count>=2&sort=-bookCount"#, on: library,
      sql: #"""
        SELECT "author"."name", "kindred:ranked"."kindred:rank", "author"."id" FROM (SELECT \#
        "author"."rowid" AS "kindred:key0", "author"."id" AS "kindred:order0", \#
        "kindred:groups"."kindred:rank" AS "kindred:rank" FROM (SELECT "book"."authorId" AS "kindred:group", \#
        COUNT(*) AS "kindred:rank" FROM "book" GROUP BY "book"."authorId") AS "kindred:groups" CROSS JOIN \#
        "author" ON "kindred:groups"."kindred:group" = "author"."id" WHERE "kindred:groups"."kindred:rank" \#
        >= ?1 UNION ALL SELECT "author"."rowid" AS "kindred:key0", "author"."id" AS "kindred:order0", 0 AS \#
        "kindred:rank" FROM "author" WHERE 0 >= ?1 AND NOT EXISTS (SELECT 1 FROM "book" WHERE \#
        "book"."authorId" = "author"."id") ORDER BY "kindred:rank" DESC, "kindred:order0" LIMIT ?2 + ?3) AS \#
        "kindred:ranked" CROSS JOIN "author" ON "author"."rowid" = "kindred:ranked"."kindred:key0" ORDER BY \#
        "kindred:ranked"."kindred:rank" DESC, "author"."id"
        """#,
      json: #"""
        [{"name":"Melville","bookCount":3},{"name":"Zola","bookCount":2}]
        """#)
  }

  @Test(arguments: ["", "&include=country"])
  func `filtered and sorted by, beside a record that is associated with each`(include: String) throws {
    try expectRequest(
      "/authors?fields=name&filter=books.count>=2%20and%20country.name='France'&sort=-bookCount\(include)",
      on: library,
      json: include.isEmpty
        ? #"[{"name":"Zola"}]"#
        : #"[{"name":"Zola","country":{"code":"FR","name":"France"}}]"#)
  }

  @Test
  func `filtered and sorted by what records without associated ones meet too`() throws {
    try expectRequest(
      "/authors?fields=name&annotate=bookCount&having=books.count<=2&sort=-bookCount", on: library,
      json: #"""
        [{"name":"Zola","bookCount":2},{"name":"Anonymous","bookCount":0}]
        """#)
    try expectRequest(
      "/authors?fields=name,s:books.sum(year)&filter=books.sum(year)%20is%20null&sort=books.sum(year)",
      on: library,
      json: #"""
        [{"name":"Anonymous","s":null}]
        """#)
  }

  @Test
  func `combined by operators`() throws {
    try expectRequest(
      #"""
      /authors?fields=name\#
      &annotate=works:books.count%2Bpaintings.count,busy:books.count>paintings.count
      """#, on: library,
      sql: #"""
        SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id") + \#
        (SELECT COUNT(*) FROM temp."kindred:painting(authorId)" AS "index" CROSS JOIN "painting" ON \#
        "painting"."rowid" = "index"."p0" WHERE "index"."k0" = "author"."id"), (SELECT COUNT(*) FROM \#
        "book" WHERE "book"."authorId" = "author"."id") > (SELECT COUNT(*) FROM \#
        temp."kindred:painting(authorId)" AS "index" CROSS JOIN "painting" ON "painting"."rowid" = \#
        "index"."p0" WHERE "index"."k0" = "author"."id"), "author"."id" FROM "author" ORDER BY \#
        "author"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"name":"Melville","works":5,"busy":true},{"name":"Zola","works":3,"busy":true},
        {"name":"Anonymous","works":0,"busy":false}]
        """#)
  }

  @Test
  func `of groups`() throws {
    try expectRequest(
      #"""
      /books?fields=kind,n:count(),last:max(year)&group=kind&having=count()>1&sort=-count()
      """#, on: library,
      sql: #"""
        SELECT "book"."kind", COUNT(*), MAX("book"."year") FROM "book" GROUP BY "book"."kind" HAVING \#
        COUNT(*) > ?1 ORDER BY COUNT(*) DESC, "book"."kind" LIMIT ?2 + ?3
        """#,
      json: #"""
        [{"kind":"novel","n":4,"last":1903},{"kind":"poem","n":2,"last":1891}]
        """#)
  }

  @Test
  func `of everything`() throws {
    try expectRequest(
      #"/books?fields=n:count(),kinds:count(distinct kind),total:sum(price)"#, on: library,
      sql: #"""
        SELECT COUNT(*), COUNT(DISTINCT "book"."kind"), SUM("book"."price") FROM "book" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"n":6,"kinds":2,"total":42.5}]
        """#)
  }

  @Test
  func `a page of one record's, filtered and sorted by an aggregate, has no others`() throws {
    try expectRequest(
      "/authors?fields=id&include=books&books.filter=reviews.average(rating)>2&books.sort=-reviews.average(rating)&books.limit=2&books.values=id",
      on: Library.database(), json: #"[{"id":1,"books":[1]},{"id":2,"books":[4]},{"id":3,"books":[]}]"#)
  }
}
