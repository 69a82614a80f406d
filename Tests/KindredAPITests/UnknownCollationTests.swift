import KindredHTTP
import KindredModel
import KindredPlanning
import KindredSQLite
import KindredSQLiteBackend
import Logging
import TestSupport
import Testing

@testable import KindredAPI

/// A program may define collations, which no other program knows.
@Suite("Columns whose collation only their program knows")
struct UnknownCollationTests {
  private let directory: TemporaryDirectory
  private let pool: ConnectionPool
  private let service: KindredService

  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.path("library.sqlite")
    var program = ConnectionConfiguration()
    program.collations = [
      Collation("backwards") { left, right in left == right ? 0 : left < right ? 1 : -1 }
    ]
    try Connection(path: path, access: .readWriteCreate, configuration: program).execute(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT COLLATE backwards, country TEXT);
      CREATE INDEX byCountry ON author (country COLLATE Backwards);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
      INSERT INTO author VALUES (1, 'Hugo', 'FR'), (2, 'Melville', 'US');
      INSERT INTO book VALUES (1, 1, 'x');
      """)
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 1)
    service = try KindredService(
      SQLiteBackend(pool), options: .writable, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { source in Model(inferredFrom: try source.schema()) }
  }

  private func answer(_ target: String, _ method: HTTPMethod = .get, _ content: String? = nil) throws
    -> Answer
  {
    try Answer(
      service.respond(
        to: HTTPRequest(
          method: method, target: target,
          headers: content == nil ? [:] : ["Content-Type": "application/json"],
          body: Array((content ?? "").utf8))))
  }

  @Test
  func `the server says at its start which they are`() throws {
    let schema = try SchemaReader(Connection(path: directory.path("library.sqlite"), access: .readOnly))
      .schema()
    #expect(
      schema.warnings == [
        "the column name of author has the collation backwards, which this server doesn't have: requests that compare it are refused",
        "an index of author has the collation Backwards, which this server doesn't have: its records can't be written",
      ])
  }

  @Test(arguments: [
    ("/authors", #"[{"id":1,"name":"Hugo","country":"FR"},{"id":2,"name":"Melville","country":"US"}]"#),
    ("/authors?fields=name&filter=country='US'", #"[{"name":"Melville"}]"#),
    ("/books?fields=id&include=author&author.fields=name", #"[{"id":1,"author":{"name":"Hugo"}}]"#),
  ])
  func `they can be read, and all else is answered`(target: String, json: String) throws {
    let answer = try answer(target)
    #expect(answer.status == 200 && answer.text == json, "\(answer.text)")
  }

  @Test(arguments: [
    "/authors?filter=name%3D'Hugo'", "/authors?sort=name", "/authors?distinct=true&fields=name",
    "/authors?name=Hugo", "/authors?fields=name&group=name",
  ])
  func `a request that compares them is refused, which is no defect`(target: String) throws {
    let answer = try answer(target)
    #expect(answer.status == 400, "\(answer.text)")
    #expect(answer.text.contains("has a collation that this server doesn't have"), "\(answer.text)")
  }

  @Test
  func `records with such an index can't be written, which is no defect either`() throws {
    let answer = try answer("/authors", .post, #"{"name":"Eco","country":"IT"}"#)
    #expect(answer.status == 409, "\(answer.text)")
    #expect(answer.text.contains("has a collation that this server doesn't have"), "\(answer.text)")
    #expect(try self.answer("/books", .post, #"{"title":"y"}"#).status == 201)
  }
}
