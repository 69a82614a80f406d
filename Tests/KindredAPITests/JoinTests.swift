import Testing

@Suite("Joining and requiring associations")
struct JoinTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `a required to-one is an inner join`() throws {
    try expectRequest(
      #"""
      /books?fields=title&include=author!&author.fields=name&author.filter=deathYear>1900
      """#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."name", "book"."id" FROM "book" JOIN "author" ON "author"."id" = \#
        "book"."authorId" WHERE "author"."deathYear" > ?1 ORDER BY "book"."id" LIMIT ?2 + ?3
        """#,
      json: #"""
        [{"title":"Germinal","author":{"name":"Zola"}},{"title":"Truth","author":{"name":"Zola"}}]
        """#)
  }

  @Test
  func `a filtered optional to-one keeps the record`() throws {
    try expectRequest(
      #"""
      /books?fields=title&include=author&author.fields=name&author.filter=deathYear>1900&limit=4
      """#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."id", "author"."name", "book"."id" FROM "book" LEFT JOIN "author" \#
        ON "author"."id" = "book"."authorId" AND "author"."deathYear" > ?1 ORDER BY "book"."id" LIMIT ?2 \#
        + ?3
        """#,
      json: #"""
        [{"title":"Moby-Dick","author":null},{"title":"Omoo","author":null},{"title":"Timoleon","author":null},
        {"title":"Germinal","author":{"name":"Zola"}}]
        """#)
  }

  @Test
  func `required behind optional: the record stays, the association needs its own`() throws {
    try expectRequest(
      #"""
      /books?fields=title&include=author.country!&author.fields=name&author.country.fields=name\#
      &filter=id>3
      """#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."id", "author"."name", "country"."code", "country"."name", \#
        "book"."id" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" AND EXISTS \#
        (SELECT 1 FROM "country" WHERE "country"."code" = "author"."countryCode") LEFT JOIN "country" ON \#
        "country"."code" = "author"."countryCode" WHERE "book"."id" > ?1 ORDER BY "book"."id" LIMIT ?2 + \#
        ?3
        """#,
      json: #"""
        [{"title":"Germinal","author":{"name":"Zola","country":{"name":"France"}}},
        {"title":"Beowulf","author":null},{"title":"Truth","author":{"name":"Zola","country":{"name":"France"}}}]
        """#)
  }

  @Test
  func `a required to-many repeats nothing`() throws {
    try expectRequest(
      #"/authors?fields=name&join=books!.reviews!"#, on: library,
      sql: #"""
        SELECT "author"."name", "author"."id" FROM "author" WHERE EXISTS (SELECT 1 FROM "book" WHERE \#
        "book"."authorId" = "author"."id" AND EXISTS (SELECT 1 FROM "review" WHERE "review"."bookId" = \#
        "book"."id")) ORDER BY "author"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"name":"Melville"},{"name":"Zola"}]
        """#)
  }

  @Test
  func `what is below a joined to-one belongs to the record`() throws {
    try expectRequest(
      #"/books?fields=title&join=author&include=author.country&limit=1"#, on: library,
      sql: #"""
        SELECT "book"."title", "country"."code", "country"."name", "book"."id" FROM "book" LEFT JOIN \#
        "author" ON "author"."id" = "book"."authorId" LEFT JOIN "country" ON "country"."code" = \#
        "author"."countryCode" ORDER BY "book"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"title":"Moby-Dick","country":{"code":"US","name":"United States"}}]
        """#)
  }

  @Test
  func `equal rows of a view below a joined to-many are several records, unless two ways lead there`() throws
  {
    let database = try TestDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY);
      CREATE TABLE b (id INTEGER PRIMARY KEY, aId INTEGER REFERENCES a(id), kind TEXT);
      CREATE TABLE c (bId INTEGER, kind TEXT, word TEXT);
      CREATE VIEW v AS SELECT * FROM c;
      INSERT INTO a VALUES (1);
      INSERT INTO b VALUES (1, 1, 'k'), (2, 1, 'k');
      INSERT INTO c VALUES (1, 'k', 'x'), (1, 'k', 'x'), (2, 'k', 'y');
      """,
      modelFile: """
        resources:
          bs:
            associations:
              ofKey: { hasMany: vs, foreignKey: { bId: id } }
              ofKind: { hasMany: vs, foreignKey: { kind: kind } }
        """)
    let (x, y) = (#"{"bId":1,"kind":"k","word":"x"}"#, #"{"bId":2,"kind":"k","word":"y"}"#)
    try expectRequest(
      "/as?join=bs&include=bs.ofKey", on: database, json: #"[{"id":1,"ofKey":[\#(x),\#(x),\#(y)]}]"#)
    try expectRequest(
      "/as?join=bs&include=bs.ofKind", on: database, json: #"[{"id":1,"ofKind":[\#(x),\#(y)]}]"#)
  }

  @Test
  func `what is below a joined to-many is there once, however many ways lead to it`() throws {
    try expectRequest(
      #"""
      /countries?fields=code&join=authors.books&include=authors.books.tags\#
      &authors.books.tags.fields=name
      """#, on: library,
      sql: #"""
        SELECT "country"."code", "country"."rowid" FROM "country" ORDER BY "country"."code", \#
        "country"."rowid" LIMIT ?1 + ?2
        SELECT "tag"."name" FROM "tag" WHERE "tag"."id" IN (SELECT "tag2"."id" FROM "author" JOIN "book" \#
        ON "book"."authorId" = "author"."id" JOIN "bookTag" ON "bookTag"."bookId" = "book"."id" JOIN \#
        "tag" AS "tag2" ON "tag2"."id" = "bookTag"."tagId" WHERE "author"."countryCode" = ?1) ORDER BY \#
        "tag"."id"
        """#,
      json: #"""
        [{"code":"FR","tags":[{"name":"work"}]},{"code":"US","tags":[{"name":"sea"},{"name":"work"}]}]
        """#)
  }

  @Test
  func `the same key twice is one node`() throws {
    try expectRequest(
      #"""
      /books?fields=title&join=author!&include=author&author.filter=deathYear>1800\#
      &author.filter=countryCode='FR'&author.fields=id&author.fields=name
      """#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."id", "author"."name", "book"."id" FROM "book" JOIN "author" ON \#
        "author"."id" = "book"."authorId" WHERE "author"."deathYear" > ?1 AND "author"."countryCode" = ?2 \#
        ORDER BY "book"."id" LIMIT ?3 + ?4
        """#,
      json: #"""
        [{"title":"Germinal","author":{"id":2,"name":"Zola"}},{"title":"Truth","author":{"id":2,"name":"Zola"}}]
        """#)
  }

  @Test
  func `a column of a to-one association joins it`() throws {
    try expectRequest(
      #"/books?fields=title,country:author.country.name&filter=author.name<'Z'&limit=2"#, on: library,
      sql: #"""
        SELECT "book"."title", "country"."name", "book"."id" FROM "book" LEFT JOIN "author" ON \#
        "author"."id" = "book"."authorId" LEFT JOIN "country" ON "country"."code" = \#
        "author"."countryCode" WHERE "author"."name" < ?1 ORDER BY "book"."id" LIMIT ?2 + ?3
        """#,
      json: #"""
        [{"title":"Moby-Dick","country":"United States"},{"title":"Omoo","country":"United States"}]
        """#)
  }
}
