import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Pages of other sites")
struct OtherSitesTests {
  private func library(hosts: AllowedHosts = .any, cors: CORSPolicy? = nil) throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    options.hosts = hosts
    options.cors = cors
    return try TestDatabase(Library.schema + Library.records, options: options)
  }

  @Test(arguments: [
    ("localhost", true), ("LocalHost:8080", true), ("127.0.0.1:1", true), ("[::1]:8080", true),
    ("[::1]", true),
    ("evil.example", false), ("localhost.evil.example:8080", false), ("127.0.0.1.evil.example", false),
    ("notlocalhost", false), ("[::2]", false), ("[::1", false), ("", false), (":8080", false),
  ])
  func `a host that is not the server's is 421, whatever the port and the method`(
    host: String, isServed: Bool
  ) throws {
    let library = try library(hosts: .loopback)
    for method in [HTTPMethod.get, .head, .options, .delete] {
      let answer = try library.answer("/reviews/3", method: method, headers: ["Host": host])
      #expect((answer.status == 421) != isServed, "\(method)")
    }
    #expect(try library.stored("SELECT count(*) FROM review WHERE id = 3") == (isServed ? "0" : "1"))
    for target in ["/-/health", "/-/ready"] {
      #expect(try library.answer(target, headers: ["Host": host]).status == 200)
    }
  }

  @Test
  func `a request for an https URL is 421 over a connection that isn't secured`() throws {
    let library = try library(hosts: .loopback)
    var request = HTTPRequest(method: .get, target: "/books/1", headers: ["Host": "localhost"])
    request.isForHTTPS = true
    #expect(library.service.respond(to: request).status.code == 421)
    request.isSecure = true
    #expect(library.service.respond(to: request).status == .ok)
  }

  @Test
  func `the log names once each origin whose pages may not read answers`() throws {
    let log = Log()
    let library = try TestDatabase(Library.schema + Library.records, logger: log.logger)
    for origin in ["http://localhost:5173", "http://localhost:5173", "http://own.example"] {
      #expect(
        try library.answer("/books/1", headers: ["Host": "own.example", "Origin": origin]).status == 200)
    }
    let origins = log.lines.filter { $0.message.contains("--cors-origins") }.map { $0.metadata["origin"] }
    #expect(origins == ["http://localhost:5173"])
  }

  @Test
  func `hosts are added to the server's own, and * allows all`() throws {
    let some = try library(hosts: .loopback.union(AllowedHosts(["API.example"])))
    #expect(try some.answer("/books/1", headers: ["Host": "api.example:443"]).status == 200)
    #expect(try some.answer("/books/1", headers: ["Host": "localhost"]).status == 200)
    #expect(try some.answer("/books/1", headers: ["Host": "www.api.example"]).status == 421)
    let any = try library(hosts: .loopback.union(AllowedHosts(["*"])))
    #expect(try any.answer("/books/1", headers: ["Host": "evil.example"]).status == 200)
    // No browser uses HTTP/1.0.
    #expect(try library(hosts: .loopback).answer("/books/1").status == 200)
  }

  @Test(
    arguments: [
      (["Origin": "https://evil.example"], false), (["Origin": "null"], false),
      (["Origin": "http://localhost:1"], false), (["Origin": "http://localhost"], false),
      (["Sec-Fetch-Site": "cross-site"], false), (["Sec-Fetch-Site": "same-site"], false),
      (["Origin": "http://localhost:8080", "X": "", "origin": "https://evil.example"], false),
      (["Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"], false),
      (["Origin": "http://localhost:8080"], true), (["Origin": "https://localhost:8080"], false),
      (["Sec-Fetch-Site": "same-origin"], true), (["Sec-Fetch-Site": "none"], true), ([:], true),
      (["Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"], true),
    ] as [(HTTPHeaders, Bool)])
  func `a page of another origin reads, where CORS lets it see the answer, and never writes`(
    fields: HTTPHeaders, writes: Bool
  ) throws {
    let library = try library(cors: CORSPolicy(origins: .these(["https://app.example"])))
    var headers = fields
    headers.append("Host", "localhost:8080")
    for (method, target, content) in [
      (HTTPMethod.post, "/tags", #"{"name":"forged"}"#), (.patch, "/tags/1", #"{"name":"changed"}"#),
      (.put, "/tags/3", #"{"name":"put"}"#), (.delete, "/reviews/3", nil),
    ] {
      let answer = try library.send(method, target, content, headers: headers)
      #expect((answer.status == 403) != writes, "\(method)")
      if !writes { #expect(answer.problem("type") == "/-/errors#foreign-site") }
    }
    #expect(try library.answer("/tags", headers: headers).status == 200)
    let stored = try library.stored("SELECT count(*) FROM tag WHERE name IN ('forged', 'changed', 'put')")
    #expect(stored == (writes ? "3" : "0"))
  }

  @Test(
    arguments: [
      ("localhost:8080", "https://localhost:8080", false), ("127.0.0.1", "https://127.0.0.1", false),
      ("localhost", "http://localhost", true), ("api.example", "http://api.example", true),
      // The proxy of this name may terminate TLS without naming the scheme.
      ("api.example", "https://api.example", true), ("api.example", "https://api.example:8443", false),
    ])
  func `an origin of another scheme is the server's own only where a proxy may stand in front`(
    host: String, origin: String, isOwn: Bool
  ) throws {
    let answer = try library().send(
      .post, "/tags", #"{"name":"x"}"#, headers: ["Host": host, "Origin": origin])
    #expect(answer.status == (isOwn ? 201 : 403))
  }

  @Test(arguments: [
    (["application/json"], true), (["Application/JSON ; charset=\"UTF-8\""], true),
    (["application/json;"], true),
    (["application/json;a=\",\""], true), (["text/plain;q=x,application/json"], false),
    (["application/json,application/json"], false), (["application/json, text/plain"], false),
    (["application/json", "application/json"], false), (["text/plain", "application/json"], false),
    (["application/json; charset"], false), (["application/json; =utf-8"], false),
    (["application/json; charset=utf-8; charset=utf-7"], false),
    (["application/json; charset=latin1"], false),
    (["application/json; a=\"b"], false), (["application / json"], false), (["application/json x"], false),
    (["/json"], false), (["application/"], false), ([""], false), ([], false),
  ])
  func `the type of the content is one field that is well-formed, as browsers read it`(
    types: [String], isTaken: Bool
  ) throws {
    let library = try library()
    var headers = HTTPHeaders()
    for type in types { headers.append("Content-Type", type) }
    let response = library.service.respond(
      to: HTTPRequest(method: .post, target: "/tags", headers: headers, body: Array(#"{"name":"x"}"#.utf8)))
    #expect(response.status.code == (isTaken ? 201 : 415))
    #expect(try library.stored("SELECT count(*) FROM tag WHERE name = 'x'") == (isTaken ? "1" : "0"))
  }

  @Test
  func `PATCH takes merge patches by their own name too (RFC 7396, RFC 5789 §3.1)`() throws {
    let library = try library()
    let headers: HTTPHeaders = ["Content-Type": "application/merge-patch+json"]
    #expect(try library.send(.patch, "/tags/1", #"{"name":"ocean"}"#, headers: headers).status == 200)
    #expect(try library.send(.post, "/tags", #"{"name":"x"}"#, headers: headers).status == 415)
    let refusal = try library.send(.patch, "/tags/1", "{}", headers: ["Content-Type": "text/plain"])
    #expect(refusal.headers["Accept-Patch"] == "application/json, application/merge-patch+json")
    let options = try library.answer("/tags/1", method: .options)
    #expect(options.headers["Accept-Patch"] == "application/json, application/merge-patch+json")
    #expect(options.headers["Accept-Post"] == nil)
    let post = try library.answer("/tags", method: .options).headers["Accept-Post"]
    #expect(post?.hasPrefix("application/json, ") == true)
  }

  @Test
  func `compressed content is refused with the accepted codings (RFC 9110 §15.5.16)`() throws {
    let answer = try library().send(.post, "/tags", "{}", headers: ["Content-Encoding": "gzip"])
    #expect(answer.status == 415)
    #expect(answer.headers["Accept-Encoding"] == "identity")
    #expect(answer.headers["Accept"] == nil)
  }

  @Test
  func `a method that no resource has is 501, not 405 (RFC 9110 §9.1, §15.6.2)`() throws {
    for token in ["BREW", "get", "PROPFIND"] {
      let method = try #require(HTTPMethod(token))
      #expect(try library().answer("/books", method: method).status == 501)
      #expect(try library().answer("/", method: method).status == 501)
    }
  }

  @Test
  func `TRACE is known and allowed nowhere`() throws {
    let method = try #require(HTTPMethod("TRACE"))
    for target in ["/", "/books", "/books/1", "/-/health"] {
      let answer = try library().answer(target, method: method)
      #expect(answer.status == 405, "\(target)")
      #expect(answer.headers["Allow"]?.contains("GET") == true, "\(target)")
    }
  }

  /// Returns the error of a parser for content that is too long.
  private func contentTooLarge() throws -> HTTPError {
    var limits = HTTPLimits()
    limits.maxBodyLength = 1
    var parser = HTTPRequestParser(limits: limits)
    let text = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n".utf8)
    return try #require(
      #expect(throws: HTTPError.self) { _ = try text.withUnsafeBytes { try parser.parse($0) } })
  }

  @Test
  func `what HTTP itself refuses can be read by pages that may`() throws {
    func origin(_ policy: CORSPolicy?) throws -> String? {
      let response = try library(cors: policy).service.response(to: contentTooLarge(), from: nil)
      #expect(response.status.code == 413)
      return response.headers["Access-Control-Allow-Origin"]
    }
    #expect(try origin(nil) == nil)
    #expect(try origin(CORSPolicy(origins: .any)) == "*")
    #expect(try origin(CORSPolicy(origins: .these(["https://a.example"]))) == "https://a.example")
    #expect(try origin(CORSPolicy(origins: .these(["https://a.example", "https://b.example"]))) == nil)
  }
}
