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
        "the column name of author has the collation backwards, which this server doesn't have: it is compared by its bytes",
        "the index byCountry has the collation Backwards, which this server doesn't have: records of author can't be added, changed or deleted",
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
    ("/authors?filter=name%3D'Hugo'&fields=id", #"[{"id":1}]"#), ("/authors?name=hugo", "[]"),
    ("/authors?sort=-name&fields=id", #"[{"id":2},{"id":1}]"#),
    ("/authors?filter=name%3E'Hugo'&fields=id", #"[{"id":2}]"#),
    ("/authors?distinct=true&fields=name&sort=name", #"[{"name":"Hugo"},{"name":"Melville"}]"#),
    (
      "/authors?fields=name,n:count()&group=name&sort=name",
      #"[{"name":"Hugo","n":1},{"name":"Melville","n":1}]"#
    ),
    ("/authors?fields=m:max(name)", #"[{"m":"Melville"}]"#),
    ("/authors?count=true&limit=1&fields=id", #"[{"id":1}]"#),
    ("/authors?filter=country%3D'FR'&fields=id", #"[{"id":1}]"#),
  ])
  func `they are compared by their bytes, and no index of the collation is searched`(
    target: String, json: String
  )
    throws
  {
    let answer = try answer(target)
    #expect(answer.status == 200 && answer.text == json, "\(answer.text)")
  }

  @Test
  func `records with such an index can't be written, which is no defect either`() throws {
    for (method, target) in [(HTTPMethod.post, "/authors"), (.patch, "/authors/1"), (.delete, "/authors/1")] {
      let answer = try answer(target, method, #"{"name":"Eco","country":"IT"}"#)
      #expect(answer.status == 405, "\(answer.text)")
      #expect(
        answer.text.contains(
          "the index byCountry has the collation Backwards, which this server doesn't have"),
        "\(answer.text)")
    }
    #expect(try self.answer("/books", .post, #"{"title":"y"}"#).status == 201)
  }
}
