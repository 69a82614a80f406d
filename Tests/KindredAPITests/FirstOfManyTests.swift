import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("A to-one association that several records match")
struct FirstOfManyTests {
  private static let schema = """
    CREATE TABLE country (code TEXT PRIMARY KEY);
    CREATE TABLE author (id INTEGER PRIMARY KEY, countryCode TEXT REFERENCES country(code));
    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER, title TEXT, year INTEGER);
    CREATE TABLE review (bookId INTEGER, number INTEGER, body TEXT, PRIMARY KEY (bookId, number)) WITHOUT ROWID;
    CREATE VIEW bookTitle AS SELECT authorId, title FROM book;
    CREATE VIEW note AS SELECT bookId, body FROM review;
    INSERT INTO country VALUES ('FR');
    INSERT INTO author VALUES (1, 'FR'), (2, 'FR'), (3, NULL);
    INSERT INTO book VALUES (1, 1, 'B', 1990), (2, 1, 'A', 2001), (3, 2, 'C', 1985), (6, 1, 'D', 2001), (7, 3, 'E', NULL),
      (8, 3, 'E', NULL);
    INSERT INTO review VALUES (1, 1, NULL), (1, 2, 'good'), (2, 1, NULL), (6, 2, 'b'), (6, 1, 'a'), (2, 2, NULL);
    """
  private static let model = """
    resources:
      authors:
        associations:
          latest: { hasOne: books, foreignKey: [authorId], sort: -year }
          titled: { hasOne: bookTitles, foreignKey: { authorId: id }, sort: -title }
          review: { hasOne: reviews, through: latest, using: first }
          firsts: { hasMany: reviews, through: books, using: first }
          again:  { hasMany: books, through: books, using: latest }
          titles: { hasMany: bookTitles, through: books, using: titled }
          books:  { hasMany: books, foreignKey: { authorId: id } }
      books:
        associations:
          author:  { belongsTo: authors, foreignKey: { authorId: id } }
          reviews: { hasMany: reviews, foreignKey: { bookId: id } }
          first:   { hasOne: reviews, foreignKey: { bookId: id } }
          latest:  { hasOne: books, through: author, using: latest }
          titled:  { hasOne: bookTitles, through: author, using: titled }
          notes:   { hasMany: notes, foreignKey: { bookId: id } }
    """
  private let database: TestDatabase

  init() throws { database = try TestDatabase(Self.schema, modelFile: Self.model) }

  @Test
  func `is the first of the association's order, at every place`() throws {
    let latest = #"[{"id":1,"latest":2},{"id":2,"latest":3},{"id":3,"latest":7}]"#
    try expectRequest("/authors?fields=id&include=latest&latest.values=id", on: database, json: latest)
    try expectRequest("/authors?fields=id,latest:latest.id", on: database, json: latest)
    try expectRequest(
      "/authors?fields=id,latest:latest.id&filter=latest.title<'C'", on: database,
      json: #"[{"id":1,"latest":2}]"#)
    try expectRequest("/authors/1/latest?fields=id&sort=id", on: database, json: #"{"id":2}"#)
    try expectRequest(
      "/authors/1/latest/reviews?fields=number", on: database, json: #"[{"number":1},{"number":2}]"#)
    try expectRequest(
      "/countries?include=authors.latest&authors.fields=id&authors.latest.values=id", on: database,
      json: #"[{"code":"FR","authors":[{"id":1,"latest":2},{"id":2,"latest":3}]}]"#)
    try expectRequest(
      "/countries?join=authors&include=authors.latest&authors.latest.values=id", on: database,
      json: #"[{"code":"FR","latest":[2,3]}]"#)
    try expectRequest(
      "/countries?annotate=n:authors.max(latest.id),m:authors.filter(latest.year>1990).count", on: database,
      json: #"[{"code":"FR","n":3,"m":1}]"#)
    try expectRequest(
      "/countries?include=authors&authors.fields=id&authors.filter=latest.id=2", on: database,
      json: #"[{"code":"FR","authors":[{"id":1}]}]"#)
  }

  @Test
  func `is the first that meets the conditions of its node`() throws {
    try expectRequest(
      "/authors?fields=id&include=latest!&latest.fields=id&latest.filter=year<2000&count=true", on: database,
      json: #"[{"id":1,"latest":{"id":1}},{"id":2,"latest":{"id":3}}]"#)
    try expectRequest(
      "/authors?fields=id&include=latest.first!&latest.fields=id&latest.first.values=body", on: database,
      json: #"[{"id":1,"latest":{"id":2,"first":null}},{"id":2,"latest":null},{"id":3,"latest":null}]"#)
  }

  @Test
  func `goes by the key where no order is given, a composite one too`() throws {
    try expectRequest(
      "/books?fields=id&include=first&first.values=body&filter=id in (1,6)", on: database,
      json: #"[{"id":1,"first":null},{"id":6,"first":"a"}]"#)
  }

  @Test
  func `without a key, repeats no record, and of equal rows takes one`() throws {
    try expectRequest(
      "/authors?fields=id&include=titled&titled.values=title&limit=2", on: database,
      json: #"[{"id":1,"titled":"D"},{"id":2,"titled":"C"}]"#)
    try expectRequest(
      "/countries?include=authors.titled&authors.fields=id&authors.titled.values=title", on: database,
      json: #"[{"code":"FR","authors":[{"id":1,"titled":"D"},{"id":2,"titled":"C"}]}]"#)
    try expectRequest("/authors/3/titled", on: database, json: #"{"authorId":3,"title":"E"}"#)
    #expect(try database.get("/authors?include=titled&count=true").headers["X-Total-Count"] == "3")
  }

  @Test
  func `takes the first at each step where others go through it`() throws {
    try expectRequest(
      "/authors?fields=id&include=review&review.fields=body,n:number,title:via.title", on: database,
      json: """
        [{"id":1,"review":{"body":null,"n":1,"title":"A"}},{"id":2,"review":null},{"id":3,"review":null}]
        """)
    try expectRequest("/authors/1/review?fields=bookId", on: database, json: #"{"bookId":2}"#)
    try expectRequest(
      "/authors?fields=id&include=firsts&firsts.fields=bookId,number&annotate=n:firsts.count&limit=1",
      on: database,
      json:
        #"[{"id":1,"n":3,"firsts":[{"bookId":1,"number":1},{"bookId":2,"number":1},{"bookId":6,"number":1}]}]"#
    )
  }

  @Test
  func `is there once, however many ways lead to it, unless the ways are asked for`() throws {
    try expectRequest(
      "/authors/1?fields=id&include=again,titles&again.values=id&annotate=n:again.count,m:again.sum(id),t:titles.count",
      on: database,
      json: #"{"id":1,"n":1,"m":2,"t":1,"again":[2],"titles":[{"authorId":1,"title":"D"}]}"#)
    try expectRequest("/authors/1/again?fields=id&count=true", on: database, json: #"[{"id":2}]"#)
    let way = #"{"id":2,"from":1}"#
    try expectRequest(
      "/authors/1/again?fields=id,from:via.id", on: database, json: "[\(way),\(way),\(way)]")
  }

  @Test
  func `records without a key that hold NULL are found below joined ones, each once`() throws {
    try expectRequest(
      "/authors?fields=id&join=books&include=books.notes&books.notes.sort=body&filter=id=1", on: database,
      json: """
        [{"id":1,"notes":[{"bookId":1,"body":null},{"bookId":2,"body":null},{"bookId":2,"body":null},{"bookId":6,"body":"a"},
        {"bookId":6,"body":"b"},{"bookId":1,"body":"good"}]}]
        """)
  }

  @Test
  func `the first is looked up, and not searched among all for each record`() throws {
    let plan = try database.get("/authors?include=latest&explain=true").text
    #expect(plan.contains("kindred:book(authorId)") && !plan.contains("SCAN book2"))
  }
}
