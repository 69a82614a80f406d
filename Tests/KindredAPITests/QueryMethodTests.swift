import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("QUERY (RFC 10008)")
struct QueryMethodTests {
  private func query(
    _ target: String, _ content: String, type: String? = QueryContent.mediaType, headers: HTTPHeaders = [:],
    on database: TestDatabase
  ) throws -> Answer {
    var headers = headers
    if let type { headers.append("Content-Type", type) }
    return try Answer(
      database.service.respond(
        to: HTTPRequest(method: .query, target: target, headers: headers, body: Array(content.utf8))))
  }

  @Test
  func `the content is the query string, and the answer that of GET`() throws {
    let database = try Library.database()
    let got = try database.answer("/books?fields=id,title&filter=kind='novel'&limit=1&count=true")
    for (target, content) in [
      ("/books", "fields=id,title&filter=kind%3D'novel'&limit=1&count=true"),
      ("/books?fields=id,title", "filter=kind='novel'&limit=1&count=true"),
    ] {
      let asked = try query(target, content, on: database)
      #expect(asked.text == got.text)
      #expect(asked.headers["X-Total-Count"] == "4")
      #expect(asked.headers["Link"]?.contains("rel=\"next\"") == true)
      let tag = try #require(asked.headers["ETag"])
      #expect(try query(target, content, headers: ["If-None-Match": tag], on: database).status == 304)
    }
  }

  @Test
  func `it has ten thousand parameters at most, which are counted before they are read`() throws {
    let database = try Library.database()
    for content in [String(repeating: "id=1&", count: 10_001), String(repeating: "=&", count: 500_000)] {
      let answer = try query("/books", content, on: database)
      #expect(answer.status == 400 && answer.text.contains("limit-exceeded"), "\(answer.text)")
    }
    #expect(try query("/books", String(repeating: "&", count: 500_000), on: database).status == 200)
  }

  @Test
  func `content with a coding is refused, as is another type, before it is sent`() throws {
    let database = try Library.database()
    for coding in ["gzip", "br"] {
      let answer = try query("/books", "limit=1", headers: ["Content-Encoding": coding], on: database)
      #expect(answer.status == 415)
    }
    let plain: HTTPHeaders = ["Content-Encoding": "identity"]
    #expect(try query("/books", "limit=1", headers: plain, on: database).status == 200)
    let request = HTTPRequest(method: .query, target: "/books", headers: ["Content-Type": "text/plain"])
    #expect(database.service.rejection(of: request)?.status == .unsupportedMediaType)
  }

  @Test
  func `what an error repeats of it is short`() throws {
    let name = String(repeating: "a", count: 100_000)
    let answer = try query("/books", "filter=\"\(name)\"", on: Library.database())
    #expect(answer.status == 400 && answer.text.utf8.count < 10_000)
  }

  @Test
  func `it may be longer than a URL may be`() throws {
    let content = "fields=id&" + (1..<3000).map { "id=\($0)" }.joined(separator: "&")
    #expect(try query("/books", content, on: Library.database()).text.hasPrefix(#"[{"id":1},{"id":2}"#))
  }

  @Test
  func `the links of a request that is too long for a URL contain it`() throws {
    let database = try Library.database()
    let filter = "title<>'\(String(repeating: "long ", count: 3000))'"
    let content = "fields=id&filter=\(filter)&limit=4&offset=1"
    var answer = try query("/books", content, on: database)
    #expect(answer.text == #"[{"id":2},{"id":3},{"id":4},{"id":5}]"#)
    let first = try #require(Self.link("first", of: answer))
    let next = try #require(Self.link("next", of: answer))
    for link in [first, next] { #expect(link.utf8.count < 6 << 10) }
    answer = try database.answer(next)
    #expect(answer.text == #"[{"id":6}]"#)
    #expect(Self.link("next", of: answer) == nil)
    #expect(try database.answer(first).text == #"[{"id":1},{"id":2},{"id":3},{"id":4}]"#)
    for (relation, ids) in [("prev", "2,3,4,5"), ("last", "3,4,5,6")] {
      let page = try database.answer(try #require(Self.link(relation, of: answer)))
      #expect(page.text == "[\(ids.split(separator: ",").map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
    }
    // A link is bound to its path, and can't be forged.
    let moved = next.replacing("/books", with: "/authors")
    for target in [moved, String(next.dropLast(2)), "/books?after=~", "/books?after=~AAAA"] {
      try expectProblem(target, on: database, code: .invalidValue, parameter: "after")
    }
  }

  @Test
  func `the links of a request that is too long for a link are sent by QUERY with the same content`() throws {
    let database = try Library.database()
    let numbers = (1...2000).map { "\($0 * 7_368_787 % 999_999_937)" }.joined(separator: ",")
    let content = "fields=id&filter=id in (1,2,3,4,5,6,\(numbers))&limit=2&offset=1"
    var answer = try query("/books", content, on: database)
    let first = try #require(Self.link("first", of: answer))
    var found = [answer.text]
    while let next = Self.link("next", of: answer) {
      #expect(next.wholeMatch(of: /\/books\?after=[^&]*/) != nil && next.utf8.count < 300)
      try expectProblem(next, on: database, code: .invalidValue, parameter: "after")
      answer = try query(next, content, on: database)
      found.append(answer.text)
    }
    #expect(found == [#"[{"id":2},{"id":3}]"#, #"[{"id":4},{"id":5}]"#, #"[{"id":6}]"#])
    #expect(try query(first, content, on: database).text == #"[{"id":1},{"id":2}]"#)
    for (relation, text) in [("prev", #"[{"id":4},{"id":5}]"#), ("last", #"[{"id":5},{"id":6}]"#)] {
      let link = try #require(Self.link(relation, of: answer))
      #expect(link.wholeMatch(of: /\/books\?before=~[^&]*/) != nil)
      try expectProblem(link, on: database, code: .invalidValue, parameter: "before")
      #expect(try query(link, content, on: database).text == text)
    }
    let sorted = try query(
      try #require(Self.link("next", of: query(first, content, on: database))), "\(content)&sort=-id",
      on: database)
    #expect(sorted.status == 400)
    let next = try #require(Self.link("next", of: query(first, content, on: database)))
    for other in ["limit=2", "fields=id&limit=2", ""] {
      #expect(try query(next, other, on: database).status == 400, "another request than the link continues")
    }
    #expect(try database.answer("\(next)&fields=id").status == 400)
  }

  @Test(arguments: [
    ("kind<>''", "a link that is the request"),
    ("title<>'\(String(repeating: "long ", count: 3000))'", "one that contains it"),
    (
      "id in (1,2,3,4,5,6,\((1...2000).map { "\($0 * 7_368_787 % 999_999_937)" }.joined(separator: ",")))",
      "one that has its place alone"
    ),
  ])
  func `each link is followed by QUERY with the same content, whatever is in the URL`(
    filter: String, kind: String
  )
    throws
  {
    let database = try Library.database()
    for (target, content) in [
      ("/books", "fields=id&filter=\(filter)&limit=2&offset=1"),
      ("/books?fields=id", "filter=\(filter)&limit=2&offset=1"),
      ("/books?offset=1&fields=id", "filter=\(filter)&limit=2"),
    ] {
      var answer = try query(target, content, on: database)
      let first = try #require(Self.link("first", of: answer))
      // A link that is the request needs no content.
      let repeated = kind == "a link that is the request" ? "" : content
      #expect(try query(first, repeated, on: database).text == #"[{"id":1},{"id":2}]"#, "\(kind)")
      var found = [answer.text]
      while let next = Self.link("next", of: answer), found.count < 5 {
        answer = try query(next, content, on: database)
        found.append(answer.text)
      }
      #expect(found == [#"[{"id":2},{"id":3}]"#, #"[{"id":4},{"id":5}]"#, #"[{"id":6}]"#], "\(kind)")
    }
  }

  @Test(arguments: [
    ("kind<>''", 6), ("title<>'\(String(repeating: "long ", count: 3000))'", 6),
    ("id in (1,2,3,4,5,6,\((1...2000).map { "\($0 * 7_368_787 % 999_999_937)" }.joined(separator: ",")))", 0),
  ])
  func `a page shows the links that a browser can follow`(filter: String, count: Int) throws {
    let database = try Library.database()
    let page = try query(
      "/books", "fields=id&filter=\(filter)&limit=2", headers: ["Accept": "text/html"], on: database)
    let links = page.text.matches(of: /<a (?:rel="[a-z]*"|download) href="([^"]*)"/).map {
      String($0.1).replacing("&amp;", with: "&").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
        .replacing("&gt;", with: ">")
    }
    #expect(links.count == count)
    for link in links {
      #expect(link.utf8.count < 8192)
      #expect(try database.answer(link).status == 200, "\(link)")
    }
  }

  @Test
  func `a link stands for one request, which doesn't grow by others`() throws {
    let database = try Library.database()
    let noise = (0..<20_000).map { _ in "long" }.joined(separator: "-")
    let content = "fields=id&filter=title<>'\(noise)'&limit=4"
    let next = try #require(Self.link("next", of: query("/books", content, on: database)))
    let after = String(next.drop { $0 != "?" }.dropFirst())
    try expectProblem("/books?\(after)&\(after)", on: database, code: .invalidValue, parameter: "after")
    #expect(try database.answer("\(next)&count=true").headers["X-Total-Count"] == "6")
    let long = "\(after)&filter=title<>'\(String(repeating: "x", count: 1 << 20))'"
    #expect(try query("/books", long, on: database).problem("type") == "/-/errors#limit-exceeded")
  }

  private static func link(_ relation: String, of answer: Answer) -> String? {
    let links = (answer.headers["Link"] ?? "").matches(of: /<([^>]*)>; rel="([a-z]*)"/)
    return links.first { $0.2 == relation }.map { String($0.1) }
  }

  @Test
  func `a long GET has pages as well`() throws {
    let database = try Library.database()
    let filter = "title<>'\(String(repeating: "x", count: 7000))'"
    let answer = try database.answer("/books?fields=id&limit=5&filter=\(filter)")
    #expect(try database.answer(try #require(Self.link("next", of: answer))).text == #"[{"id":6}]"#)
  }

  @Test
  func `a GET of the longest URL has all of its links, which are sent by QUERY with its parameters`() throws {
    let database = try Library.database()
    let numbers = (1...700).map { "\($0 * 7_368_787 % 999_999_937)" }.joined(separator: ",")
    let content = "fields=id&limit=5&filter=id%20in%20(1,2,3,4,5,6,\(numbers))"
    let answer = try database.answer("/books?\(content)")
    let links = try ["first", "next"].map { try #require(Self.link($0, of: answer)) }
    #expect(try links.map { try query($0, content, on: database).text } == [answer.text, #"[{"id":6}]"#])
  }

  @Test
  func `content of another type is 415, which names the one that is taken`() throws {
    let database = try Library.database()
    for type in ["application/json", nil] {
      let answer = try query("/books", "limit=1", type: type, on: database)
      #expect(answer.status == 415)
      #expect(answer.headers["Accept-Query"] == QueryContent.mediaType)
    }
    #expect(try query("/books", "", type: nil, on: database).status == 200)
  }

  @Test
  func `OPTIONS tells of it where there are records`() throws {
    let database = try Library.database()
    let records = try database.answer("/books", method: .options)
    #expect(records.headers["Allow"] == "GET, HEAD, QUERY, OPTIONS")
    #expect(records.headers["Accept-Query"] == QueryContent.mediaType)
    let index = try database.answer("/", method: .options)
    #expect(index.headers["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try query("/", "", on: database).status == 405)
  }
}
