import KindredModel
import KindredPlanning
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Errors name the place and the fix")
struct ErrorTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `an unknown association of a table without any says what makes associations`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author);
      CREATE TABLE note (id INTEGER PRIMARY KEY);
      """)
    let answer = try database.answer("/notes?include=books")
    #expect(answer.status == 400)
    #expect(
      answer.text.contains(
        "notes has no associations: the database's foreign keys and the model file make them"))
    #expect(try !database.answer("/books?include=notes").text.contains("foreign keys"))
  }

  @Test
  func `a way that the model file makes in one direction only says how it leads back`() throws {
    let database = try TestDatabase(
      "CREATE TABLE party (id INTEGER PRIMARY KEY); CREATE TABLE gift (id INTEGER PRIMARY KEY, partyId INTEGER);",
      modelFile:
        "resources: { gifts: { associations: { party: { belongsTo: parties, foreignKey: [partyId] } } } }")
    let answer = try database.answer("/parties?include=gifts")
    #expect(answer.status == 400)
    #expect(
      answer.text.contains(
        "`party` leads only from gifts to parties; an entry of `foreignKeys` in the model file leads both ways"
      ))
  }

  @Test
  func `an unknown name suggests the nearest one`() throws {
    try expectProblem("/authers", on: library, status: 404, code: .unknownResource, suggestion: "authors")
    try expectProblem(
      "/authors/1/boks", on: library, status: 404, code: .unknownAssociation, suggestion: "books")
    try expectProblem(
      "/authors?include=boks", on: library, code: .unknownAssociation, parameter: "include", position: 0,
      suggestion: "books")
    try expectProblem(
      "/authors?include=books.reveiws", on: library, code: .unknownAssociation, parameter: "include",
      position: 6,
      suggestion: "reviews")
    try expectProblem(
      "/authors?filter=deathYear>1900 and nmae='x'", on: library, code: .unknownColumn, parameter: "filter",
      position: 19, suggestion: "name")
    try expectProblem(
      "/authors?annotate=bokCount", on: library, code: .unknownColumn, parameter: "annotate",
      suggestion: "bookCount")
    try expectProblem(
      "/authors?inclued=books", on: library, code: .unknownParameter, parameter: "inclued", position: 0,
      suggestion: "include")
    try expectProblem(
      "/books?filter=lenght(title)>1", on: library, code: .unknownFunction, parameter: "filter", position: 0,
      suggestion: "length")
  }

  @Test
  func `a name that ends too early suggests the whole name in quotes`() throws {
    let database = try TestDatabase(
      #"CREATE TABLE person (id INTEGER PRIMARY KEY, "E-Mail" TEXT, "First Name" TEXT, first TEXT)"#)
    try expectProblem(
      "/people?filter=E-Mail='x'", on: database, code: .unknownColumn, parameter: "filter", position: 0,
      suggestion: #""E-Mail""#)
    try expectProblem(
      "/people?sort=First%20Name", on: database, code: .invalidExpression, parameter: "sort", position: 6,
      suggestion: #""First Name""#)
  }

  @Test
  func `an ending of other tools suggests the parameter for the format`() throws {
    try expectProblem(
      "/authors.csv", on: library, status: 404, code: .unknownResource, suggestion: "authors?format=csv")
    try expectProblem("/authors.xls", on: library, status: 404, code: .unknownResource)
    let function = try library.answer("/rpc/login")
    #expect(function.status == 404)
    #expect(function.text.contains("actions of the model file"), "\(function.text)")
  }

  @Test(arguments: ["1.0", "1e0", "%2B1", "01", "%201", "1%0A", "-0"])
  func `a record has one URL: an integer key is written as answers write it`(key: String) throws {
    for path in ["/authors/\(key)", "/authors/\(key)/books", "/authors/id=\(key)", "/authors/1/books/\(key)"]
    {
      try expectProblem(path, on: library, status: 404, code: .notFound)
    }
  }

  @Test
  func `positions are counted in characters, not in bytes`() throws {
    try expectProblem(
      "/authors?filter=name='Émile 日本' and nmae=1", on: library, code: .unknownColumn, parameter: "filter",
      position: 20, suggestion: "name")
  }

  @Test(arguments: [
    ("year>", 5), ("(year>1", 7), ("title='x", 6), ("year in 1", 8), ("1=1; DROP TABLE book", 3),
    ("id in (select bookId from review)", 14), ("not", 3), ("year between 1", 14), ("a.1", 2),
    ("year 1", 5),
    ("title='x' collate nocas", 18), ("cast(year as integr)", 13), ("12abc", 0), ("and", 0),
  ])
  func `an expression that can't be read says where`(text: String, position: Int) throws {
    try expectProblem(
      "/books?filter=\(text)", on: library, code: .invalidExpression, parameter: "filter", position: position)
  }

  @Test
  func `a to-many association is no value`() throws {
    try expectProblem(
      "/authors?filter=books.title='x'", on: library, code: .invalidExpression, parameter: "filter",
      position: 0)
    try expectProblem(
      "/authors?sort=books", on: library, code: .invalidExpression, parameter: "sort", position: 0)
  }

  @Test
  func `two equal names are refused`() throws {
    try expectProblem(
      "/books?include=title:author", on: library, code: .duplicateName, parameter: "include", position: 6)
    try expectProblem(
      "/authors?annotate=n:books.count,n:paintings.count", on: library, code: .duplicateName,
      parameter: "annotate",
      position: 16)
  }

  @Test
  func `limits hold against hostile requests`() throws {
    let deep = String(repeating: "(", count: 500) + "1" + String(repeating: ")", count: 500)
    try expectProblem("/books?filter=\(deep)", on: library, code: .limitExceeded, parameter: "filter")
    let nots = String(repeating: "not ", count: 900) + "1"
    try expectProblem("/books?filter=\(nots)", on: library, code: .limitExceeded, parameter: "filter")
    let sum = Array(repeating: "1", count: 900).joined(separator: "||")
    try expectProblem("/books?filter=\(sum)", on: library, code: .limitExceeded, parameter: "filter")
    let managers = Array(repeating: "manager", count: 9).joined(separator: ".")
    try expectProblem(
      "/employees?include=\(managers)", on: library, code: .limitExceeded, parameter: "include")
    let nodes = (0..<33).map { "b\($0):books" }.joined(separator: ",")
    try expectProblem("/authors?include=\(nodes)", on: library, code: .limitExceeded, parameter: "include")
    try expectProblem("/books?limit=1001", on: library, code: .limitExceeded, parameter: "limit")
    try expectProblem(
      "/employees?include=manager*9", on: library, code: .limitExceeded, parameter: "include", position: 0)
  }

  @Test
  func `a long chain is no depth`() throws {
    let ids = (1...700).map { "id=\($0)" }.joined(separator: " or ")
    try expectRequest(
      "/books?fields=id&filter=\(ids)", on: library,
      json: #"[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6}]"#)
  }

  @Test
  func `what SQLite can't parse is the request's fault, and no defect`() throws {
    let calls = String(repeating: "abs(", count: 60) + "1" + String(repeating: ")", count: 60)
    try expectProblem("/books?filter=\(calls)", on: library, code: .limitExceeded)
  }

  @Test
  func `a value that an expression can't take is the request's fault`() throws {
    try expectProblem(
      "/books?filter=json_extract(title,'$.a')=1", on: library, code: .invalidValue, parameter: "filter")
    try expectProblem(
      "/books?filter=abs(-9223372036854775808)>0", on: library, code: .invalidValue, parameter: "filter")
  }

  @Test
  func `a malformed full-text pattern is the request's fault`() throws {
    try expectProblem(
      #"/books?search="moby"#, on: library, code: .invalidExpression, parameter: "search", position: 0)
    let long = String(repeating: "a+OR+", count: 600) + "a"
    try expectProblem(
      "/books?search=\(long)", on: library, code: .limitExceeded, parameter: "search", position: 0)
    try expectProblem("/authors?search=x", on: library, code: .invalidValue, parameter: "search", position: 0)
  }

  @Test
  func `a damaged page is for an operator to mend: the client needn't come back`() {
    let problem = library.service.context.problems.problem(
      for: DatabaseError(extendedCode: 11, message: "secret"))
    #expect(problem.status == .serviceUnavailable && !problem.detail.contains("secret"))
    #expect(!problem.headers.contains { $0.0 == "Retry-After" })
  }

  @Test(  // SQLITE_NOMEM, IOERR_READ, FULL, CANTOPEN, NOTADB
    arguments: [7, 266, 13, 14, 26])
  func `a file that fails is no defect: the client may come back`(code: Int32) throws {
    let problem = library.service.context.problems.problem(
      for: DatabaseError(extendedCode: code, message: "secret"))
    #expect(problem.status == .serviceUnavailable)
    #expect(problem.headers.contains { $0.0 == "Retry-After" })
    #expect(!problem.detail.contains("secret"))
  }

  @Test
  func `a connection that can't be opened while the file is locked is no defect`() throws {
    #expect(library.service.context.problems.problem(for: OpenError(.busy, path: "/secret")).code == "busy")
    let problem = library.service.context.problems.problem(for: OpenError(.missing, path: "/secret"))
    #expect(problem.code == "unavailable")
    #expect(!problem.detail.contains("secret"))
  }
}
