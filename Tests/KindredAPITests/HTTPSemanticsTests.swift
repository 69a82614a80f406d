import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

/// The HTTP semantics that the service is responsible for; the server is responsible for the rest.
@Suite("HTTP's semantics")
struct HTTPSemanticsTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  @Test(arguments: [
    "/", "/books", "/books/1", "/books/1/author", "/authors/1/books", "/-/openapi.json", "/-/errors",
  ])
  func `GET and HEAD are there for whatever there is, with the same fields (RFC 9110 §9.1, §9.3.2)`(
    target: String
  ) throws {
    let whole = try library.answer(target)
    let head = try library.answer(target, method: .head)
    #expect(whole.status == 200)
    #expect(head.status == 200)
    #expect(whole.headers.map(\.name) == head.headers.map(\.name))
  }

  @Test(arguments: [
    ("/books", HTTPMethod.put, "GET, HEAD, QUERY, POST, PATCH, DELETE, OPTIONS"),
    ("/books/1", .post, "GET, HEAD, QUERY, PATCH, PUT, DELETE, OPTIONS"), ("/", .put, "GET, HEAD, OPTIONS"),
  ])
  func `405 tells what is allowed, and so does OPTIONS (RFC 9110 §9.3.7, §10.2.1, §15.5.6)`(
    target: String, method: HTTPMethod, allow: String
  ) throws {
    let refusal = try library.send(method, target)
    #expect(refusal.status == 405)
    #expect(refusal.headers["Allow"] == allow)
    let answer = try library.answer(target, method: .options)
    #expect(answer.status == 204)
    #expect(answer.headers["Allow"] == allow)
    #expect(answer.bytes.isEmpty)
  }

  @Test
  func `fields that mean nothing here are passed over (RFC 9110 §5.1, §7.8)`() throws {
    let plain = try library.answer("/books/1")
    let answer = try library.answer("/books/1", headers: ["X-Unknown": "x", "Upgrade": "h2c", "From": "a@b"])
    #expect(answer.status == 200)
    #expect(answer.bytes == plain.bytes)
  }

  @Test
  func `empty elements of lists are passed over (RFC 9110 §5.6.1.2)`() throws {
    let tag = try #require(try library.answer("/books/1").headers["ETag"])
    #expect(try library.answer("/books/1", headers: ["If-None-Match": " , ,\"x\",, \(tag) ,"]).status == 304)
    let type = try library.answer("/books/1", headers: ["Accept": ",,text/csv,"]).headers["Content-Type"]
    #expect(type?.hasPrefix("text/csv") == true)
    let zipped = try library.answer("/books/1", headers: ["Accept-Encoding": ",,gzip,, identity;q=0"])
    #expect(zipped.headers["Content-Encoding"] == "gzip")
  }

  // MARK: Conditions

  @Test(
    arguments: [
      ("/books/99", HTTPMethod.get, ["If-None-Match": "*"], 404),
      ("/books?limit=x", .get, ["If-None-Match": "*"], 400),
      ("/books/99", .patch, ["If-Match": "\"x\""], 404),
      ("/books/1", .post, ["If-Match": "\"x\""], 405), ("/books/1", .options, ["If-Match": "\"x\""], 204),
    ] as [(String, HTTPMethod, HTTPHeaders, Int)])
  func `conditions don't count where the answer without them would be an error (RFC 9110 §13.2.1)`(
    target: String, method: HTTPMethod, headers: HTTPHeaders, status: Int
  ) throws {
    #expect(
      try library.send(method, target, method == .patch ? "{}" : nil, headers: headers).status == status)
  }

  @Test
  func `If-Match is tested before If-None-Match, and refuses all (RFC 9110 §13.1.1, §13.2.2)`() throws {
    let tag = try #require(try library.answer("/books/1").headers["ETag"])
    let title = "SELECT title FROM book WHERE id = 1"
    for headers in [["If-Match": "\"x\""], ["If-Match": tag, "If-None-Match": tag]] as [HTTPHeaders] {
      #expect(try library.send(.patch, "/books/1", #"{"title":"N"}"#, headers: headers).status == 412)
      #expect(try library.stored(title) == "Moby-Dick")
    }
    let both: HTTPHeaders = ["If-Match": tag, "If-None-Match": "\"x\""]
    #expect(try library.send(.patch, "/books/1", #"{"title":"N"}"#, headers: both).status == 200)
    #expect(try library.stored(title) == "N")
  }

  @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "yesterday"])
  func `no record has a date, so that dates are no condition (RFC 9110 §13.1.3, §13.1.4)`(date: String) throws
  {
    let since: HTTPHeaders = ["If-Modified-Since": date, "If-None-Match": "\"x\""]
    #expect(try library.answer("/books/1", headers: ["If-Modified-Since": date]).status == 200)
    #expect(try library.answer("/books/1", headers: since).status == 200)
    #expect(try library.send(.patch, "/books/1", "{}", headers: ["If-Unmodified-Since": date]).status == 200)
  }

  @Test
  func `ranges of records are ignored, whatever the condition (RFC 9110 §13.1.5, §14.2)`() throws {
    let whole = try library.answer("/books")
    for range in ["bytes=0-1", "bytes=100000-", "records=1-2", "x"] {
      let answer = try library.answer("/books", headers: ["Range": range, "If-Range": "\"x\""])
      #expect(answer.status == 200)
      #expect(answer.bytes == whole.bytes)
    }
  }

  @Test
  func `304 has the fields that 200 would have, except the content's (RFC 9110 §15.4.5)`() throws {
    let answer = try library.answer("/books/1")
    let tag = try #require(answer.headers["ETag"])
    let unchanged = try library.answer("/books/1", headers: ["If-None-Match": tag])
    #expect(unchanged.status == 304)
    #expect(unchanged.bytes.isEmpty)
    for name in ["ETag", "Vary", "Cache-Control"] { #expect(unchanged.headers[name] == answer.headers[name]) }
  }

  @Test
  func `another coding is another tag, and both are named (RFC 9110 §8.4, §8.8.3.3, §12.5.5)`() throws {
    let plain = try library.answer("/books/1")
    let zipped = try library.answer("/books/1", headers: ["Accept-Encoding": "gzip, identity;q=0"])
    #expect(plain.headers["Content-Encoding"] == nil)
    #expect(zipped.headers["Content-Encoding"] == "gzip")
    #expect(plain.headers["ETag"] != zipped.headers["ETag"])
    #expect(zipped.headers["Vary"]?.contains("Accept-Encoding") == true)
  }

  // MARK: Writing

  @Test
  func `PUT tells whether it added (RFC 9110 §9.3.4), and gives the place (§10.2.2, §15.3.2)`() throws {
    let added = try library.send(.put, "/authors/9", #"{"name":"N"}"#)
    #expect(added.status == 201)
    #expect(added.headers["Location"] == "/authors/9")
    #expect(try library.send(.put, "/authors/9", #"{"name":"M"}"#).status == 200)
    let posted = try library.send(.post, "/authors", #"{"name":"O"}"#)
    #expect(posted.status == 201)
    #expect(posted.headers["Location"] == "/authors/10")
  }

  @Test
  func `a part of a record isn't taken for the whole of it (RFC 9110 §14.5)`() throws {
    let headers: HTTPHeaders = ["Content-Range": "bytes 0-10/20"]
    #expect(try library.send(.put, "/authors/1", #"{"name":"N"}"#, headers: headers).status == 400)
    #expect(try library.stored("SELECT name FROM author WHERE id = 1") == "Melville")
  }

  @Test(arguments: [["Content-Type": "text/plain"], ["Content-Encoding": "gzip"]] as [HTTPHeaders])
  func `content of other types and codings is refused (RFC 9110 §15.5.16)`(headers: HTTPHeaders) throws {
    #expect(try library.send(.post, "/authors", #"{"name":"N"}"#, headers: headers).status == 415)
    #expect(try library.stored("SELECT count(*) FROM author") == "3")
  }

  @Test
  func `503 has Retry-After in seconds (RFC 9110 §10.2.3, §15.6.4)`() {
    let problem = library.service.context.problems.problem(
      for: DatabaseError(extendedCode: 5, message: "busy"))
    #expect(problem.status == .serviceUnavailable)
    #expect(problem.headers.contains { $0.0 == "Retry-After" && UInt($0.1) != nil })
  }
}
