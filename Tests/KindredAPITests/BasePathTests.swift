import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Below a base path")
struct BasePathTests {
  private func library() throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    options.basePath = try #require(BasePath("/shelf"))
    return try TestDatabase(Library.schema + Library.records, options: options)
  }

  private func post(_ content: String, to target: String, _ library: TestDatabase) throws -> Answer {
    try Answer(
      library.service.respond(
        to: HTTPRequest(
          method: .post, target: target, headers: ["Content-Type": "application/json"],
          body: Array(content.utf8))))
  }

  @Test(arguments: [
    ("/library", "/library"), ("/a/b-c.d_e~1/", "/a/b-c.d_e~1"), ("/", ""), ("", ""), ("library", nil),
    ("//a", nil), ("/a//b", nil), ("/-", nil), ("/-/x", nil), ("/a/../b", nil), ("/a b", nil), ("/é", nil),
    ("/a\"b", nil), ("/a?b", nil), ("/a%20b", nil),
  ])
  func `it consists of segments that need no escapes, and is not Kindred's own`(text: String, path: String?) {
    #expect(BasePath(text)?.text == path)
  }

  @Test(arguments: [
    ("/shelf/books?x=1", "/books?x=1"), ("/shelf", "/"), ("/shelf/", "/"), ("/shelf?x", "/?x"),
    ("/shelf/shelf/1", "/shelf/1"), ("/shelves/1", nil), ("/books", nil), ("/", nil),
  ])
  func `a target loses it once, and only as whole segments`(target: String, rest: String?) throws {
    #expect(try #require(BasePath("/shelf")).removed(from: target) == rest)
  }

  @Test
  func `a request is the same with it and without, for proxies that remove it`() throws {
    let library = try library()
    for path in ["/books/1", "/books?limit=2&include=author", "/", "/-/health", "/-/schema"] {
      let (below, root) = (try library.answer("/shelf\(path)"), try library.answer(path))
      #expect(below.status == 200)
      #expect(below.text == root.text)
    }
  }

  @Test
  func `links of header fields and documents begin with it`() throws {
    let library = try library()
    let page = try library.answer("/shelf/books?limit=2")
    #expect(page.headers["Link"]?.split(separator: "<").allSatisfy { $0.hasPrefix("/shelf/books?") } == true)
    let added = try post(#"{"name": "Colette"}"#, to: "/shelf/authors", library)
    #expect(added.headers["Location"]?.hasPrefix("/shelf/authors/") == true)
    #expect(
      try library.answer("/shelf/nothing").text.hasPrefix(#"{"type":"/shelf/-/errors#unknown-resource""#))
    #expect(try library.answer("/shelf/-/schema").text.contains(#""link":"/shelf/books""#))
    #expect(try library.answer("/shelf").text.contains(#""link":"/shelf/books""#))
    #expect(try library.answer("/shelf/-/openapi.json").text.contains(#""servers":[{"url":"/shelf"}]"#))
  }

  @Test
  func `the parts of a batch may have it, and answer with it`() throws {
    let answer = try post(
      #"[{"method": "GET", "url": "/shelf/books?limit=1"}, {"method": "GET", "url": "/books?limit=1"}]"#,
      to: "/shelf/-/batch", library())
    #expect(answer.status == 200)
    #expect(answer.text.ranges(of: "</shelf/books?limit=1").count == 6)
  }

  @Test(arguments: [
    "/", "/books?include=author,reviews&limit=3", "/books/1", "/books?filter=titel='x'",
    "/books?explain=true",
    "/-/errors", "/-/diagram.svg",
  ])
  func `every link of a page begins with it`(path: String) throws {
    let page = try library().answer("/shelf\(path)", headers: ["Accept": "text/html, image/svg+xml"]).text
    let links = page.matches(of: /(?:href|src)="(\/[^"]*)"/).map(\.1)
    #expect(!links.isEmpty)
    #expect(links.filter { !$0.hasPrefix("/shelf/") } == [])
  }
}
