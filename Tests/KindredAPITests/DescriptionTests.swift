import Foundation
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("/-/describe")
struct DescriptionTests {
  let database: TestDatabase

  init() throws { database = try Library.database() }

  @Test
  func `analysis stops after a hundred errors`() throws {
    let url = "/authors?fields=" + Array(repeating: "zz", count: 2000).joined(separator: ",")
    let errors = try #require(try database.description(of: url)["errors"] as? [[String: Any]])
    #expect(errors.count == 100)
  }

  @Test
  func `a description takes no longer than the request may`() throws {
    var options = KindredService.Options()
    options.queryTime = 0
    let database = try TestDatabase(Library.schema, options: options)
    #expect(try database.get("/-/describe?url=/authors?fields=nmae").status == 503)
    // A page reports the error even without a description.
    let page = try database.get("/authors?nmae=1", headers: ["Accept": "text/html"])
    #expect(page.status == 400 || page.status == 503)
  }

  /// Returns the parts of a URL as `kind:text`.
  private func parts(of url: String) throws -> [String] {
    let scalars = Array(url.unicodeScalars)
    let parts = try #require(try database.description(of: url)["parts"] as? [[String: Any]])
    return try parts.map { part in
      let (from, to) = (try #require(part["from"] as? Int), try #require(part["to"] as? Int))
      return "\(part["kind"] ?? ""):\(String(String.UnicodeScalarView(scalars[from..<to])))"
    }
  }

  @Test
  func `every word of a URL is what the planner takes it for`() throws {
    #expect(
      try parts(of: "/authors/1/books/2?filter=year>1900 and length(title)=3&sort=-author.name") == [
        "resource:authors", "key:1", "association:books", "key:2", "parameter:filter", "column:year",
        "operator:>",
        "number:1900", "keyword:and", "function:length", "column:title", "operator:=", "number:3",
        "parameter:sort", "operator:-", "association:author", "column:name",
      ])
    #expect(
      try parts(
        of: "/authors?include=novels:books&novels.limit=2&annotate=n:novels.count,maxBookYear&name='x'") == [
          "resource:authors", "parameter:include", "name:novels", "association:books", "node:novels",
          "parameter:limit",
          "number:2", "parameter:annotate", "name:n", "name:novels", "aggregate:count",
          "aggregate:maxBookYear",
          "column:name", "value:'x'",
        ])
    #expect(
      try parts(of: "/bookTags/bookId=1,tagId=2") == [
        "resource:bookTags", "column:bookId", "key:1", "column:tagId", "key:2",
      ])
  }

  @Test
  func `positions count Unicode scalars of the URL, escapes as they are written`() throws {
    #expect(
      try parts(of: "/authors?filter=name='é😀%C3%A9'+or+%22name%22='日本'").suffix(7) == [
        "column:name", "operator:=", "text:'é😀%C3%A9'", "keyword:or", "column:%22name%22", "operator:=",
        "text:'日本'",
      ])
  }

  @Test
  func `all errors are listed in the order of the URL, with suggestions`() throws {
    try expectErrors(in: "/authors?filter=name='x'", on: database, [])
    try expectErrors(in: "/", on: database, [])
    try expectErrors(in: "/-/health", on: database, [])
    try expectErrors(
      in: "/authors?filter=nmae='x' and deahtYear>1&sort=-nmae&include=boks", on: database,
      [("nmae", "name"), ("deahtYear", "deathYear"), ("nmae", "name"), ("boks", "books")])
    try expectErrors(
      in: "/authors?include=books.reveiws&books.filter=tilte='x'&books.flter=1", on: database,
      [("reveiws", "reviews"), ("tilte", "title"), ("books.flter", "books.filter")])
    try expectErrors(
      in: "/authors?limit=ten&distinct=maybe&inclued=books", on: database,
      [("ten", nil), ("maybe", nil), ("inclued", "include")])
    try expectErrors(in: "/authors/1/boks?limit=x", on: database, [("boks", "books")])
    try expectErrors(in: "/bookTags/bookIdd=1,tagId=2", on: database, [("bookIdd", "bookId")])
  }

  @Test
  func `errors of types are listed beside one another and beside those of names`() throws {
    try expectErrors(
      in: "/authors?filter=name->'a'=1 and nmae='x' and deathYear->'b'=2&annotate=c:length(name->'c')"
        + "&join=books&books.filter=title->'d'=1&books.sort=tilte",
      on: database,
      [
        ("name", nil), ("nmae", "name"), ("deathYear", nil), ("name", nil), ("title", nil),
        ("tilte", "title"),
      ])
  }

  @Test
  func `the same parameter twice is wrong at the second place where that is wrong`() throws {
    let url = "/authors?filter=id=1&filter=nmae=2"
    let errors = try #require(try database.description(of: url)["errors"] as? [[String: Any]])
    #expect(errors.map { $0["from"] as? Int } == [28])
  }

  @Test
  func `one mistake is one error: what follows from it isn't told`() throws {
    try expectErrors(
      in: "/authors?include=boks&boks.limit=2&boks.filter=x", on: database, [("boks", "books")])
    try expectErrors(in: "/authors?annotate=boks.count", on: database, [("boks", "books")])
    try expectErrors(in: "/books?group=kind&fields=kind,n:(", on: database, [("", nil)])
  }

  @Test
  func `an error in an item does not hide those of the others`() throws {
    try expectErrors(
      in: "/authors?fields=nmae,length(,deahtYear", on: database,
      [("nmae", "name"), (",", nil), ("deahtYear", "deathYear")])
  }

  @Test
  func `the tree has the nodes of the request with their associations`() throws {
    let tree = try #require(
      try database.description(of: "/authors?include=novels:books!,novels.reviews")["tree"] as? [String: Any])
    #expect(tree["resource"] as? String == "authors")
    let novels = try #require((tree["nodes"] as? [[String: Any]])?.first)
    #expect(novels["key"] as? String == "novels")
    #expect(novels["association"] as? String == "books")
    #expect(novels["kind"] as? String == "hasMany")
    #expect(novels["isRequired"] as? Bool == true)
    let reviews = try #require((novels["nodes"] as? [[String: Any]])?.first)
    #expect(reviews["path"] as? String == "novels.reviews")
  }

  @Test
  func `the tree has what each node selects, item by item`() throws {
    let tree = try #require(
      try database.description(
        of: "/authors?fields=name,n:length(name)&annotate=bookCount&include=books&books.annotate=a:'x,y'")[
          "tree"]
        as? [String: Any])
    #expect(tree["fields"] as? [String] == ["name", "n:length(name)"])
    #expect(tree["annotations"] as? [String] == ["bookCount"])
    let books = try #require((tree["nodes"] as? [[String: Any]])?.first)
    #expect(books["fields"] is NSNull)
    #expect(books["annotations"] as? [String] == ["a:'x,y'"])
  }

  @Test
  func `no text is too wrong to be described`() throws {
    for url in [
      "x", "//", "/authors?filter='", "/%zz", "/authors?filter=" + String(repeating: "(", count: 500),
      "/authors?include=" + String(repeating: "books.", count: 40), "/authors?after=zzz", "/-/nothing",
      "/authors?filter=%zz", "/authors?filter=%ff",
    ] {
      let errors = try #require(try database.description(of: url)["errors"] as? [[String: Any]])
      #expect(!errors.isEmpty, "\(url)")
    }
  }
}
