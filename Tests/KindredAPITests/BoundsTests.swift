import KindredSQLiteDialect
import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredSQLite
import TestSupport
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Bounds on what a request compiles and computes")
struct BoundsTests {
  private static let names = "abcdefghijklmnopqrstuvwxyz".map { String($0) }

  /// Names each of which the next one uses twice: `a:id+id,b:a+a,…`.
  private static func doubled(_ count: Int, _ operation: String = "%2B") -> String {
    let uses = zip(names, names.dropFirst()).prefix(count - 1).map { "\($1):\($0)\(operation)\($0)" }
    return (["a:id\(operation)id"] + uses).joined(separator: ",")
  }

  @Test(arguments: ["$=1", "format=$", "filter=$", "sort=$", "fields=$", "limit=$", "include=$", "after=$"])
  func `an error repeats no more of a request than helps`(query: String) throws {
    let text = query.replacing("$", with: String(repeating: "zé", count: 100_000))
    let request = HTTPRequest(
      method: .query, target: "/books",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(text.utf8))
    let database = try Library.database()
    let answer = try Answer(database.service.respond(to: request))
    #expect((400..<500).contains(answer.status))
    #expect(answer.bytes.count < 6000, "\(answer.bytes.count)")
  }

  @Test(arguments: [
    "limit=%2B1", "limit=1e2", "offset=9223372036854775807", "offset=-1", "limit=", "books.limit=1.0",
  ])
  func `numbers of records are digits`(query: String) throws {
    let answer = try Library.database().answer("/authors?include=books&\(query)")
    #expect(answer.status == 400)
    #expect(answer.text.contains("from 0 to 9007199254740991"))
  }

  @Test
  func `a few names that use names are what they stand for`() throws {
    try expectRequest(
      "/books/3?fields=id&annotate=\(Self.doubled(4))", on: try Library.database(),
      json: #"{"id":3,"a":6,"b":12,"c":24,"d":48}"#)
  }

  @Test(arguments: ["annotate=\(doubled(26))", "fields=\(doubled(26))", "annotate=\(doubled(25))&sort=y"])
  func `names that use names are refused before they double for ever`(parameters: String) throws {
    let name = String(parameters.prefix { $0 != "=" })
    try expectProblem(
      "/books?\(parameters)", on: try Library.database(), code: .limitExceeded, parameter: name)
  }

  @Test
  func `a chain of names is no deeper than an expression may be`() throws {
    func chain(_ count: Int) -> String {
      "a0:id," + (1...count).map { "a\($0):a\($0 - 1)%2B1" }.joined(separator: ",")
    }
    let library = try Library.database()
    let (status, _, text) = try library.get("/books/1?fields=\(chain(20))")
    #expect(status == 200 && text.hasSuffix(#""a20":21}"#))
    try expectProblem(
      "/books?fields=\(chain(200))", on: library, code: .limitExceeded, parameter: "fields")
  }

  @Test(arguments: ["include", "join"])
  func `a path of associations ends where the tree does, however long it is written`(parameter: String) throws
  {
    let library = try Library.database()
    let path = String(repeating: "books.author.", count: 20_000) + "books"
    let content = HTTPRequest(
      method: .query, target: "/authors", headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Array("\(parameter)=\(path)".utf8))
    var answer: Answer?
    let time = try processorTime { answer = try Answer(library.service.respond(to: content)) }
    #expect(answer?.status == 400 && answer?.problem("type") == "/-/errors#limit-exceeded")
    #expect(time < 5)
    try expectProblem(
      "/authors?\(parameter)=\(String(repeating: "books.author.", count: 5))books", on: library,
      code: .limitExceeded, parameter: parameter)
  }

  @Test
  func `conditions that count what is filtered below are counted at each use`() throws {
    let database = try TestDatabase(
      "CREATE TABLE person (id INTEGER PRIMARY KEY, bossId INTEGER REFERENCES person(id))")
    let key = "peopleByBoss"
    let filters = (1...7).map { depth in
      let node = Array(repeating: key, count: depth).joined(separator: ".")
      return "&\(node).filter=" + Array(repeating: "\(key).count>=0", count: 9).joined(separator: " and ")
    }
    let path = Array(repeating: key, count: 8).joined(separator: ".")
    let (status, _, text) = try database.get("/people?include=\(path)\(filters.joined())")
    #expect(status == 400 && text.contains("limit-exceeded"))
  }

  @Test
  func `a condition of a node can't hold an aggregate of the node`() throws {
    try expectProblem(
      "/authors?include=books&books.filter=year>../books.count", on: try Library.database(),
      code: .invalidExpression, parameter: "books.filter")
  }

  @Test
  func `a path in an expression is no deeper than the tree may be`() throws {
    let database = try TestDatabase(
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, bossId INTEGER REFERENCES person(id))")
    func path(_ count: Int) -> String { String(repeating: "boss.", count: count) + "name" }
    #expect(try database.get("/people?sort=\(path(8))").status == 200)
    try expectProblem(
      "/people?fields=id,a:\(path(9))", on: database, code: .limitExceeded, parameter: "fields", position: 5)
    try expectProblem(
      "/people?filter=\(path(200))='x'", on: database, code: .limitExceeded, parameter: "filter", position: 0)
  }

  @Test
  func `literals are collected without copying those before them`() throws {
    let list = "filter=id in (" + (1...40_000).map(String.init).joined(separator: ",") + ")"
    let conditions = [String](repeating: "filter=1", count: 9000).joined(separator: "&")
    let model = try Library.database().model
    func seconds(_ query: String) throws -> Double {
      let start = Self.threadTime
      var parser = FetchRequestParser(model: model, limits: RequestLimits())
      _ = try parser.parse(path: ["books"], query: URLQuery(query[...]))
      return Self.threadTime - start
    }
    #expect(try seconds("\(list)&\(conditions)") < 2 * seconds("\(conditions)&\(list)"))
  }

  /// How long this thread has run, in seconds.
  private static var threadTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  @Test(arguments: ["PATCH /books?filter=", "POST /books?fields=x:"])
  func `planning a write ends when the request must`(target: String) throws {
    struct Stop: Error {}
    let library = try Library.writable()
    let list = (1...600).map { "\($0)" }.joined(separator: ",")
    let parts = target.split(separator: " ")
    let request = HTTPRequest(
      method: try #require(HTTPMethod(String(parts[0]))),
      target: URLCoding.encodeUnsafe("\(parts[1])id in (\(list))"),
      headers: ["Content-Type": "application/json"], body: Array(#"{"title":"T"}"#.utf8))
    #expect(throws: Stop.self) {
      try WritePlan(
        ["books"], RequestContext(request, at: .records(["books"]), by: .operator),
        in: library.service.context.models.latest(), RequestLimits(),
        check: { throw Stop() })
    }
  }

  @Test
  func `planning ends when the request must`() throws {
    struct Stop: Error {}
    let library = try Library.database()
    let model = try library.model
    var parser = FetchRequestParser(model: model, limits: RequestLimits())
    let list = (1...600).map { "\($0)" }.joined(separator: ",")
    let request = try parser.parse(path: ["books"], query: URLQuery("filter=id in (\(list))")).fetchRequest
    #expect(throws: Stop.self) {
      try Planner(model: model, dialect: .sqlite, check: { throw Stop() }).plan(request)
    }
  }

  @Test
  func `patterns on an indexed column can be stopped, and are found by the index`() throws {
    var options = KindredService.Options()
    options.queryTime = 0.5
    let database = try TestDatabase(
      """
      CREATE TABLE big (id INTEGER PRIMARY KEY, s TEXT UNIQUE, n TEXT COLLATE NOCASE UNIQUE);
      INSERT INTO big (s, n) VALUES (replace(hex(zeroblob(500000)), '0', 'a'), 'abc'), ('b_c', 'Abd'), ('bxc', 'b');
      """, options: options)
    for pattern in [
      "like '%\(String(repeating: "a", count: 7_000))b'",
      "glob '*[\(String(repeating: "c", count: 7_000))]b'",
    ] {
      let target = "/bigs?fields=id&filter=s \(pattern.replacing("%", with: "%25"))"
      var status = 0
      let time = try processorTime { status = try database.get(target).status }
      #expect(status == 503 && time < 1.5)
    }
    for (condition, ids) in [
      ("s like 'B_C'", [2, 3]), ("s like 'b|_C' escape '|'", [2]), ("s not like 'a%'", [2, 3]),
      ("n like 'ab%'", [1, 2]),
      ("n glob 'ab*'", [1]), ("n like 'abd'", [2]), ("n like '%b'", [3]), ("n like null", []),
      ("n like 1", []),
    ] {
      let json = "[" + ids.map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
      let target = "/bigs?fields=id&sort=id&filter=\(condition.replacing("%", with: "%25"))"
      try expectRequest(target, on: database, json: json)
    }
    // The conditions as SQLite sees them once their patterns are bound.
    for condition in ["s GLOB 'b*' AND kindred_glob('b*', s)", "n LIKE 'b%' AND kindred_like('b%', n)"] {
      let plan = try database.pool.withReader { connection in
        let statement = try connection.prepare("EXPLAIN QUERY PLAN SELECT id FROM big WHERE \(condition)")
        return try statement.step() ? statement.text(3) ?? "" : ""
      }
      #expect(plan.hasPrefix("SEARCH big USING"), "\(plan)")
    }
  }

  @Test
  func `texts that are built are bounded, and those that are stored are not`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, name TEXT, data BLOB);
      INSERT INTO doc VALUES (1, 'a', zeroblob(3000000));
      """, configuration: Self.limited)
    let (status, _, text) = try database.get("/docs?fields=id,data,m:name||'x'")
    #expect(status == 200 && text.hasSuffix(#"AA","m":"ax"}]"#))
    try expectProblem("/docs?fields=m:hex||data", on: database, code: .unknownColumn, parameter: "fields")
    let (refused, _, problem) = try database.get("/docs?fields=m:name||data")
    #expect(refused == 400 && problem.contains("too big"))
  }

  private static var limited: ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    configuration.resourceLimits.memory = 16 << 20
    configuration.resourceLimits.temporaryFiles = 4 << 20
    configuration.resourceLimits.builtValue = 1 << 20
    return configuration
  }

  private static func notes() throws -> TestDatabase {
    try TestDatabase(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO note SELECT i, hex(randomblob(1000)) FROM n;
      """, configuration: limited)
  }

  @Test(arguments: [
    // A text that doubles, one that is replaced by a longer one, and sorts and groups that would fill the disk.
    "/notes?limit=1&fields=a:body||body,"
      + zip(names, names.dropFirst()).prefix(12).map { "\($1):\($0)||\($0)" }
      .joined(separator: ","),
    "/notes?limit=1&fields=a:replace(replace(body,'A','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),'a',body)",
    "/notes?limit=1&fields=body,n:count()&group=body&sort=-count()",
    "/notes?limit=1&fields=body&distinct=true&sort=-body",
  ])
  func `what a request would have to hold is bounded`(target: String) throws {
    let (status, _, text) = try Self.notes().get(target)
    #expect(status == 400 && (text.contains("limit-exceeded") || text.contains("too big")), "\(text)")
  }

  @Test(arguments: ["distinct=true&fields=t", "group=t&fields=t,n:count()", "fields=id,t&sort=-t"])
  func `what is sorted for the records and for their cursor is held one after the other`(parameters: String)
    throws
  {
    var configuration = ConnectionConfiguration()
    configuration.resourceLimits.memory = 48 << 20
    let database = try TestDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, t TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO t SELECT i, hex(zeroblob(500000)) || (i % 20) FROM n;
      """, configuration: configuration)
    var next: String? = "/ts?\(parameters)&limit=15"
    var pages: [String] = []
    while let target = next {
      let answer = try database.get(target)
      try #require(answer.status == 200, "\(answer.text.prefix(300))")
      pages.append(answer.text)
      next = answer.headers["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
    }
    let records = pages.joined().matches(of: /00(\d+)"/).map { String($0.1) }
    #expect(records.count == (parameters.contains("id") ? 40 : 20) && Set(records).count == 20)
  }

  @Test
  func `a database that has refused a request answers the next one`() throws {
    let notes = try Self.notes()
    _ = try notes.get("/notes?limit=1&fields=body&distinct=true&sort=-body")
    try expectRequest("/notes?fields=id&limit=2", on: notes, json: #"[{"id":1},{"id":2}]"#)
    #expect(try notes.get("/notes?limit=1&sort=length(body)").status == 200)
  }
}
