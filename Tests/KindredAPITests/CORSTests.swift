import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("CORS (Fetch standard)")
struct CORSTests {
  private func library(_ policy: CORSPolicy?) throws -> TestDatabase {
    var options = KindredService.Options()
    options.cors = policy
    return try TestDatabase(Library.schema + Library.records, options: options)
  }

  private let preflight: HTTPHeaders = [
    "Origin": "https://example.org", "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "if-none-match",
  ]

  @Test
  func `pages of allowed origins may send QUERY, and see that they may`() throws {
    let policy = try #require(CORSPolicy(origins: .any))
    #expect(policy.methods.contains("QUERY") && policy.exposedHeaders.contains("Accept-Query"))
  }

  @Test
  func `pages of allowed origins may ask for ranges, and see what they get and why they are refused`() throws
  {
    let policy = try #require(CORSPolicy(origins: .any))
    #expect(Set(["Range", "If-Range"]).isSubset(of: policy.headers))
    let fields: Set = ["Accept-Ranges", "Content-Disposition", "Content-Range", "WWW-Authenticate"]
    #expect(fields.isSubset(of: policy.exposedHeaders))
  }

  @Test
  func `it is off by default`() throws {
    let library = try library(nil)
    let answer = try library.answer("/books", headers: ["Origin": "https://example.org"])
    #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
    #expect(answer.headers["Vary"] == "Accept, Accept-Encoding")
    let asked = try library.answer("/books", method: .options, headers: preflight)
    #expect(asked.status == 204)
    #expect(asked.headers["Allow"] == "GET, HEAD, QUERY, OPTIONS")
    #expect(asked.headers["Access-Control-Allow-Methods"] == nil)
  }

  @Test
  func `pages of named origins may read, errors and 304 too`() throws {
    let library = try library(CORSPolicy(origins: .these(["https://example.org"])))
    let tag = try #require(try library.answer("/books").headers["ETag"])
    for (target, status) in [("/books", 200), ("/nothing", 404), ("/books", 304)] {
      var headers: HTTPHeaders = ["Origin": "https://example.org"]
      if status == 304 { headers.append("If-None-Match", tag) }
      let answer = try library.answer(target, headers: headers)
      #expect(answer.status == status)
      #expect(answer.headers["Access-Control-Allow-Origin"] == "https://example.org")
      #expect(answer.headers["Access-Control-Expose-Headers"]?.contains("X-Total-Count") == true)
      #expect(answer.headers["Vary"]?.contains("Origin") == true)
      #expect(answer.headers["Access-Control-Allow-Credentials"] == nil)
    }
  }

  @Test(arguments: [
    "https://example.com", "http://example.org", "https://example.org:8443", "null", nil,
  ])
  func `others may not, and Vary names Origin`(origin: String?) throws {
    let library = try library(CORSPolicy(origins: .these(["https://example.org"])))
    let answer = try library.answer("/books", headers: origin.map { ["Origin": $0] } ?? [:])
    #expect(answer.status == 200)
    #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
    #expect(answer.headers["Vary"] == "Accept, Accept-Encoding, Origin")
  }

  @Test
  func `a preflight is answered with what is allowed`() throws {
    let library = try library(
      CORSPolicy(
        origins: .these(["https://example.org"]), methods: ["GET", "HEAD"], headers: ["If-None-Match"],
        maxAge: 60,
        allowsCredentials: true))
    let answer = try library.answer("/books", method: .options, headers: preflight)
    #expect(answer.status == 204)
    #expect(answer.headers["Access-Control-Allow-Origin"] == "https://example.org")
    #expect(answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD")
    #expect(answer.headers["Access-Control-Allow-Headers"] == "If-None-Match")
    #expect(answer.headers["Access-Control-Max-Age"] == "60")
    #expect(answer.headers["Access-Control-Allow-Credentials"] == "true")
    #expect(answer.headers["Vary"] == "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
  }

  @Test
  func `any origin is *, and never goes with credentials`() throws {
    let library = try library(CORSPolicy(origins: .any))
    let answer = try library.answer("/books", headers: ["Origin": "https://anywhere.example"])
    #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
    #expect(answer.headers["Vary"] == "Accept, Accept-Encoding")
    #expect(CORSPolicy(origins: .any, allowsCredentials: true) == nil)
  }
}
