import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredSQLite
import Logging
import OrderedCollections
import Synchronization
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Operations")
struct OperationsTests {
  @Test
  func `health and readiness are answered while all connections are in use`() throws {
    let library = try Library.database()
    let taken = try (0..<4).map { _ in try library.pool.reader() }
    defer { for connection in taken { library.pool.release(connection) } }
    for target in ["/-/health", "/-/ready"] {
      let answer = try library.answer(target)
      #expect(answer.status == 200)
      #expect(answer.text == #"{"status":"ok"}"#)
      #expect(answer.headers["Cache-Control"] == "no-store")
    }
  }

  @Test
  func `a database that can't be read is not ready, and no internals are revealed`() throws {
    let log = Log()
    let library = try TestDatabase(Library.schema + Library.records, logger: log.logger)
    // Overwrites the file directly, bypassing SQLite and its locks.
    let file = try #require(FileHandle(forWritingAtPath: library.path))
    try library.pool.withWriter { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    file.write(Data(repeating: 0x55, count: 4096))
    try file.close()
    for _ in 0..<2 {
      let answer = try library.answer("/-/ready")
      #expect(answer.status == 503)
      #expect(answer.headers["Retry-After"] != nil)
      #expect(answer.text.contains("/-/errors#unavailable"))
      #expect(!answer.text.contains(library.path) && !answer.text.contains("SQLite"))
    }
    #expect(log.lines.count { $0.level == .error } == 1, "monitors ask again and again")
    #expect(try library.answer("/-/health").status == 200, "the server itself is alive")
  }

  @Test
  func `a schema that the model file doesn't fit is 503 until it does, with one line in the log`() throws {
    let log = Log()
    let library = try TestDatabase(
      "CREATE TABLE gadget (id INTEGER PRIMARY KEY); CREATE TABLE item (id INTEGER PRIMARY KEY)",
      modelFile: "resources:\n  gadgets:\n    sort: -id\n", logger: log.logger)
    try library.pool.withWriter { try $0.execute("DROP TABLE gadget") }
    for target in ["/items", "/gadgets", "/", "/-/openapi.json", "/-/ready", "/items"] {
      let answer = try library.answer(target)
      #expect(answer.status == 503, "\(target)")
      #expect(answer.headers["Retry-After"] == "10")
    }
    #expect(try library.answer("/-/health").status == 200)
    let errors = log.lines.filter { $0.level == .error }
    #expect(errors.count == 1)
    #expect(errors.first?.message.contains("model.yaml:2: there is no resource `gadgets`") == true)
    try library.pool.withWriter { try $0.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)") }
    #expect(try library.answer("/items").status == 503)
    #expect(log.lines.count { $0.level == .error } == 2, "one for each change of the schema")
    try library.pool.withWriter { try $0.execute("CREATE TABLE gadget (id INTEGER PRIMARY KEY)") }
    for target in ["/items", "/gadgets", "/others", "/-/ready"] {
      #expect(try library.answer(target).status == 200, "\(target)")
    }
  }

  @Test
  func `metrics are in Prometheus' text format, and count`() throws {
    let library = try Library.database()
    let tag = try #require(try library.answer("/books").headers["ETag"])
    _ = try library.answer("/books", headers: ["If-None-Match": tag])
    _ = try library.answer("/books", method: .head)
    _ = try library.answer("/nothing")
    _ = try library.answer("/books", method: .delete)
    let server = HTTPServer(
      host: "127.0.0.1", port: 0, handler: library.service,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    library.service.reportCounters { server.counters }
    let answer = try library.answer("/-/metrics")
    #expect(answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
    for line in [
      #"kindred_http_requests_total{method="GET",status="2xx",code="200"} 1"#,
      #"kindred_http_requests_total{method="GET",status="3xx",code="304"} 1"#,
      #"kindred_http_requests_total{method="GET",status="4xx",code="404"} 1"#,
      #"kindred_http_requests_total{method="HEAD",status="2xx",code="200"} 1"#,
      #"kindred_http_requests_total{method="DELETE",status="4xx",code="405"} 1"#,
      #"kindred_http_request_duration_seconds_bucket{method="GET",le="+Inf"} 3"#,
      #"kindred_http_request_duration_seconds_count{method="HEAD"} 1"#,
      #"kindred_plan_duration_seconds_count{shape="books"} 2"#,
      #"kindred_database_connections{holder="watcher"} 1"#,
      #"kindred_build_info{version=""} 1"#, "kindred_unchanged_answers_total 1",
      "kindred_plan_cache_hits_total 1", "kindred_plan_cache_misses_total 2", "kindred_http_connections 0",
      "kindred_http_sent_bytes_total 0", "# TYPE kindred_http_request_duration_seconds histogram",
    ] {
      #expect(answer.text.contains("\n\(line)\n"), "\(line)")
    }
    try expectPrometheusText(answer.text)
  }

  @Test
  func `reading the server's counters costs the same each time`() throws {
    let library = try Library.database()
    let depths = Mutex<Set<Int>>([])
    let server = HTTPServer(
      host: "127.0.0.1", port: 0, handler: library.service,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    library.service.reportCounters {
      let depth = Thread.callStackReturnAddresses.count
      _ = depths.withLock { $0.insert(depth) }
      return server.counters
    }
    for _ in 0..<100 { _ = try library.answer("/-/metrics") }
    #expect(depths.withLock(\.count) == 1)
  }

  /// Checks that every line is a sample or a comment, and every sample belongs to the metric announced last.
  private func expectPrometheusText(_ text: String) throws {
    #expect(text.hasSuffix("\n"))
    var name = ""
    for line in text.split(separator: "\n") {
      if let match = line.wholeMatch(of: /# TYPE (\w+) (counter|gauge|histogram|summary)/) {
        name = String(match.1)
      } else if !line.hasPrefix("# HELP ") {
        let match = try #require(line.wholeMatch(of: /(\w+)(\{(\w+="[^"]*",?)+\})? [0-9.e+-]+/), "\(line)")
        #expect(match.1.hasPrefix(name), "\(line)")
      }
    }
  }

  @Test
  func `every code that a problem can have is described, as JSON and as a page`() throws {
    let library = try Library.database()
    let json = try library.answer("/-/errors").text
    let page = try library.answer("/-/errors", headers: ["Accept": "text/html"])
    #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
    let codes =
      RequestError.Code.allCases.map(\.rawValue) + HTTPError.Code.allCases.map { ErrorDescription[$0].code }
      + ServiceErrorCode.allCases.map(\.rawValue)
    for code in codes {
      #expect(json.contains("\"code\":\"\(code)\""))
      #expect(page.text.contains("id=\"\(code)\""))
    }
  }

  @Test(
    arguments: [
      ("/nothing", HTTPMethod.get, [:]), ("/books/99", .get, [:]), ("/books?limit=x", .get, [:]),
      ("/books", .post, [:]), ("/books", .get, ["Accept": "image/png"]), ("/-/nothing", .get, [:]),
      ("/books?filter=json_extract('x','$')", .get, [:]),
    ] as [(String, HTTPMethod, [String: String])])
  func `each problem that requests meet is among them`(
    target: String, method: HTTPMethod, headers: [String: String]
  ) throws {
    let library = try Library.database()
    var fields = HTTPHeaders()
    for (name, value) in headers { fields.append(name, value) }
    let answer = try library.answer(target, method: method, headers: fields)
    #expect(answer.status >= 400)
    let problem = try #require(try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any])
    let code = try #require((problem["type"] as? String)?.split(separator: "#").last)
    #expect(ErrorDescription.all.contains { $0.code == code }, "\(code)")
    #expect(problem["status"] as? Int == answer.status)
  }

  @Test(arguments: [
    ("/-/health", "GET, HEAD, OPTIONS"), ("/-/metrics", "GET, HEAD, OPTIONS"),
    ("/-/openapi.json", "GET, HEAD, OPTIONS"), ("/-/errors", "GET, HEAD, OPTIONS"),
    ("/", "GET, HEAD, OPTIONS"), ("/books", "GET, HEAD, QUERY, OPTIONS"),
  ])
  func `methods other than GET and HEAD are 405 with Allow`(target: String, allow: String) throws {
    let library = try Library.database()
    let answer = try library.answer(target, method: .put)
    #expect(answer.status == 405)
    #expect(answer.headers["Allow"] == allow)
    let asked = try library.answer(target, method: .options)
    #expect(asked.status == 204)
    #expect(asked.headers["Allow"] == allow)
  }

  @Test(arguments: [true, false])
  func `with HSTS, each response tells browsers to use HTTPS (RFC 6797)`(isRequired: Bool) throws {
    var options = KindredService.Options()
    options.requiresHTTPS = isRequired
    let library = try TestDatabase(Library.schema + Library.records, options: options)
    for target in ["/authors/1", "/nothing", "/-/health"] {
      let field = try library.answer(target).headers["Strict-Transport-Security"]
      #expect(field == (isRequired ? "max-age=31536000" : nil), "\(target)")
    }
  }

  @Test(arguments: [
    ("/books", HTTPMethod.get, 200), ("/books/1", .head, 200), ("/books/99", .get, 404),
    ("/-/health", .get, 200),
    ("/books", .options, 204), ("/books", .post, 405),
  ])
  func `no answer is to be taken for another type than it says`(
    target: String, method: HTTPMethod, status: Int
  ) throws {
    let answer = try Library.database().answer(target, method: method)
    #expect(answer.status == status)
    #expect(answer.headers.values(for: "X-Content-Type-Options") == ["nosniff"])
    #expect(answer.headers.values(for: "Cross-Origin-Resource-Policy") == ["same-site"])
  }

  @Test
  func `nor is one to what was no request`() throws {
    let error = try #require(throws: HTTPError.self) {
      var parser = HTTPRequestParser(limits: HTTPLimits())
      _ = try Array("no request\r\n\r\n".utf8).withUnsafeBytes { try parser.parse($0) }
    }
    let response = try Library.database().service.response(to: error, from: nil)
    #expect(response.headers["X-Content-Type-Options"] == "nosniff")
  }

  @Test(arguments: ["/"] + OperationsPage.allCases.filter { $0 != .health }.map(\.path))
  func `a parameter that a page doesn't have is refused`(target: String) throws {
    let library = try Library.database()
    for parameter in ["foo", "format", "filter"] {
      try expectProblem(
        "\(target)?\(parameter)=csv", on: library, code: .unknownParameter, parameter: parameter)
    }
    try expectErrors(in: "\(target)?foo=csv", on: library, [("foo", nil)])
  }

  @Test
  func `a page names the nearest of its parameters, each of which it takes once`() throws {
    let library = try Library.database()
    try expectProblem(
      "/-/diagram.svg?arround=books", on: library, code: .unknownParameter, parameter: "arround",
      suggestion: "around")
    try expectProblem(
      "/-/diagram.mmd?around=books&around=tags", on: library, code: .invalidValue, parameter: "around")
    try expectErrors(in: "/-/diagram.svg?around=books&depht=1", on: library, [("depht", "depth")])
    // Monitors may add anything.
    #expect(try library.answer("/-/health?now=1").status == 200)
  }

  @Test(arguments: OperationsPage.allCases.map(\.path))
  func `a trailing slash is ignored, as in paths of records`(path: String) throws {
    let library = try Library.database()
    let query = path == "/-/complete" ? "?url=/&position=1" : path == "/-/describe" ? "?url=/" : ""
    let answer = try library.answer("\(path)/\(query)")
    #expect(answer.status == 200)
    if path != "/-/metrics" { #expect(answer.text == (try library.answer(path + query).text)) }
  }

  @Test(arguments: ["/-/", "/-/nothing", "/-/health/more", "/-/health//", "/-/HEALTH"])
  func `there is nothing else under /-/`(target: String) throws {
    #expect(try Library.database().answer(target).status == 404)
  }

  @Test(arguments: ["health", "metrics", "-", "errors"])
  func `a table has no name that is in the way`(name: String) throws {
    let database = try TestDatabase("CREATE TABLE \"\(name)\" (id INTEGER PRIMARY KEY);")
    let model = try database.model
    let resource = try #require(model.resources.keys.first)
    #expect(try database.answer("/\(URLCoding.encodeSegment(resource))").text == "[]")
    #expect(try database.answer("/-/health").text == #"{"status":"ok"}"#)
  }
}
