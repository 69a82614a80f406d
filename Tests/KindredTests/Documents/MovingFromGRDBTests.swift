import Dispatch
import Foundation
import Kindred
import Testing

/// The forms that programs written for GRDB 7 use in their first week: that they compile is half of each test.
@Suite("Programs written for GRDB")
struct MovingFromGRDBTests {
  struct Author: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "writer"
    static let books = hasMany(Book.self)
    var id: Int64?
    var name: String
    var countryCode: String?

    enum Columns {
      static let id = Column(CodingKeys.id)
      static let name = Column(CodingKeys.name)
      static let countryCode = Column(CodingKeys.countryCode)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  struct Book: Codable, Identifiable, FetchableRecord, PersistableRecord, Equatable {
    enum Kind: String, Codable, CaseIterable, DatabaseValueConvertible { case novel, poem }
    static let databaseTableName = "work"
    static let writer = belongsTo(Author.self)
    var id: String
    var writerId: Int64
    var title: String
    var kind: Kind
    var year: Int

    enum Columns {
      static let id = Column(CodingKeys.id)
      static let writerId = Column(CodingKeys.writerId)
      static let title = Column(CodingKeys.title)
      static let kind = Column(CodingKeys.kind)
      static let year = Column(CodingKeys.year)
    }
  }

  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try DatabaseQueue(configuration: Configuration())
    try dbQueue.write { db throws in
      try db.create(table: "writer") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
        t.column("countryCode", .text)
      }
      try db.create(table: "work") { t in
        t.primaryKey("id", .text)
        t.belongsTo("writer", inTable: "writer", onDelete: .cascade).notNull()
        t.column("title", .text).notNull()
        t.column("kind", .text).notNull()
        t.column("year", .integer).notNull()
      }
      var hugo = Author(name: "Victor Hugo", countryCode: "FR")
      try hugo.insert(db)
      let melville = try Author(name: "Herman Melville", countryCode: "US").inserted(db)
      let ids = (try #require(hugo.id), try #require(melville.id))
      try Book(id: "1", writerId: ids.0, title: "Les Misérables", kind: .novel, year: 1862).insert(db)
      try Book(id: "2", writerId: ids.1, title: "Moby-Dick", kind: .novel, year: 1851).insert(db)
      try Book(id: "3", writerId: ids.1, title: "Clarel", kind: .poem, year: 1876).insert(db)
    }
  }

  @Test
  func `fetching, finding and counting`() throws {
    try dbQueue.read { db throws in
      let book = try Book.find(db, id: "1")
      #expect(book.kind == .novel)
      let latest = try Book.order(\.year.desc).limit(2).fetchAll(db)
      #expect(latest.map(\.id) == ["3", "1"])
      let clarel = try Book.filter { $0.title == "Clarel" }.fetchOne(db)
      #expect(clarel?.year == 1876)
      #expect(try Book.fetchCount(db) == 3)
      #expect(try Book.all().isEmpty(db) == false)
      #expect(try Book.select { [$0.id, $0.title] }.asRequest(of: Row.self).fetchAll(db).count == 3)
      #expect(try Book.order(\.year).select(\.year, as: Int.self).fetchAll(db) == [1851, 1862, 1876])
      #expect(try Int.fetchOne(db, Book.select { max($0.year) }) == 1876)
      #expect(try Book.order(\.id).selectID().fetchAll(db) == ["1", "2", "3"])
      #expect(try Book.filter(ids: ["1", "2"]).fetchCount(db) == 2)
      #expect(try Book.order { [$0.kind, $0.year.desc] }.fetchAll(db).map(\.id) == ["1", "2", "3"])
      let years = try Book.group(\.kind).having { count($0.id) > 1 }.select({ max($0.year) }, as: Int.self)
        .fetchAll(db)
      #expect(years == [1862])
      #expect(try Book.filter { (1851..<1862).contains($0.year) }.fetchCount(db) == 1)
      #expect(try Book.filter { (1862...).contains($0.year) }.fetchCount(db) == 2)
    }
  }

  @Test
  func `SQL, interpolated and not`() throws {
    let (name, code) = ("O'Brien", "IE")
    try dbQueue.write { db throws in
      try db.execute(literal: "INSERT INTO writer (name, countryCode) VALUES (\(name), \(code))")
      let request: SQLRequest<Author> = "SELECT * FROM writer WHERE name = \(name)"
      #expect(try request.fetchOne(db)?.countryCode == code)
      let ids: [String] = ["1", "3"]
      let books: SQLRequest<Book> = "SELECT * FROM \(Book.self) WHERE \(Book.Columns.id) IN \(ids)"
      #expect(try books.fetchAll(db).map(\.title) == ["Les Misérables", "Clarel"])
      let query: SQL = "SELECT COUNT(*) FROM work WHERE year > \(1860)"
      #expect(try SQLRequest<Int>(literal: query).fetchOne(db) == 2)
      let statement = try db.makeStatement(sql: "UPDATE work SET year = :year WHERE id = :id")
      try statement.execute(arguments: ["year": 1852, "id": "2"])
      #expect(db.changesCount == 1)
    }
  }

  @Test
  func `rows and values`() throws {
    try dbQueue.read { db throws in
      let rows = try Row.fetchCursor(db, sql: "SELECT * FROM work ORDER BY id")
      while let row = try rows.next() {
        let id: String = row["id"]
        let year: Int = row[Column("year")]
        let kind: Book.Kind = row["kind"]
        #expect(!id.isEmpty && year > 1800 && kind == (id == "3" ? .poem : .novel))
      }
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, 'x' AS b, NULL AS c"))
      #expect(try row.decode(Int.self, forColumn: "a") == 1)
      switch (row["b"] as DatabaseValue).storage {
      case .string(let text): #expect(text == "x")
      case .null, .int64, .double, .blob: Issue.record("not a text")
      }
      let any: Int? = row.coalesce(["c", "a"])
      #expect(any == 1)
    }
  }

  @Test
  func `records are written, with all that GRDB 7 offers for it`() throws {
    try dbQueue.write { db throws in
      var book = try Book.find(db, id: "2")
      book.year += 1
      try book.update(db)
      try book.updateChanges(db) { $0.title = "The Whale" }
      try book.save(db)
      #expect(try Book.find(db, key: "2") == book)
      #expect(try Book.exists(db, id: "2"))
      try Book.filter { $0.kind == Book.Kind.poem }.updateAll(db) { $0.year += 10 }
      #expect(try Book.find(db, id: "3").year == 1886)
      try Book.updateAll(db, Column("year") -= 1)
      #expect(try Book.deleteOne(db, id: "3"))
      try Book.filter { $0.year < 1860 }.deleteAll(db)
      #expect(try Book.fetchAll(db).map(\.id) == ["1"])
      do {
        try Book(id: "1", writerId: 1, title: "", kind: .poem, year: 0).insert(db)
        Issue.record("no error")
      } catch let error as DatabaseError {
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
      }
    }
  }

  @Test
  func `associations, with closures, key paths and typed aliases`() throws {
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var writer: Author
    }
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var workCount: Int
      var latest: Int?
      var works: [Book]
    }
    try dbQueue.read { db throws in
      let infos = try Book.including(required: Book.writer.filter { $0.countryCode == "US" })
        .order(\.year).asRequest(of: BookInfo.self).fetchAll(db)
      #expect(infos.map(\.book.id) == ["2", "3"])
      let writer = TableAlias<Author>()
      let sorted = try Book.joining(required: Book.writer.aliased(writer))
        .order { [writer.name, $0.year] }.fetchAll(db)
      #expect(sorted.map(\.id) == ["2", "3", "1"])
      let works = Author.books
      let authors = try Author.annotated(with: works.count, works.max(\.year).forKey("latest"))
        .having(works.count > 1)
        .order(works.count.desc)
        .including(all: works.order(\.year))
        .asRequest(of: AuthorInfo.self).fetchAll(db)
      #expect(authors.map(\.latest) == [1876])
      #expect(authors.first?.works.map(\.id) == ["2", "3"])
      #expect(try Author.filter(!works.isEmpty).fetchCount(db) == 2)
      #expect(try Author.annotated(with: works.count).order(literal: "workCount DESC").fetchOne(db)?.id == 2)
      let hugo = try Author.find(db, key: 1)
      #expect(try hugo.request(for: works).fetchAll(db).map(\.id) == ["1"])
    }
  }

  @Test
  func `common table expressions whose SQL reads another one`() throws {
    try dbQueue.read { db throws in
      let old = CommonTableExpression(named: "old", sql: "SELECT * FROM work WHERE year < 1870")
      let novels = CommonTableExpression(
        named: "novels", request: SQLRequest<Row>(sql: "SELECT id FROM old WHERE kind = 'novel'"))
      let ids = novels.all().select(Column("id"))
      let books = try Book.all().with(old).with(novels).filter(ids.contains(Column("id"))).fetchAll(db)
      #expect(books.map(\.id) == ["1", "2"])
      #expect(try novels.all().with(old).fetchCount(db) == 2)
    }
  }

  @Test
  func `tables without records, and their schema`() throws {
    try dbQueue.write { db throws in
      let table = Table("work")
      #expect(try table.fetchCount(db) == 3)
      #expect(try table.filter(Column("year") > 1870).fetchAll(db).map { $0["id"] as String } == ["3"])
      #expect(try table.deleteOne(db, key: "3"))
      #expect(try db.columns(in: "work").map(\.name) == ["id", "writerId", "title", "kind", "year"])
      #expect(try db.primaryKey("work").columns == ["id"])
      let key = try #require(try db.foreignKeys(on: "work").first)
      #expect(key.destinationTable == "writer")
      #expect(key.originColumns == ["writerId"])
      #expect(try db.indexes(on: "work").contains { $0.columns == ["writerId"] && !$0.isUnique })
      try db.create(view: "novel", as: Book.filter { $0.kind == Book.Kind.novel })
      #expect(try db.viewExists("novel"))
      #expect(try Table("novel").fetchCount(db) == 2)
      try db.create(index: "byYear", on: "work", columns: ["year", "title"], options: .unique)
      try db.create(indexOn: "work", columns: ["kind"])
      try db.drop(indexOn: "work", columns: ["kind"])
      #expect(try db.table("work", hasUniqueKey: ["title", "year"]))
    }
  }

  @Test
  func `full-text tables and JSON`() throws {
    try dbQueue.write { db throws in
      try db.create(virtualTable: "work_text", using: FTS5()) { t in
        t.synchronize(withTable: "work")
        t.tokenizer = .porter()
        t.column("title")
      }
      let pattern = try #require(FTS5Pattern(matchingAllTokensIn: "moby"))
      #expect(try Book.matching(pattern).fetchAll(db).map(\.id) == ["2"])
      try db.execute(sql: "UPDATE work SET title = 'The Whale' WHERE id = '2'")
      #expect(try Book.matching(pattern).fetchCount(db) == 0)
      try db.execute(sql: #"CREATE TABLE note (info); INSERT INTO note VALUES ('{"a": {"b": 2}}')"#)
      let info = JSONColumn("info")
      #expect(try Table("note").select(info["a"]["b"], as: Int.self).fetchOne(db) == 2)
      #expect(try Table("note").select(info.jsonExtract(atPath: "$.a.b"), as: Int.self).fetchOne(db) == 2)
    }
  }

  @Test
  func `migrations are registered, applied and asked about as in GRDB 7`() throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
    migrator.registerMigration("b", foreignKeyChecks: .immediate) { db throws in
      try db.execute(sql: "CREATE TABLE b (x)")
    }
    let queue = DatabaseQueue()
    try migrator.migrate(queue, upTo: "a")
    try queue.read { db throws in
      #expect(try migrator.appliedIdentifiers(db) == ["a"])
      #expect(try migrator.completedMigrations(db) == ["a"])
      #expect(try !migrator.hasCompletedMigrations(db))
      #expect(try !migrator.hasSchemaChanges(db))
    }
    try migrator.migrate(queue)
    var merged = DatabaseMigrator()
    merged.registerMigration("all", merging: ["a", "b"]) { db, applied throws in
      if !applied.contains("a") { try db.execute(sql: "CREATE TABLE a (x)") }
      if !applied.contains("b") { try db.execute(sql: "CREATE TABLE b (x)") }
    }
    try merged.migrate(queue)
    try merged.migrate(DatabaseQueue())
    #expect(try queue.read { db in try merged.appliedIdentifiers(db) } == ["all"])
    var changed = DatabaseMigrator()
    changed.eraseDatabaseOnSchemaChange = true
    changed.registerMigration("new") { db in try db.execute(sql: "CREATE TABLE c (x)") }
    #expect(try queue.read { db in try changed.hasBeenSuperseded(db) })
    try changed.migrate(queue)
    #expect(try queue.read { db in try db.tableExists("a") } == false)
  }

  @Test
  func `observations are started and awaited as in GRDB 7`() async throws {
    let observation = ValueObservation.tracking { db in try Book.fetchCount(db) }
    let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
    let cancellable = observation.start(
      in: dbQueue, scheduling: .async(onQueue: DispatchQueue(label: "counts")),
      onError: { error in Issue.record(error) },
      onChange: { count in continuation.yield(count) })
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == 3)
    try await dbQueue.write { db in _ = try Book.deleteOne(db, id: "1") }
    #expect(await iterator.next() == 2)
    cancellable.cancel()
    let onMain = observation.start(in: dbQueue, onError: { _ in }, onChange: { _ in })
    onMain.cancel()
  }

  @Test
  func `an observation whose first fetch fails tells its observer`() async throws {
    let failing = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT * FROM missing") }
    let (errors, continuation) = AsyncStream.makeStream(of: String.self)
    let cancellable = failing.start(
      in: dbQueue, onError: { error in continuation.yield("\(type(of: error))") }, onChange: { _ in })
    var iterator = errors.makeAsyncIterator()
    #expect(await iterator.next() == "DatabaseError")
    withExtendedLifetime(cancellable) {}
  }
}
