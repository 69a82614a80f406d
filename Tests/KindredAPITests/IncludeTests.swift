import Testing

@Suite("Including associations")
struct IncludeTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `a to-one association is joined: an object or null`() throws {
    try expectRequest(
      #"/books?fields=title&include=author&author.fields=name&filter=id>3"#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."id", "author"."name", "book"."id" FROM "book" LEFT JOIN "author" \#
        ON "author"."id" = "book"."authorId" WHERE "book"."id" > ?1 ORDER BY "book"."id" LIMIT ?2 + ?3
        """#,
      json: #"""
        [{"title":"Germinal","author":{"name":"Zola"}},{"title":"Beowulf","author":null},
        {"title":"Truth","author":{"name":"Zola"}}]
        """#)
  }

  @Test
  func `a to-many association is a statement for each record`() throws {
    try expectRequest(
      #"/authors?fields=name&include=books&books.fields=title"#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "book"."title", "book"."authorId" FROM "book" INDEXED BY "bookOnAuthor" WHERE \#
        "book"."authorId" >= ?1 ORDER BY "book"."authorId", "book"."id"
        """#,
      json: #"""
        [{"name":"Melville","books":[{"title":"Moby-Dick"},{"title":"Omoo"},{"title":"Timoleon"}]},
        {"name":"Zola","books":[{"title":"Germinal"},{"title":"Truth"}]},{"name":"Anonymous","books":[]}]
        """#)
  }

  @Test
  func `a tree is as deep as asked for`() throws {
    try expectRequest(
      #"""
      /countries?fields=code&include=authors.books.reviews&authors.fields=name\#
      &authors.books.fields=title&authors.books.reviews.fields=rating
      """#, on: library,
      sql: #"""
        SELECT "country"."code", "country"."rowid" FROM "country" ORDER BY "country"."code", \#
        "country"."rowid" LIMIT ?1 + ?2
        SELECT "author"."name", "author"."id" FROM "author" WHERE "author"."countryCode" = ?1 ORDER BY \#
        "author"."id"
        SELECT "book"."title", "book"."id" FROM "book" WHERE "book"."authorId" = ?1 ORDER BY "book"."id"
        SELECT "review"."rating" FROM "review" WHERE "review"."bookId" = ?1 ORDER BY "review"."id"
        """#,
      json: #"""
        [{"code":"FR","authors":[{"name":"Zola","books":[{"title":"Germinal","reviews":[{"rating":3}]},
        {"title":"Truth","reviews":[]}]}]},
        {"code":"US","authors":[{"name":"Melville","books":[{"title":"Moby-Dick","reviews":[{"rating":5},
        {"rating":4}]},{"title":"Omoo","reviews":[]},{"title":"Timoleon","reviews":[]}]}]}]
        """#)
  }

  @Test
  func `a join table gives each associated record`() throws {
    try expectRequest(
      #"/tags?include=books&books.fields=title"#, on: library,
      sql: #"""
        SELECT "tag"."id", "tag"."name" FROM "tag" ORDER BY "tag"."id" LIMIT ?1 + ?2
        SELECT "book"."title" FROM "bookTag" JOIN "book" ON "book"."id" = "bookTag"."bookId" WHERE \#
        "bookTag"."tagId" = ?1 ORDER BY "book"."id"
        """#,
      json: #"""
        [{"id":1,"name":"sea","books":[{"title":"Moby-Dick"},{"title":"Omoo"}]},
        {"id":2,"name":"work","books":[{"title":"Moby-Dick"},{"title":"Germinal"}]},
        {"id":3,"name":"unused","books":[]}]
        """#)
  }

  @Test
  func `columns of the join table are those of via`() throws {
    try expectRequest(
      #"""
      /tags?fields=name&include=books&books.fields=title,position:via.position&books.sort=via.position
      """#, on: library,
      sql: #"""
        SELECT "tag"."name", "tag"."id" FROM "tag" ORDER BY "tag"."id" LIMIT ?1 + ?2
        SELECT "book"."title", "bookTag"."position" FROM "bookTag" JOIN "book" ON "book"."id" = \#
        "bookTag"."bookId" WHERE "bookTag"."tagId" = ?1 ORDER BY "bookTag"."position", "book"."id"
        """#,
      json: #"""
        [{"name":"sea","books":[{"title":"Omoo","position":1},{"title":"Moby-Dick","position":2}]},
        {"name":"work","books":[{"title":"Moby-Dick","position":1},{"title":"Germinal","position":1}]},
        {"name":"unused","books":[]}]
        """#)
  }

  @Test
  func `several keys for one association`() throws {
    try expectRequest(
      #"""
      /authors?fields=name&include=novels:books,poems:books&novels.fields=title\#
      &novels.filter=kind='novel'&poems.fields=title&poems.filter=kind='poem'
      """#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 AND "book"."kind" = ?2 ORDER BY \#
        "book"."id"
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 AND "book"."kind" = ?2 ORDER BY \#
        "book"."id"
        """#,
      json: #"""
        [{"name":"Melville","novels":[{"title":"Moby-Dick"},{"title":"Omoo"}],"poems":[{"title":"Timoleon"}]},
        {"name":"Zola","novels":[{"title":"Germinal"},{"title":"Truth"}],"poems":[]},
        {"name":"Anonymous","novels":[],"poems":[]}]
        """#)
  }

  @Test
  func `direct and through together`() throws {
    try expectRequest(
      #"""
      /books?fields=title&include=bookTags,tags&bookTags.fields=position&tags.fields=name&limit=2
      """#, on: library,
      sql: #"""
        SELECT "book"."title", "book"."id" FROM "book" ORDER BY "book"."id" LIMIT ?1 + ?2
        SELECT "bookTag"."position" FROM "bookTag" WHERE "bookTag"."bookId" = ?1 ORDER BY \#
        "bookTag"."bookId", "bookTag"."tagId"
        SELECT "tag"."name" FROM "bookTag" JOIN "tag" ON "tag"."id" = "bookTag"."tagId" WHERE \#
        "bookTag"."bookId" = ?1 ORDER BY "tag"."id"
        """#,
      json: #"""
        [{"title":"Moby-Dick","bookTags":[{"position":2},{"position":1}],"tags":[{"name":"sea"},{"name":"work"}]},
        {"title":"Omoo","bookTags":[{"position":1}],"tags":[{"name":"sea"}]}]
        """#)
  }

  @Test
  func `bare values`() throws {
    try expectRequest(
      #"/authors?fields=name&include=titles:books&titles.values=title&titles.sort=-year"#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 ORDER BY "book"."year" DESC, \#
        "book"."id"
        """#,
      json: #"""
        [{"name":"Melville","titles":["Timoleon","Moby-Dick","Omoo"]},
        {"name":"Zola","titles":["Truth","Germinal"]},{"name":"Anonymous","titles":[]}]
        """#)
  }

  @Test
  func `limits hold for each parent`() throws {
    try expectRequest(
      #"""
      /authors?fields=name&include=books&books.fields=title&books.sort=-year&books.limit=1\#
      &books.offset=1
      """#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 ORDER BY "book"."year" DESC, \#
        "book"."id" LIMIT ?2 OFFSET ?3
        """#,
      json: #"""
        [{"name":"Melville","books":[{"title":"Moby-Dick"}]},{"name":"Zola","books":[{"title":"Germinal"}]},
        {"name":"Anonymous","books":[]}]
        """#)
  }

  @Test
  func `groups are made for each parent`() throws {
    try expectRequest(
      #"""
      /authors?fields=name&include=books&books.fields=kind,n:count(),last:max(year)&books.group=kind
      """#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "book"."kind", COUNT(*), MAX("book"."year") FROM "book" WHERE "book"."authorId" = ?1 GROUP \#
        BY "book"."kind" ORDER BY "book"."kind"
        """#,
      json: #"""
        [{"name":"Melville","books":[{"kind":"novel","n":2,"last":1851},{"kind":"poem","n":1,"last":1891}]},
        {"name":"Zola","books":[{"kind":"novel","n":2,"last":1903}]},{"name":"Anonymous","books":[]}]
        """#)
  }

  @Test
  func `equal results of a parent are kept once`() throws {
    try expectRequest(
      #"/authors?fields=name&include=kinds:books&kinds.values=kind&kinds.distinct=true"#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "c0", "c1" FROM (SELECT "c0", "c1", MIN(place) FROM (SELECT "book"."kind" AS "c0", \#
        "book"."id" AS "c1", "book"."id" AS place FROM "book" WHERE \#
        "book"."authorId" = ?1) GROUP BY "c0") ORDER BY "c1"
        """#,
      json: #"""
        [{"name":"Melville","kinds":["novel","poem"]},{"name":"Zola","kinds":["novel"]},
        {"name":"Anonymous","kinds":[]}]
        """#)
  }

  @Test
  func `an association without an index is read by a transient one`() throws {
    try expectRequest(
      #"/authors?fields=name&include=paintings&paintings.fields=title"#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id" LIMIT ?1 + ?2
        SELECT "painting"."title" FROM temp."kindred:painting(authorId)" AS "index" CROSS JOIN "painting" \#
        ON "painting"."rowid" = "index"."p0" WHERE "index"."k0" = ?1 ORDER BY "painting"."id"
        """#,
      json: #"""
        [{"name":"Melville","paintings":[{"title":"Sea"},{"title":"Ship"}]},
        {"name":"Zola","paintings":[{"title":"Mine"}]},{"name":"Anonymous","paintings":[]}]
        """#)
  }

  @Test
  func `for one record it is read as it is`() throws {
    try expectRequest(
      #"/authors/1?fields=name&include=paintings&paintings.fields=title"#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" WHERE "author"."id" = ?1 ORDER BY \#
        "author"."id" LIMIT 1
        SELECT "painting"."title" FROM "painting" WHERE "painting"."authorId" = ?1 ORDER BY \#
        "painting"."id"
        """#,
      json: #"""
        {"name":"Melville","paintings":[{"title":"Sea"},{"title":"Ship"}]}
        """#)
  }

  @Test
  func `a condition on the parent`() throws {
    try expectRequest(
      #"""
      /authors?fields=name&include=books&books.fields=title&books.filter=year>../deathYear
      """#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id", "author"."deathYear" FROM "author" ORDER BY "author"."id" \#
        LIMIT ?1 + ?2
        SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 AND "book"."year" > ?2 ORDER BY \#
        "book"."id"
        """#,
      json: #"""
        [{"name":"Melville","books":[]},{"name":"Zola","books":[{"title":"Truth"}]},
        {"name":"Anonymous","books":[]}]
        """#)
  }
}
