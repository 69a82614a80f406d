import KindredHTTP
import KindredModel
import KindredPlanning
import Testing

@testable import KindredAPI

/// Bugs that random requests have found (Tests/Oracle), each reduced to a small case.
@Suite("Findings of the oracle")
struct OracleFindingsTests {
  @Test
  func `an aggregate of the parent's columns is still one of the association`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE award (id INTEGER PRIMARY KEY, rank INTEGER);
      CREATE TABLE painting (id INTEGER PRIMARY KEY, awardId INTEGER REFERENCES award(id));
      INSERT INTO award VALUES (1, 3), (2, 4);
      INSERT INTO painting VALUES (1, 1), (2, 1);
      """)
    try expectRequest(
      "/awards?filter=paintings.total(../rank)>1&annotate=n:paintings.total(../rank)", on: database,
      json: #"[{"id":1,"rank":3,"n":6.0}]"#)
  }

  @Test
  func `a joined node is not returned for a keyed inclusion below it`() throws {
    try expectRequest(
      "/books/1?fields=title&join=author&include=c:author.country&author.c.fields=name",
      on: Library.database(),
      json: #"{"title":"Moby-Dick","c":{"name":"United States"}}"#)
  }

  @Test
  func `a to-one node below a joined to-many one is a list and has a limit`() throws {
    try expectRequest(
      "/tags/2?fields=name&join=books&include=books.author&books.author.fields=name&books.author.limit=1",
      on: Library.database(), json: #"{"name":"work","author":[{"name":"Melville"}]}"#)
  }

  @Test
  func `a key of the request goes before an association of that name, wherever it is given`() throws {
    try expectRequest(
      "/authors/2?fields=name&join=n:books.author&include=books:paintings&books.fields=title",
      on: Library.database(),
      json: #"{"name":"Zola","books":[{"title":"Mine"}]}"#)
  }

  @Test
  func `the way to a to-one association through others can be read, and is NULL without a record`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE book (code TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE award (code TEXT PRIMARY KEY NOT NULL, bookCode TEXT REFERENCES book(code), rank INTEGER);
      CREATE TABLE team (id INTEGER PRIMARY KEY, awardCode TEXT REFERENCES award(code));
      PRAGMA foreign_keys = OFF;
      INSERT INTO book VALUES ('b');
      INSERT INTO award VALUES ('x', 'gone', 3), ('y', 'b', 5);
      INSERT INTO team VALUES (1, 'x'), (2, 'none'), (3, 'y');
      """,
      modelFile: """
        resources:
          teams:
            associations:
              book: { hasOne: books, through: award, using: book }
        """)
    try expectRequest(
      "/teams?fields=id&include=book&book.fields=rank:via.rank&book.sort=via.rank", on: database,
      json: #"[{"id":1,"book":null},{"id":2,"book":null},{"id":3,"book":{"rank":5}}]"#)
  }

  @Test
  func `a pivot's condition is evaluated on the pivot`() throws {
    let database = try TestDatabase(
      Library.schema + Library.records,
      modelFile: """
        resources:
          tags:
            associations:
              unread: { from: books, filter: reviews.isEmpty }
              authors: { hasMany: authors, through: unread, using: author }
        """)
    try expectRequest(
      "/tags/1?fields=name&include=authors&authors.fields=name", on: database,
      json: #"{"name":"sea","authors":[{"name":"Melville"}]}"#)
  }

  @Test
  func `the empty list in an order`() throws {
    try expectRequest(
      "/tags?fields=id&sort=name in () and id,-id not in (),-id", on: Library.database(),
      json: #"[{"id":3},{"id":2},{"id":1}]"#)
  }

  @Test
  func `optional records are distinguished by what they show`() throws {
    try expectRequest(
      "/books?fields=kind&distinct=true&include=author&author.fields=n:length(countryCode)",
      on: Library.database(),
      json:
        #"[{"kind":"novel","author":{"n":2}},{"kind":"poem","author":{"n":2}},{"kind":"poem","author":null}]"#
    )
  }

  @Test
  func `pages of groups by an operator that binds less than a comparison`() throws {
    let database = try Library.database()
    let first = try database.get("/books?fields=n:count()&group=not kind='poem'&limit=1")
    #expect(first.text == #"[{"n":2}]"#)
    let next = try #require(first.headers["Link"]?.split(separator: ">").first?.dropFirst())
    #expect(try database.get(String(next)).text == #"[{"n":4}]"#)
  }

  @Test
  func `the keys of the pivots come last where each way counts, so that the order is total`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE tag (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY);
      CREATE TABLE mark (
        id INTEGER PRIMARY KEY, tagId INTEGER REFERENCES tag(id), bookId INTEGER REFERENCES book(id), page INTEGER);
      CREATE INDEX markOnBook ON mark(bookId, page);
      INSERT INTO tag VALUES (1);
      INSERT INTO book VALUES (1);
      INSERT INTO mark VALUES (1, 1, 1, 30), (2, 1, 1, 20), (3, 1, 1, 10);
      """,
      modelFile: """
        resources:
          books:
            associations:
              tags: { hasMany: tags, through: marks, using: tag }
        """)
    var target: String? = "/books/1/tags?fields=page:via.page&limit=1"
    var pages: [String] = []
    while let page = target, pages.count < 5 {
      let answer = try database.get(page)
      pages.append(answer.text)
      let link = answer.headers["Link"] ?? ""
      target =
        link.contains("rel=\"next\"") ? link.split(separator: ">").first.map { String($0.dropFirst()) } : nil
    }
    #expect(pages == [#"[{"page":30}]"#, #"[{"page":20}]"#, #"[{"page":10}]"#])
  }
  @Test
  func `a to-one association below a joined to-many one is a list, also in the order of a group`() throws {
    try expectRequest(
      "/authors?fields=name&limit=2&join=books&include=books.author&books.author.fields=n:count()&books.author.sort=-n",
      on: Library.database(),
      json: #"[{"name":"Melville","author":[{"n":1}]},{"name":"Zola","author":[{"n":1}]}]"#)
    try expectProblem(
      "/authors?join=books&include=books.author&books.sort=tilte", on: Library.database(),
      code: .unknownColumn, parameter: "books.sort", position: 0, suggestion: "title")
  }
}
