import KindredModel
import KindredPlanning
import Testing

@testable import KindredAPI

@Suite("/-/complete")
struct CompletionTests {
  let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      Library.schema + """
        CREATE TABLE "Order Details" (id INTEGER PRIMARY KEY, "Unit Price" REAL, "a&b" TEXT, "x%+#" TEXT,
          bookId INTEGER REFERENCES book(id));
        """)
  }

  @Test
  func `paths lead to resources, associations and columns, and records are named by unique columns`() throws {
    try expectCompletions(of: "/‸", on: database, make: ["/authors", "/orderDetails"])
    try expectCompletions(of: "", prefixed: "‸", on: database, make: ["/authors"])
    try expectCompletions(of: "/AUTH‸", on: database, make: ["/authors"], butNot: ["/books"])
    try expectCompletions(of: "/au‸?limit=1", on: database, make: ["/authors?limit=1"])
    try expectCompletions(
      of: "/authors/1/bo‸", on: database, make: ["/authors/1/books"], butNot: ["/authors/1/country"])
    try expectCompletions(
      of: "/authors/1/books/2/rev‸/3", on: database, make: ["/authors/1/books/2/reviews/3"])
    try expectCompletions(of: "/authors/1/na‸", on: database, make: ["/authors/1/name"])
    try expectCompletions(of: "/countries/na‸", on: database, make: ["/countries/name="])
    try expectCompletions(of: "/bookTags/bookId=1,tag‸", on: database, make: ["/bookTags/bookId=1,tagId="])
  }

  @Test
  func `only names are offered in quotes, and quotes in names are doubled`() throws {
    let database = try TestDatabase(
      #"CREATE TABLE item (id INTEGER PRIMARY KEY, "a""b" TEXT, "null" TEXT, shelf TEXT, number INTEGER, UNIQUE (shelf, number));"#
    )
    let column = #"/items?filter="a""b""#
    try expectCompletions(of: #"/items?filter="a""‸"#, on: database, make: [column])
    try expectCompletions(of: #"/items?filter="a‸"#, on: database, make: [column])
    try expectCompletions(
      of: #"/items?filter="n‸"#, on: database, make: [#"/items?filter="null""#],
      butNot: [#"/items?filter="not""#, #"/items?filter="nullif"("#])
    try expectCompletions(
      of: "/items?fields=n‸", on: database, make: ["/items?fields=number"], butNot: ["/items?fields=null"])
    try expectCompletions(
      of: "/items/number=3,‸", on: database, make: ["/items/number=3,shelf="],
      butNot: ["/items/number=3,number="])
    try expectCompletions(of: "/items/3,‸", on: database, make: [], butNot: ["/items/3,shelf="])
  }

  @Test
  func `after the filter of an association, what is applied to it is offered`() throws {
    try expectCompletions(
      of: "/authors?having=books.filter(year>1)‸", on: database,
      make: ["/authors?having=books.filter(year>1).count"],
      butNot: ["/authors?having=books.filter(year>1) not", "/authors?having=books.filter(year>1) collate"])
    try expectCompletions(
      of: "/authors?include=books&books.values=id&books.‸", on: database,
      make: ["/authors?include=books&books.values=id&books.sort="],
      butNot: ["/authors?include=books&books.values=id&books.fields="])
  }

  @Test
  func `a parameter comes with its =, a node with its dot, and neither twice`() throws {
    try expectCompletions(
      of: "/books?‸", on: database,
      make: ["/books?filter=", "/books?search=", "/books?format=", "/books?kind="], butNot: ["/books?values="]
    )
    try expectCompletions(of: "/authors?inc‸=books", on: database, make: ["/authors?include=books"])
    try expectCompletions(
      of: "/authors?‸", on: database, make: ["/authors?include="], butNot: ["/authors?search="])
    try expectCompletions(
      of: "/authors?include=novels:books&n‸", on: database, make: ["/authors?include=novels:books&novels."])
    try expectCompletions(
      of: "/authors?include=books&books.‸=1", on: database,
      make: ["/authors?include=books&books.limit=1", "/authors?include=books&books.values=1"],
      butNot: ["/authors?include=books&books.include=1"])
    try expectCompletions(
      of: "/books?include=author&author.‸", on: database, make: ["/books?include=author&author.fields="],
      butNot: ["/books?include=author&author.limit="])
  }

  @Test
  func `aggregates of groups stand where there are groups, and not in one another`() throws {
    for url in [
      "/books?fields=n:‸", "/books?group=kind&fields=kind,n:‸", "/books?fields=n:count(),m:‸",
      "/books?group=kind&fields=kind&having=‸", "/books?fields=n:count()&having=‸",
    ] {
      try expectCompletions(of: url, on: database, make: [url.replacing("‸", with: "avg(")])
    }
    for url in [
      "/books?filter=‸", "/books?sort=‸", "/books?having=‸", "/books?annotate=x:‸", "/books?fields=id,n:‸",
      "/books?group=‸&fields=n:count()", "/books?fields=n:count(‸", "/books?fields=n:1%2Bsum(abs(‸",
    ] {
      try expectCompletions(
        of: url, on: database, make: [url.replacing("‸", with: "abs(")],
        butNot: [url.replacing("‸", with: "avg(")])
    }
  }

  @Test
  func `an annotation without a name is no column that is there`() throws {
    try expectCompletions(
      of: "/authors?annotate=‸", on: database, make: ["/authors?annotate=books."],
      butNot: ["/authors?annotate=name"])
    try expectCompletions(of: "/authors?annotate=x:‸", on: database, make: ["/authors?annotate=x:name"])
    try expectCompletions(
      of: "/authors?fields=id&annotate=‸", on: database, make: ["/authors?fields=id&annotate=name"])
  }

  @Test
  func `associations follow one another, the request's own keys among them`() throws {
    try expectCompletions(
      of: "/authors?include=novels:books,novels.re‸", on: database,
      make: ["/authors?include=novels:books,novels.reviews"])
    try expectCompletions(
      of: "/authors?include=books!.re‸&limit=2", on: database,
      make: ["/authors?include=books!.reviews&limit=2"])
    try expectCompletions(
      of: "/authors?include=novels:bo‸", on: database, make: ["/authors?include=novels:books"])
  }

  @Test
  func `expressions know their record: of a node, of an aggregate's arguments, of a record above`() throws {
    try expectCompletions(
      of: "/authors?filter=na‸me='x'", on: database, make: ["/authors?filter=name='x'"])
    try expectCompletions(
      of: "/authors?filter=books.filter(ki‸).count>1", on: database,
      make: ["/authors?filter=books.filter(kind).count>1"])
    try expectCompletions(
      of: "/authors?filter=books.‸", on: database,
      make: ["/authors?filter=books.count", "/authors?filter=books.max("],
      butNot: ["/authors?filter=books.title"])
    try expectCompletions(
      of: "/authors?include=books&books.filter=year>../de‸", on: database,
      make: ["/authors?include=books&books.filter=year>../deathYear"])
    try expectCompletions(
      of: "/books?include=tags&tags.fields=name,x:via.‸", on: database,
      make: ["/books?include=tags&tags.fields=name,x:via.position"])
    try expectCompletions(
      of: "/authors?annotate=n:books.count&sort=-n‸", on: database,
      make: ["/authors?annotate=n:books.count&sort=-n", "/authors?annotate=n:books.count&sort=-name"])
    try expectCompletions(
      of: "/authors?annotate=maxB‸", on: database, make: ["/authors?annotate=maxBookYear"])
  }

  @Test
  func `where a value is complete, operators and the words of the grammar follow`() throws {
    try expectCompletions(
      of: "/authors?filter=name ‸", on: database,
      make: ["/authors?filter=name and", "/authors?filter=name =", "/authors?filter=name is"],
      butNot: ["/authors?filter=name id"])
    try expectCompletions(
      of: "/authors?filter=name is n‸", on: database,
      make: ["/authors?filter=name is not", "/authors?filter=name is null"])
    try expectCompletions(
      of: "/authors?filter=name='x'‸", on: database, make: ["/authors?filter=name='x' and"])
    try expectCompletions(
      of: "/authors?sort=name:nulls‸", on: database, make: ["/authors?sort=name:nullslast"],
      butNot: ["/authors?sort=name:nocase"])
    try expectCompletions(
      of: "/books?format=nd‸", on: database, make: ["/books?format=ndjson"], butNot: ["/books?format=csv"])
    try expectCompletions(of: "/books?distinct=‸", on: database, make: ["/books?distinct=true"])
    try expectCompletions(
      of: "/books?sort=year:‸", on: database, make: ["/books?sort=year:nocase"],
      butNot: ["/books?sort=year:desc"])
  }

  @Test
  func `names are quoted and escaped as the place needs it`() throws {
    try expectCompletions(
      of: "/orderDetails?filter=uni‸", on: database, make: ["/orderDetails?filter=\"Unit Price\""])
    try expectCompletions(
      of: "/orderDetails?filter=\"uni‸\">1", on: database, make: ["/orderDetails?filter=\"Unit Price\">1"])
    try expectCompletions(
      of: "/orderDetails?fields=%22uni‸", on: database, make: ["/orderDetails?fields=\"Unit Price\""])
    try expectCompletions(of: "/orderDetails?sort=a‸", on: database, make: ["/orderDetails?sort=\"a%26b\""])
    try expectCompletions(of: "/orderDetails?x‸", on: database, make: ["/orderDetails?x%25%2B%23="])
  }

  @Test
  func `in a text, a number, a fragment or a page of Kindred's own there is nothing to complete`() throws {
    for marked in [
      "/authors?filter=name='x‸", "/authors?filter=birthYear>19‸", "/authors#x‸", "/-/heal‸", "/nothing/1/‸",
      "/authors?limit=‸", "/authors?filter='‸",
    ] {
      #expect(try completions(of: marked, on: database) == [], "\(marked)")
    }
  }

  @Test
  func `there are 100 items at most, whatever the number of tables`() throws {
    let tables = (0..<300).map { "CREATE TABLE item\($0) (id INTEGER PRIMARY KEY, \"name\($0)\" TEXT);" }
    let database = try TestDatabase(tables.joined())
    #expect(try completions(of: "/‸", on: database).count == 100)
    // The table `item29` is the resource `items29`; either name finds it and those with the same prefix.
    for typed in ["/item29‸", "/items29‸"] {
      let found = try completions(of: typed, on: database)
      #expect(found.prefix(11).allSatisfy { $0.hasPrefix("/items29") }, "\(found)")
      #expect(found.count == 11, "\(found)")
    }
  }

  @Test
  func `a position that is none is a mistake of the client`() throws {
    for query in [
      "", "?url=/authors", "?url=/authors&position=-1", "?url=/authors&position=9", "?url=/a&position=x",
    ] {
      #expect(try database.get("/-/complete\(query)").status == 400, "\(query)")
    }
    try expectProblem(
      "/-/complete?url=/&positon=1", on: database, code: .unknownParameter, parameter: "positon",
      suggestion: "position")
  }
}

/// Asserts the completions of a URL with text before it.
private func expectCompletions(
  of url: String, prefixed mark: String, on database: TestDatabase, make wanted: [String]
) throws {
  try expectCompletions(of: mark + url, on: database, make: wanted)
}
