import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Computed columns")
struct ComputedColumnTests {
  private static let model = """
    resources:
      authors:
        label: shown
        columns:
          shown: name || ' (' || ifnull(nation, '?') || ')'
          nation: country.name
          bookTotal: books.count
          late: books.filter(year > ../deathYear).count
          isProlific: bookTotal > 1
      books:
        hidden: [price]
        columns:
          decade: year / 10 * 10
          costs: substr(price, 1, 1) || '…'
          writer: author.name
      reviews:
        fields: [id, stars]
        sort: -stars
        columns:
          stars: rating * 20
      bookTags:
        columns:
          place: position * 10
    """
  private let library: TestDatabase

  init() throws { library = try TestDatabase(Library.schema + Library.records, modelFile: Self.model) }

  // MARK: Reading

  @Test
  func `are their expressions in SQL, wherever a column may stand`() throws {
    try expectRequest(
      "/books?fields=decade&filter=decade>1840&sort=-decade&limit=2", on: library,
      sql: #"""
        SELECT "book"."year" / ?1 * ?1, ("book"."year" / ?1 * ?1), "book"."id" FROM "book" WHERE "book"."year" / ?1 * ?1 > ?2 \#
        ORDER BY ("book"."year" / ?1 * ?1) DESC, "book"."id" LIMIT ?3 + ?4
        """#,
      json: #"[{"decade":1900},{"decade":1890}]"#)
    try expectRequest(
      "/books?fields=decade,n:count()&group=decade&having=decade>1885", on: library,
      json: #"[{"decade":1890,"n":1},{"decade":1900,"n":1}]"#)
    try expectRequest("/books?decade=1880&fields=id", on: library, json: #"[{"id":4}]"#)
    try expectRequest(
      "/authors?fields=id&bookTotal=2&bookTotal=3", on: library, json: #"[{"id":1},{"id":2}]"#)
    try expectRequest("/authors?isProlific=true&fields=id", on: library, json: #"[{"id":1},{"id":2}]"#)
    try expectRequest(
      "/authors?annotate=books.max(decade),minBookDecade&fields=id&limit=1", on: library,
      json: #"[{"id":1,"maxBookDecade":1890,"minBookDecade":1840}]"#)
    try expectRequest(
      "/books/1?include=tags&fields=decade&tags.fields=name,place:via.place", on: library,
      json: #"{"decade":1850,"tags":[{"name":"sea","place":20},{"name":"work","place":10}]}"#)
    try expectRequest("/authors/1/shown", on: library, json: #""Melville (United States)""#)
  }

  @Test
  func `that are a column have its index`() throws {
    try expectRequest(
      "/books?fields=id&filter=writer='Zola'", on: library,
      sql: #"""
        SELECT "book"."id" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \#
        WHERE "author"."name" = ?1 ORDER BY "book"."id" LIMIT ?2 + ?3
        """#, json: #"[{"id":4},{"id":6}]"#)
  }

  @Test
  func `are not in a record unless its default fields name them, which is then all of them`() throws {
    try expectRequest(
      "/books/5", on: library, json: #"{"id":5,"authorId":null,"title":"Beowulf","kind":"poem","year":null}"#)
    try expectRequest("/reviews/1", on: library, json: #"{"id":1,"stars":100}"#)
    try expectRequest(
      "/reviews/1?fields=*", on: library, json: #"{"id":1,"bookId":1,"rating":5,"stars":100}"#)
    try expectRequest("/reviews?fields=id", on: library, json: #"[{"id":1},{"id":2},{"id":3}]"#)
  }

  @Test
  func `don't depend on the nodes of the request`() throws {
    try expectRequest(
      "/authors/1?fields=bookTotal,n:books.count&include=books&books.filter=year>1850&books.values=id",
      on: library,
      json: #"{"bookTotal":3,"n":2,"books":[1,3]}"#)
    try expectRequest(
      "/authors?fields=nation,c:country.name&join=country&country.filter=code='FR'&filter=id<3", on: library,
      json: #"[{"nation":"United States","c":null},{"nation":"France","c":"France"}]"#)
  }

  @Test
  func `of a missing record are NULL`() throws {
    try expectRequest(
      "/books/5?annotate=n:author.bookTotal,s:author.shown,t:ifnull(author.bookTotal,-1)&fields=",
      on: library,
      json: #"{"n":null,"s":null,"t":-1}"#)
  }

  @Test
  func `of a key that is grouped by have one value, and others are refused`() throws {
    try expectRequest(
      "/books?group=author.id&fields=n:count(),w:author.shown&limit=2", on: library,
      json: #"[{"n":1,"w":null},{"n":3,"w":"Melville (United States)"}]"#)
    try expectProblem(
      "/books?group=kind&fields=decade,n:count()", on: library, code: .invalidExpression, parameter: "fields",
      position: 0)
  }

  @Test
  func `read what is hidden without showing it`() throws {
    try expectRequest(
      "/books?fields=costs&sort=-costs,id&limit=2", on: library, json: #"[{"costs":"9…"},{"costs":"8…"}]"#)
    for target in ["/books?fields=price", "/books?sort=price"] {
      try expectProblem(
        target, on: library, code: .unknownColumn,
        parameter: String(target.split(whereSeparator: "?=".contains)[1]))
    }
  }

  @Test
  func `are part of pages`() throws {
    var target: String? = "/books?sort=-decade:nullslast&fields=id&limit=2"
    var found: [String] = []
    while let next = target {
      let page = try library.get(next)
      found.append(page.text)
      target = page.headers["Link"].flatMap {
        $0.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
      }
    }
    #expect(found == [#"[{"id":6},{"id":3}]"#, #"[{"id":4},{"id":1}]"#, #"[{"id":2},{"id":5}]"#])
  }

  @Test(
    arguments: [
      "name", "deathYear - 1800", "country.name", "books.count", "books.sum(year) / 2",
      "ifnull(deathYear, 0) > 1895",
      "name || ifnull(country.name, '')", "books.filter(kind = 'novel').max(reviews.count)", "nullif(id, 2)",
      "case when books.isEmpty then null else books.concat(title, ';') end",
    ],
    [
      "/authors?fields=id,v:‹›", "/authors?fields=id&filter=‹› is not null",
      "/authors?fields=id&sort=-‹›,name",
      "/authors?fields=id&sort=‹›:nullslast&limit=2&count=true", "/authors?fields=v:‹›,n:count()&group=‹›",
      "/authors?fields=n:count(‹›),m:max(‹›)", "/authors?fields=v:‹›&distinct=true",
      "/authors?fields=id&having=‹›=‹›",
      "/countries?fields=code,m:authors.max(‹›),n:authors.filter(‹› is null).count",
      "/countries?fields=code&include=authors&authors.fields=v:‹›&authors.filter=coalesce(‹›,1)!='x'&authors.sort=‹›",
      "/books?fields=id&include=author&author.fields=v:‹›,w:name", "/books?fields=id,v:../x&filter=false",
    ])
  func `have the answers of their expressions`(expression: String, template: String) throws {
    let library = try TestDatabase(
      Library.schema + Library.records,
      modelFile: "resources:\n  authors:\n    columns:\n      value: \"\(expression)\"\n")
    func answer(_ text: String) throws -> (Int, String, String?) {
      let answer = try library.get(template.replacing("‹›", with: text).replacing("+", with: "%2B"))
      return (answer.status, answer.status == 200 ? answer.text : "", answer.headers["X-Total-Count"])
    }
    #expect(try answer("value") == answer("(\(expression))"))
  }

  // MARK: Definitions

  @Test
  func `may read one another in a long chain, which doesn't count for the depth of a request`() throws {
    let columns = (1...80).map { "          c\($0): c\($0 - 1) + 1\n" }.joined()
    let library = try TestDatabase(
      Library.schema + Library.records,
      modelFile: "resources:\n  authors:\n    columns:\n      c0: deathYear\n"
        + columns.replacing("          c", with: "      c"))
    let depth = 50
    let target =
      "/authors/1?fields=x:" + String(repeating: "(", count: depth) + "c80"
      + String(repeating: "%2B1)", count: depth)
    try expectRequest(target, on: library, json: #"{"x":2021}"#)
  }

  // MARK: Access

  @Test
  func `read only records in sight, and are themselves for whom their entry names them`() throws {
    let rules = """
          access: { read: [{ roles: [editor] }, { rows: bookTotal > 2, fields: [id, bookTotal, late] }] }
      """
    let model = Self.model.replacing("    label: shown\n", with: "    label: shown\n\(rules)\n")
      .replacing(
        "    hidden: [price]\n", with: "    hidden: [price]\n    access: { read: { rows: kind = 'novel' } }\n"
      )
    let library = try TestDatabase(Library.schema + Library.records, modelFile: model)
    // The rule counts all books, and the client sees two of them.
    try expectRequest("/authors", on: library, json: #"[{"id":1}]"#)
    try expectRequest("/authors?fields=bookTotal", on: library, json: #"[{"bookTotal":2}]"#)
    try expectRequest("/books?fields=writer&filter=id=4", on: library, json: #"[{"writer":null}]"#)
    try expectProblem(
      "/authors?fields=isProlific", on: library, code: .unknownColumn, parameter: "fields", position: 0)
    #expect(try !library.get("/-/schema").text.contains("isProlific"))
  }

  // MARK: Documents

  @Test
  func `are columns of the documents`() throws {
    let schema = try library.get("/-/schema").text
    #expect(schema.contains(#""name":"isProlific","type":"BOOLEAN","input":"boolean""#))
    #expect(schema.contains(#""label":"shown""#))
    #expect(
      try library.get("/").text.contains(#"{"name":"nation","type":"TEXT","computed":true}"#),
      "a column under another name has its type")
    let document = try library.get("/-/openapi.json").text
    #expect(document.contains(#""bookTotal":{"type":"integer","format":"int64""#))
    try expectCompletions(
      of: "/authors?filter=bookT‸", on: library, make: ["/authors?filter=bookTotal"])
  }
}

@Suite("Writing records with computed columns")
struct WriteComputedColumnTests {
  private let library: TestDatabase

  init() throws {
    library = try Library.writable(
      modelFile: """
        resources:
          authors:
            columns:
              bookTotal: books.count
              shouted: upper(name)
              same: name
        """)
  }

  @Test(arguments: [HTTPMethod.post, .patch, .put])
  func `a value that the column doesn't have is refused`(method: HTTPMethod) throws {
    try expectRefusal(
      method, method == .post ? "/authors" : "/authors/1", #"{"name":"Melville","bookTotal":77}"#,
      on: library,
      status: 422, code: .refusedValue, pointer: "#/bookTotal")
  }

  @Test
  func `the value that it has after the change is taken`() throws {
    try expectWrite(
      .patch, "/authors/1?fields=shouted,bookTotal", #"{"name":"H","shouted":"H","same":"H","bookTotal":3}"#,
      on: library, status: 200, json: #"{"shouted":"H","bookTotal":3}"#)
  }

  @Test
  func `an import leaves it out, and no upsert finds a record by it`() throws {
    for (type, content) in [
      ("text/csv", "name,bookTotal\r\nNew,5\r\n"), ("application/x-ndjson", #"{"name":"New","bookTotal":5}"#),
    ] {
      let answer = try library.send(.post, "/authors", content, headers: ["Content-Type": type])
      #expect(answer.status == 201, "\(answer.text)")
    }
    let upsert = try library.send(
      .post, "/authors?onConflict=shouted", #"{"name":"Zola","shouted":"ZOLA"}"#,
      headers: ["Prefer": "resolution=merge-duplicates"])
    #expect(upsert.status == 400 && upsert.problem("parameter") == "onConflict")
  }
}
