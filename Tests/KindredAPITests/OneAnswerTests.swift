import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("One request has one answer, whatever asks for it")
struct OneAnswerTests {
  private static let targets = [
    "/books", "/books/1", "/books?limit=2", "/books?limit=2&offset=1", "/books?limit=6",
    "/books?sort=-title&limit=4",
    "/books?fields=id,title&limit=3", "/books?fields=", "/books?filter=kind='novel'", "/books?filter=false",
    "/books?kind=novel&count=true&limit=2", "/books?count=true", "/books?count=estimated&limit=1",
    "/books/1?include=author", "/books/1?fields=title,y:year%2B1", "/authors?include=books.reviews",
    "/authors/2/books",
    "/authors/2/books?limit=1&sort=year", "/authors/1/books/2", "/books/1/author", "/books/1/author/country",
    "/books?group=kind&fields=kind,n:count()", "/books?group=kind&fields=kind,n:count()&limit=1",
    "/books?fields=n:count(),last:max(year)", "/books?distinct=true&fields=kind",
    "/books?distinct=true&fields=kind&limit=1", "/books?annotate=reviewCount&sort=-reviewCount&limit=5",
    "/books?search=moby&sort=id", "/authors?include=books&books.limit=1&books.values=title", "/countries",
    "/countries/FR", "/countries/name=France", "/bookTags", "/bookTags/1,2", "/bookTags/bookId=1,tagId=2",
    "/employees?include=subordinates:employeesByManager*&filter=managerId is null", "/words?limit=1000",
    "/books?having=reviews.count>0&count=true", "/paintings?filter=authorId=1", "/tags/1/books?limit=1",
    "/books?sort=abs(year-1850)&limit=2", "/books?filter=price>7.5&annotate=x:price*2.5",
  ]

  private static let names = ["ETag", "Link", "X-Total-Count", "X-Estimated-Count", "Content-Type"]

  private func fields(_ headers: HTTPHeaders) -> [String?] { Self.names.map { headers[$0] } }

  /// Returns the JSON of a part's response, without the parentheses of the batch.
  private func part(_ target: String, _ headers: String = "{}", on library: TestDatabase) throws -> Answer {
    let url = TestDatabase.encoded(target).replacing("\"", with: "\\\"")
    return try library.send(
      .post, "/-/batch", #"[{"method":"GET","url":"\#(url)","headers":\#(headers)}]"#)
  }

  private func quoted(_ tag: String) -> String { "\"" + tag.replacing("\"", with: "\\\"") + "\"" }

  @Test(arguments: targets)
  func `GET, HEAD and a part of a batch agree, and the tag is a condition of each`(target: String) throws {
    let library = try Library.writable()
    let got = try library.answer(target)
    #expect(got.status == 200)
    let tag = try #require(got.headers["ETag"])
    let head = try library.answer(target, method: .head)
    #expect(head.status == 200 && fields(head.headers) == fields(got.headers))
    let inBatch = try part(target, on: library)
    #expect(inBatch.status == 200 && inBatch.text.hasSuffix(#""body":\#(got.text)}]"#), "\(inBatch.text)")
    for (name, value) in zip(Self.names, fields(got.headers)) {
      let field = "\"\(name)\":" + (value.map(quoted) ?? "")
      #expect(inBatch.text.contains(field) == (value != nil), "\(name): \(inBatch.text)")
    }
    #expect(try library.answer(target, headers: ["If-Match": tag]).text == got.text)
    #expect(try library.answer(target, headers: ["If-Match": "\"other\""]).status == 412)
    #expect(try library.answer(target, headers: ["If-None-Match": tag]).status == 304)
    let held = try part(target, #"{"If-None-Match":\#(quoted(tag))}"#, on: library)
    #expect(held.text.hasPrefix(#"[{"status":304,"#) && held.text.contains(quoted(tag)))
    #expect(try part(target, #"{"If-Match":\#(quoted(tag))}"#, on: library).status == 200)
    #expect(try part(target, #"{"If-Match":"\"other\""}"#, on: library).status == 412)
  }

  @Test
  func `what a write returns has the tag of the record`() throws {
    let library = try Library.writable()
    for (method, target) in [(HTTPMethod.post, "/tags"), (.patch, "/tags/1")] {
      let written = try library.send(method, target, #"{"name":"\#(method.token)"}"#)
      let record = try library.answer(written.headers["Location"] ?? target)
      #expect(written.text == record.text && written.headers["ETag"] == record.headers["ETag"])
    }
  }

  // MARK: Answers over 1 MiB

  private static func documents() throws -> TestDatabase {
    try TestDatabase.writable(
      """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE other (id INTEGER PRIMARY KEY);
      WITH number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 90)
      INSERT INTO doc SELECT n, n || hex(zeroblob(9000)) FROM number;
      """)
  }

  @Test
  func `the tag of a list over 1 MiB is a condition, until one of its tables changes`() throws {
    let database = try Self.documents()
    for target in ["/docs", "/docs?limit=80", "/docs?filter=id>5"] {
      let got = try database.answer(target)
      let tag = try #require(got.headers["ETag"])
      #expect(got.bytes.count > 1 << 20)
      #expect(try database.answer(target, method: .head).headers["ETag"] == tag)
      #expect(try database.answer(target, headers: ["If-Match": tag]).status == 200)
      let held = try part(target, #"{"If-None-Match":\#(quoted(tag))}"#, on: database)
      #expect(
        held.text == #"[{"status":304,"headers":{"ETag":\#(quoted(tag))}}]"# || held.text.contains("304"))
    }
    func tag() throws -> String { try #require(try database.answer("/docs").headers["ETag"]) }
    func patch(_ tag: String) throws -> Int {
      try database.send(
        .patch, "/docs?filter=id=1&fields=id", #"{"body":"x"}"#, headers: ["If-Match": tag]
      ).status
    }
    let first = try tag()
    #expect(try database.send(.post, "/others", "{}").status == 201, "another table")
    #expect(try patch(first) == 200)
    #expect(try patch(first) == 412, "it has been changed")
    let second = try tag()
    try Connection(path: database.path, access: .readWrite).execute("UPDATE doc SET body = 'y' WHERE id = 2")
    #expect(try patch(second) == 412, "another process has changed it")
    #expect(try patch(tag()) == 200)
  }

  @Test
  func `a change earlier in the same batch counts`() throws {
    let database = try Self.documents()
    let tag = try #require(try database.answer("/docs").headers["ETag"])
    func batch(_ first: String) throws -> Answer {
      try database.send(
        .post, "/-/batch",
        #"[{"method":"POST","url":"\#(first)","body":{}},"#
          + #"{"method":"PATCH","url":"/docs?filter=id=1&fields=id","headers":{"If-Match":\#(quoted(tag))},"body":{"body":"x"}}]"#
      )
    }
    #expect(try batch("/docs").status == 412)
    #expect(try batch("/others").status == 200)
  }

  // MARK: Codings

  @Test
  func `the coding of an answer is what its own client accepts, whatever others have asked for`() throws {
    let library = try Library.largeDatabase()
    let accepted = ["", "gzip", "gzip, identity;q=0", "gzip;q=0", "identity", "*"]
    for target in ["/books/1", "/books?limit=3", "/books?limit=30", "/books?limit=900"] {
      func coding(_ accept: String) throws -> [String?] {
        let answer = try library.answer(target, headers: accept.isEmpty ? [:] : ["Accept-Encoding": accept])
        return [answer.headers["Content-Encoding"], answer.headers["ETag"]]
      }
      let alone = try accepted.map(coding)
      for _ in 1...3 {
        for (accept, expected) in zip(accepted, alone).reversed() { #expect(try coding(accept) == expected) }
      }
    }
  }
}
