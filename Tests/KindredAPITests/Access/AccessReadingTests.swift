import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredExplorer

@Suite("Rules of access, where records are read")
struct AccessReadingTests {
  private let database: TestDatabase

  init() throws {
    database = try AccessFixture.database()
  }

  private func text(_ target: String, _ headers: HTTPHeaders = AccessFixture.reader) throws -> String {
    try database.get(target, headers: headers).text
  }

  private func status(_ target: String, _ headers: HTTPHeaders = AccessFixture.reader) throws -> Int {
    try database.get(target, headers: headers).status
  }

  @Test
  func `the first entry one of whose roles the client has says which rows and columns there are`() throws {
    #expect(try text("/authors", [:]) == #"[{"id":1,"name":"Melville"},{"id":2,"name":"Zola"}]"#)
    #expect(try text("/authors?fields=id") == #"[{"id":1}]"#)
    #expect(try text("/authors?fields=id", AccessFixture.other) == #"[{"id":2}]"#)
    #expect(try text("/books/1") == #"{"id":1,"authorId":1,"title":"Moby-Dick","kind":"novel","year":1851}"#)
    #expect(try text("/books/1", AccessFixture.critic) == #"{"id":1,"authorId":1,"title":"Moby-Dick"}"#)
    #expect(try text("/books?fields=id", AccessFixture.other) == #"[{"id":1},{"id":2},{"id":4},{"id":6}]"#)
    let key: HTTPHeaders = ["Authorization": "Bearer the-key-of-a-reader"]
    #expect(try text("/authors?fields=id", key) == #"[{"id":1}]"#)
  }

  @Test
  func `what is not named is 401 without credentials, 403 with others, 404 out of sight`() throws {
    for target in [
      "/books", "/books/1", "/books/999", "/authors/1/books", "/authors?include=books", "/paintings",
    ] {
      #expect(try status(target, [:]) == 401, "\(target)")
      #expect(try status(target, AccessFixture.stranger) == 403, "\(target)")
    }
    #expect(try database.get("/books").headers["WWW-Authenticate"] == "Bearer")
    #expect(try status("/authors?annotate=bookCount", [:]) == 401)
    #expect(try status("/authors?filter=paintings.count>0") == 403)
    #expect(try status("/books/5") == 404)
    #expect(try status("/countries", [:]) == 200)
  }

  @Test
  func `a column that is not for the client doesn't exist wherever it is named, nor is suggested`() throws {
    for target in [
      "/books?filter=price>1", "/books?sort=price", "/books?fields=price", "/books?annotate=x:price",
      "/books?fields=n:count()&group=price", "/authors?annotate=x:books.max(price)",
      "/reviews?filter=book.price>1",
      "/authors?include=books&books.values=price", "/books?include=reviews&reviews.filter=rating<../price",
      "/books?price=1",
      "/books?filter=pric>1",
    ] {
      let answer = try database.get(target, headers: AccessFixture.reader)
      #expect(answer.status == 400, "\(target)")
      #expect(!answer.text.contains("did you mean `price`"), "\(target)")
    }
  }

  @Test
  func `the rule holds for every table that a request reads`() throws {
    let cases = [
      ("/authors?fields=id&include=books&books.values=id", #"[{"id":1,"books":[1,2,3]}]"#),
      (
        "/reviews?fields=id&include=book&book.fields=id",
        #"[{"id":1,"book":{"id":1}},{"id":2,"book":{"id":1}}]"#
      ),
      ("/authors?fields=id&annotate=bookCount", #"[{"id":1,"bookCount":3}]"#),
      ("/reviews?fields=id&filter=book.author.name>''", #"[{"id":1},{"id":2}]"#),
      ("/tags?fields=id&include=books&books.values=id", #"[{"id":1,"books":[1,2]},{"id":2,"books":[]}]"#),
      (
        "/books?fields=id&annotate=tagCount&filter=tags.count>0",
        #"[{"id":1,"tagCount":1},{"id":2,"tagCount":1}]"#
      ),
      (
        "/employees?fields=id&include=staff:employeesByManager*&staff.fields=id&filter=managerId is null",
        #"[{"id":1,"staff":[{"id":3,"staff":[]}]}]"#
      ),
      ("/books?fields=kind,n:count()&group=kind", #"[{"kind":"novel","n":4},{"kind":"poem","n":1}]"#),
      ("/books?search=Beowulf OR Moby&fields=id", #"[{"id":1}]"#),
      ("/authors/1/books?fields=id&sort=-id", #"[{"id":3},{"id":2},{"id":1}]"#),
    ]
    for (target, expected) in cases { #expect(try text(target) == expected, "\(target)") }
    let counted = try database.get("/books?count=true&limit=1", headers: AccessFixture.reader)
    #expect(counted.headers["X-Total-Count"] == "5")
    #expect(try status("/authors/2/books") == 404)
  }

  @Test
  func `a rule reads what its reader doesn't see: no rule applies inside of it`() throws {
    // Review 3 is of book 4, whose author is invisible to the reader.
    #expect(try text("/reviews?fields=id", AccessFixture.other) == #"[{"id":1},{"id":2},{"id":3}]"#)
  }

  @Test
  func `an expression never tells of rows out of sight, by an error or by what it reads above`() throws {
    let database = try AccessFixture.database(
      "INSERT INTO book (id, authorId, title, kind, year) VALUES (7, 2, '%a', 'secret', -9223372036854775808);"
    )
    for target in [
      "/books?filter=abs(year)>=0 or id>0&fields=id",
      "/books?filter=year<>0 and abs(year)>=0 or kind='poem'&fields=id",
      "/books?having=abs(year)>0 or id>0&fields=id",
      "/books?filter=json_extract(title,'$.a') is null or id>0&fields=id",
      "/reviews?filter=abs(book.year)>=0&fields=id",
      "/authors?fields=id&annotate=n:books.filter(abs(year)>0).count",
      "/authors?fields=id&include=books&books.filter=abs(year)>0&books.values=id",
      "/authors?fields=id&filter=books.filter(abs(year)>0).count>0",
    ] {
      let answer = try database.get(target, headers: AccessFixture.reader)
      // No title is JSON, and the error about a visible book may be reported.
      #expect(answer.status == (target.contains("json") ? 400 : 200), "\(target): \(answer.text)")
    }
    #expect(try database.get("/books?filter=abs(year)>0", headers: AccessFixture.editor).status == 400)
  }

  @Test
  func `what is not for the client is not in the index, in OpenAPI, in pages and in suggestions`() throws {
    for target in ["/", "/-/openapi.json"] {
      let text = try text(target)
      #expect(!text.contains("price"), "\(target)")
      #expect(!text.contains("paintings"), "\(target)")
      #expect(text.contains("books"), "\(target)")
      #expect(try self.text(target, AccessFixture.editor).contains("paintings"))
      #expect(try !self.text(target, [:]).contains("\"books\""))
    }
    let page = try database.get("/authors/1", headers: AccessFixture.reader.with("Accept", "text/html"))
    #expect(!page.text.contains("paintings"))
  }

  @Test
  func `tags, cursors and caches belong to their principal`() throws {
    let tag = try #require(try database.get("/books", headers: AccessFixture.editor).headers["ETag"])
    let again = try database.get("/books", headers: AccessFixture.reader.with("If-None-Match", tag))
    #expect(again.status == 200)
    #expect(try status("/books", ["If-None-Match": "*"]) == 401)
    let link = try #require(try database.get("/books?limit=1", headers: AccessFixture.editor).headers["Link"])
    let next = String(link.dropFirst().prefix { $0 != ">" })
    #expect(try status(next, AccessFixture.editor) == 200)
    #expect(try status(next) == 400)
    // The same if requests can't share a plan.
    let page = try #require(
      try database.get("/bookTags?limit=1&sort=tagId%2B0", headers: AccessFixture.reader).headers["Link"])
    let second = String(page.dropFirst().prefix { $0 != ">" })
    #expect(try status(second) == 200)
    #expect(try status(second, AccessFixture.other) == 400)
    // And if its name is encoded, so that it could be mistaken for a part of the shape.
    let encoded = second.replacing("after=", with: "%61fter=")
    #expect(try status(encoded) == 200)
    #expect(try status(encoded, AccessFixture.other) == 400)
    // A renewed token has the same principal.
    let renewed = AccessFixture.bearer(#"{"role":["editor"],"jti":"2","exp":9999999999}"#)
    #expect(try status(next, renewed) == 200)
    let answer = try database.get("/countries")
    #expect(answer.headers["Vary"]?.contains("Authorization") ?? false)
    #expect(answer.headers["Cache-Control"]?.contains("private") ?? false)
  }

  @Test
  func `an explorer's file is the same for everybody, and says nothing else`() throws {
    let answer = try database.get("\(ExplorerAssets.shared.path)/explorer.js")
    #expect(answer.status == 200)
    #expect(answer.headers["Cache-Control"] == "public, max-age=31536000, immutable")
    #expect(answer.headers.values(for: "Vary").allSatisfy { !$0.contains("Authorization") })
  }

  @Test
  func `the schema shows each client what it may read, as do the other documents`() throws {
    let database = try AccessFixture.database()
    for (headers, absent) in [
      (AccessFixture.editor, ["employees"]), (AccessFixture.reader, ["paintings", "price"]),
      (AccessFixture.critic, ["paintings", "price", "reviews"]), (HTTPHeaders(), ["books", "deathYear"]),
    ] {
      for target in ["/-/schema", "/", "/-/openapi.json", "/-/diagram.mmd"] {
        let answer = try database.get(target, headers: headers)
        #expect(answer.status == 200 && answer.text.contains("countries"))
        for name in absent { #expect(!answer.text.contains("\"\(name)\""), "\(target)") }
      }
    }
    #expect(try database.get("/-/metrics", headers: AccessFixture.reader).status == 403)
  }

  @Test
  func `a default order tells nothing of what the client may not read`() throws {
    var options = KindredService.Options()
    options.access = AccessFixture.configuration
    let ordered = try TestDatabase(
      Library.schema + Library.records,
      modelFile: """
        resources:
          authors:
            sort: -deathYear, name
            access: { read: [{ roles: [editor] }, { fields: [id, name] }] }
            associations:
              byPrice: { from: books, sort: price }
              cheapest: { hasOne: books, foreignKey: [authorId], sort: price }
          books:
            sort: [-author.deathYear, -id]
            access: { read: [{ roles: [editor] }, { fields: [id, authorId, title] }] }
          countries:
            sort: authors.max(deathYear)
        access: { read: {} }
        """, options: options)
    func records(_ ids: [Int]) -> String { "[" + ids.map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]" }
    for (target, editors, others) in [
      ("/authors?fields=id", records([2, 1, 3]), records([3, 1, 2])),
      ("/books?fields=id", records([6, 4, 3, 2, 1, 5]), records([6, 5, 4, 3, 2, 1])),
      ("/authors/1/byPrice?fields=id", records([3, 2, 1]), records([1, 2, 3])),
      ("/authors/1?fields=ids:byPrice.concat(id,'-')", #"{"ids":"3-2-1"}"#, #"{"ids":"1-2-3"}"#),
      ("/countries?fields=code", #"[{"code":"US"},{"code":"FR"}]"#, #"[{"code":"FR"},{"code":"US"}]"#),
      // Which record it is belongs to the association.
      ("/authors/2/cheapest?fields=id", #"{"id":6}"#, #"{"id":6}"#),
    ] {
      #expect(try ordered.get(target, headers: AccessFixture.editor).text == editors, "\(target)")
      #expect(try ordered.get(target).text == others, "\(target)")
    }
  }

  @Test
  func `plans are shared by all clients with the same roles, and claims are bound`() throws {
    for sub in 1...20 {
      let reader = AccessFixture.bearer(#"{"role":"reader","sub":\#(sub)}"#)
      _ = try text("/books?filter=authorId=\(sub)", reader)
    }
    #expect(database.service.context.models.planCounts.snapshot.misses == 1)
    let claim = AccessFixture.bearer(#"{"role":"reader","sub":"1 or 1=1","country":"' or 1=1 --"}"#)
    #expect(try text("/authors", claim) == "[]")
  }

  @Test
  func `metrics and plans are for operators`() throws {
    let admin = AccessFixture.bearer(#"{"role":["admin","editor"]}"#)
    for target in ["/-/metrics", "/countries?explain=true"] {
      #expect(try status(target, [:]) == 401)
      #expect(try status(target, AccessFixture.editor) == 403)
      #expect(try status(target, admin) == 200)
    }
    #expect(try status("/-/health", [:]) == 200)
  }
}

extension HTTPHeaders {
  func with(_ name: String, _ value: String) -> HTTPHeaders {
    var headers = self
    headers.append(name, value)
    return headers
  }
}
