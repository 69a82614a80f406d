import Foundation
import Kindred
import KindredAPI
import KindredHTTP
import Logging
import Synchronization
import Testing

@testable import KindredRemote

/// Runs on any database.
func infos(of db: some RequestReader) async throws -> [AuthorInfo] {
  try await db.fetchAll(
    Author.including(all: Author.books.order(Column("title"))).order(\.id).asRequest(of: AuthorInfo.self))
}

private struct Genre: Codable, FetchableRecord, TableRecord {
  var id: Int64
}

private struct Shelf: Codable, FetchableRecord, TableRecord {
  var bookId: Int64
  var genreId: Int64

  static let genre = belongsTo(Genre.self)
}

extension Book {
  fileprivate static let shelves = hasMany(Shelf.self)
  fileprivate static let genres = hasMany(Genre.self, through: shelves, using: Shelf.genre)
}

@Suite("A database on a server")
struct RemoteDatabaseTests {
  @Test
  func `one program has the same result on a file and on a server`() async throws {
    let library = try ServedLibrary()
    let remote = try library.remote()
    let expected = try await infos(of: library.file)
    #expect(expected.map(\.author) == ServedLibrary.authors && expected[0].books.count == 2)
    #expect(try await infos(of: remote) == expected)
    #expect(try await remote.fetchAll(Book.order(\.id)) == ServedLibrary.books)
    #expect(try await remote.fetchOne(Author.filter(id: 2)) == ServedLibrary.authors[1])
    #expect(try await remote.fetchOne(Author.filter(id: 9)) == nil)
    #expect(try await remote.fetchSet(Author.select(Author.Columns.name, as: String.self)).count == 3)
    #expect(try await remote.fetchCount(Book.including(required: Book.author)) == 3)
    #expect(try await remote.fetchCount(Book.limit(2, offset: 3)) == 1)
    #expect(try await remote.fetchOne(Book.select(max(Column("price")), as: Double.self)) == 12.5)
    #expect(
      try await remote.fetchOne(Book.filter(id: 3).select(Column("price"), as: Double.self)) == nil)
    let portrait = try #require(ServedLibrary.authors[0].portrait)
    #expect(try await remote.fetchAll(Author.filter(Column("portrait") == portrait)).map(\.id) == [1])
    let first = try #require(ServedLibrary.authors[0].birth)
    #expect(try await remote.fetchAll(Author.filter(Column("birth") == first)).map(\.id) == [1])
  }

  @Test
  func `a request has the URL that one would write`() async throws {
    let remote = try ServedLibrary().remote()
    func url<Value>(_ request: QueryInterfaceRequest<Value>) async throws -> String? {
      try await remote.url(of: request).absoluteString.removingPercentEncoding
    }
    let author = TableAlias<Author>()
    #expect(
      try await url(
        Author.filter { $0.name == "x" }.including(
          all: Author.books.filter(Column("kind") == "poem").limit(3)))
        == "http://library.example/authors?include=books&fields=id,name,birth,portrait,isRead&filter=name = 'x'&books.fields=id,authorId,title,kind,price&books.filter=kind = 'poem'&books.limit=3"
    )
    #expect(
      try await url(
        Book.select(Column("title")).joining(required: Book.author.aliased(author))
          .filter(author.name == "x").order(author.name.desc))
        == "http://library.example/books?join=author!&fields=title&filter=author.name = 'x'&sort=-author.name"
    )
    #expect(
      try await url(
        Author.select(Column("name")).annotated(with: Author.books.filter(Column("price") > 1).count)
          .including(all: Author.books.filter(Column("kind") == "poem").select(Column("title"))))
        == "http://library.example/authors?include=books2:books&fields=name&annotate=bookCount:books.filter(price > 1).count&books2.fields=title&books2.filter=kind = 'poem'"
    )
    #expect(
      try await url(Author(id: 1, name: "", isRead: false).request(for: Author.books).select(Column("id")))
        == "http://library.example/books?fields=id&filter=authorId = 1")
  }

  @Test
  func `the schema is read once, and again when a name isn't known`() async throws {
    let library = try ServedLibrary()
    let remote = try library.remote()
    _ = try await remote.fetchAll(Book.all())
    _ = try await remote.fetchCount(Book.all())
    #expect(library.targets.count { $0 == "GET /-/schema" } == 1)
    try await library.file.write { db in
      try db.execute(
        sql: "ALTER TABLE book RENAME COLUMN price TO cost; CREATE TABLE review (id INTEGER PRIMARY KEY)")
    }
    #expect(try await remote.fetchAll(Table("review").select(Column("id"), as: Int64.self)) == [])
    #expect(try await remote.fetchAll(Book.select(Column("cost"), as: Double?.self)).count == 4)
    #expect(library.targets.count { $0 == "GET /-/schema" } == 2)
    await #expect(throws: RemoteError.unknownTable("nothing")) {
      try await remote.fetchAll(Table("nothing").all())
    }
    // Its tag is the same.
    #expect(library.requests.last?.headers.contains { $0.name == "If-None-Match" } == true)
  }

  @Test
  func `a long request is the content of a QUERY`() async throws {
    let library = try ServedLibrary()
    let ids = Array(Int64(1)...5000)
    #expect(try await library.remote().fetchAll(Book.filter(keys: ids)).count == 4)
    #expect(library.requests.last?.method == "QUERY")
    #expect(try await library.remote().fetchCount(Book.filter(keys: ids)) == 4)
    // Proxies take shorter URLs than Kindred does.
    #expect(library.requests.allSatisfy { $0.url.absoluteString.utf8.count <= 6000 })
  }

  @Test
  func `a live sequence asks for a token again that could not be fetched`() async throws {
    struct Unreachable: Error {}
    let library = try ServedLibrary()
    let asked = Mutex(0)
    let remote = RemoteDatabase(
      try URL(named: "http://library.example"),
      token: {
        // The first is that of the schema.
        if asked.withLock({
          $0 += 1; return $0
        }) == 2 {
          throw Unreachable()
        }
        return nil
      }, transport: library.transport)
    var results = remote.values(of: Author.all()).makeAsyncIterator()
    #expect(try await results.next()?.count == 3)
    #expect(asked.withLock { $0 } >= 3)
    await #expect(throws: Unreachable.self) {
      try await RemoteDatabase(
        try URL(named: "http://library.example"), token: { throw Unreachable() }, transport: library.transport
      ).fetchAll(Author.all())
    }
  }

  @Test
  func `records arrive one by one`() async throws {
    let library = try ServedLibrary()
    try await library.file.write { db in
      for id in Int64(10)...20_000 {
        try Book(id: id, authorId: nil, title: "Book \(id)").insert(db)
      }
    }
    var last: Int64 = 0
    for try await book in try library.remote().records(of: Book.order(\.id)) {
      #expect(book.id > last)
      last = book.id
    }
    #expect(last == 20_000)
    for try await book in try library.remote().records(of: Book.order(\.id)) {
      #expect(book.id == 1)
      break
    }
  }

  @Test
  func `a record is decoded when it is asked for`() async throws {
    let library = try ServedLibrary()
    var titles = try library.remote().records(of: Book.order(\.id).asRequest(of: CountedTitle.self))
      .makeAsyncIterator()
    for count in 1...3 {
      #expect(try await titles.next() != nil)
      #expect(CountedTitle.decoded.withLock { $0 } == count)
    }
  }

  @Test
  func `tasks that share a sequence of records get each of them once`() async throws {
    let library = try ServedLibrary()
    try await library.file.write { db in
      for id in Int64(10)...500 { try Book(id: id, authorId: nil, title: "Book \(id)").insert(db) }
    }
    let records = try library.remote().records(of: Book.order(\.id))
    let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for _ in 1...3 {
        group.addTask {
          var ids: [Int64] = []
          for try await book in records { ids.append(book.id) }
          return ids
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(ids.sorted() == Array(1...4) + Array(10...500))
    #expect(library.targets.filter { $0.hasPrefix("GET /books") }.count == 1)
  }

  @Test
  func `live values come at once, and again after a commit that changes them`() async throws {
    var options = KindredService.Options()
    options.live = .init()
    let library = try ServedLibrary(options: options)
    var values = try library.remote().values(of: Book.filter(Column("kind") == "poem").order(\.id))
      .makeAsyncIterator()
    #expect(try await values.next()?.map(\.title) == ["Clarel", "Beowulf"])
    try await library.file.write { db in
      try db.execute(sql: "UPDATE book SET kind = 'novel' WHERE id = 2")
    }
    #expect(try await values.next()?.map(\.title) == ["Beowulf"])
    var fromFile = library.file.values(of: Book.filter(Column("kind") == "poem").order(\.id))
      .makeAsyncIterator()
    #expect(try await fromFile.next()?.map(\.title) == ["Beowulf"])
  }

  @Test
  func `a record that isn't there has no associated records, until it is there`() async throws {
    var options = KindredService.Options()
    options.live = .init()
    let library = try ServedLibrary(options: options)
    try await library.file.write { db in
      try db.execute(
        sql: """
          CREATE TABLE genre (id INTEGER PRIMARY KEY);
          CREATE TABLE shelf (
            bookId INTEGER REFERENCES book, genreId INTEGER REFERENCES genre, PRIMARY KEY (bookId, genreId));
          """)
    }
    let remote = try library.remote()
    let genres = Book(id: 9, authorId: nil, title: "").request(for: Book.genres)
    let path = try await remote.url(of: genres).path()
    #expect(path.hasPrefix("/books/9/"))
    let all = try await remote.fetchAll(genres)
    #expect(all.isEmpty)
    let count = try await remote.fetchCount(genres)
    #expect(count == 0)
    var values = remote.values(of: genres).makeAsyncIterator()
    let missing = try await values.next()
    #expect(missing?.isEmpty == true)
    try await library.file.write { db in
      try db.execute(
        sql: """
          INSERT INTO book (id, title) VALUES (9, 'Omoo'); INSERT INTO genre VALUES (1);
          INSERT INTO shelf VALUES (9, 1);
          """)
    }
    let found = try await values.next()
    #expect(found?.map(\.id) == [1])
  }

  @Test
  func `live values go on after an error of the transport, which other requests throw`() async throws {
    struct Unreachable: Error {}
    var options = KindredService.Options()
    options.live = .init()
    let library = try ServedLibrary(options: options)
    let sent = Mutex(0)
    let remote = RemoteDatabase(try URL(named: "http://library.example")) { request in
      let number = sent.withLock { count in
        count += 1
        return count
      }
      if number <= 2 { throw Unreachable() }
      return try await library.transport(request)
    }
    await #expect(throws: Unreachable.self) { try await remote.fetchAll(Book.all()) }
    var values = remote.values(of: Book.order(\.id)).makeAsyncIterator()
    let books = try await values.next()
    #expect(books == ServedLibrary.books)
  }

  @Test
  func `errors of the server say what is wrong and what may have been meant`() async throws {
    let library = try ServedLibrary()
    do {
      _ = try await library.remote().fetchAll(Book.filter(Column("titel") == "x"))
      Issue.record("nothing is thrown")
    } catch let error as RemoteError {
      let problem = try #require(error.problem)
      #expect(problem.status == 400 && problem.code == "unknown-column" && problem.parameter == "filter")
      #expect(problem.position == 0 && problem.suggestions == ["title"])
      #expect(error.description.hasPrefix("400 unknown-column: "))
    }
    await #expect(throws: RemoteError.self) {
      try await RemoteDatabase(try URL(named: "http://library.example/nowhere"), transport: library.transport)
        .fetchAll(Book.all())
    }
  }

  @Test
  func `the token is sent, and a server without access refuses a wrong one by its status`() async throws {
    var options = KindredService.Options()
    var access = AccessConfiguration()
    access.keys = [.init(key: "the-key-of-a-reader", roles: ["reader"], claims: [:])]
    options.access = access
    let library = try ServedLibrary(
      options: options, modelFile: "resources: { authors: { access: { read: { roles: [reader] } } } }")
    #expect(try await library.remote(token: "the-key-of-a-reader").fetchCount(Author.all()) == 3)
    await #expect {
      try await library.remote(token: "another-key").fetchCount(Book.all())
    } throws: {
      if case .unauthorized = $0 as? RemoteError { true } else { false }
    }
    await #expect(throws: RemoteError.unknownTable("author")) {
      try await library.remote().fetchCount(Author.all())
    }
  }

  @Test
  func `the greatest position that was seen is sent back`() async throws {
    let library = try ServedLibrary()
    let positions = ["3-16/B374D848", "3-16/0000000A", "nonsense", "10-1/1"]
    let sent = Mutex<(count: Int, positions: [String?])>((0, []))
    let remote = RemoteDatabase(try URL(named: "http://library.example")) { request in
      var response = try await library.transport(request)
      sent.withLock { sent in
        sent.positions.append(request.headers.first { $0.name == "Kindred-Position" }?.value)
        response.headers["kindred-position"] = positions[min(sent.count, 3)]
        sent.count += 1
      }
      return response
    }
    for _ in 0..<4 { _ = try await remote.fetchCount(Book.all()) }
    let first = "3-16/B374D848"
    #expect(sent.withLock { $0.positions } == [nil, first, first, first, "10-1/1"])
  }

  @Test
  func `an answer that isn't one of Kindred is an error`() async throws {
    for content in ["", "<html>", "{\"resources\":1}"] {
      let remote = RemoteDatabase(try URL(named: "http://library.example")) { _ in
        RemoteResponse(
          status: 200, headers: [:],
          body: AsyncThrowingStream { continuation in
            continuation.yield(Array(content.utf8))
            continuation.finish()
          })
      }
      await #expect(throws: RemoteError.self) { try await remote.fetchAll(Book.all()) }
    }
  }
}

@Suite("What no URL says")
struct NotExpressibleTests {
  private static let alias = TableAlias<Book>()

  static let requests: [(String, QueryInterfaceRequest<Row>)] = [
    ("order(sql:)", Author.order(sql: "length(name)").asRequest()),
    ("filter(sql:)", Author.filter(sql: "name LIKE 'x%'").asRequest()),
    ("select(sql:)", Author.select(sql: "name || 'x'").asRequest()),
    (
      "having(sql:)",
      Author.select(Column("name")).group(Column("name")).having(sql: "count(*) > 1").asRequest()
    ),
    (
      "with(_:)",
      Author.all().with(CommonTableExpression<Row>(named: "x", columns: ["a"], sql: "SELECT 1")).asRequest()
    ),
    ("exists()", Author.filter(Book.all().exists()).asRequest()),
    (
      "contains(_:) of a request",
      Book.filter(Author.select(Column("id")).contains(Column("authorId"))).asRequest()
    ),
    (
      "including(required:) of the to-many association `book`",
      Author.including(required: Author.books).asRequest()
    ),
    (
      "joining(required:) of the to-many association `book`",
      Author.joining(required: Author.books.aliased(alias)).asRequest()
    ),
  ]

  @Test(arguments: requests.indices)
  func `it is refused by name before anything is sent`(index: Int) async throws {
    let (part, request) = Self.requests[index]
    let library = try ServedLibrary()
    let remote = try library.remote()
    _ = try await remote.fetchCount(Author.all())
    let before = library.requests.count
    await #expect(throws: RemoteError.notExpressible(part)) { try await remote.fetchAll(request) }
    #expect(library.requests.count == before)
  }
}

/// A title that counts how many have been decoded.
private struct CountedTitle: FetchableRecord {
  static let decoded = Mutex(0)

  init(row: Row) throws { Self.decoded.withLock { $0 += 1 } }
}
