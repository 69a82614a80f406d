import Foundation
import Kindred
import Testing

/// What a program of GRDB becomes: the samples are also valid in GRDB 7, but for the lines of the table of changes.
@Suite("The guide: moving from GRDB")
struct MovingFromGRDB {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  // Sample: record
  struct Reader: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var loans = 0

    enum Columns {
      static let name = Column(CodingKeys.name)
      static let loans = Column(CodingKeys.loans)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
      id = inserted.rowID
    }
  }
  // End

  private func readers() throws {
    try dbQueue.write { db throws in
      try db.create(table: "reader") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.column("loans", .integer).notNull().defaults(to: 0)
      }
    }
  }

  @Test
  func `the first day: writing and reading records`() throws {
    try readers()
    // Sample: first day
    try dbQueue.write { db in
      var reader = Reader(name: "Ada")
      try reader.insert(db)
      try reader.updateChanges(db) { $0.loans += 1 }
      try Reader.filter { $0.loans > 10 }.updateAll(db) { $0.loans.set(to: 10) }
    }
    let readers = try dbQueue.read { db in
      try Reader.order(\.name).limit(10).fetchAll(db)
    }
    // End
    #expect(readers.map(\.loans) == [1])
  }

  @Test
  func `SQL and its values`() throws {
    let name = "Victor Hugo"
    // Sample: sql
    let titles = try dbQueue.read { db in
      let request: SQLRequest<String> = """
        SELECT book.title FROM book JOIN author ON author.id = book.authorId
        WHERE author.name = \(name) ORDER BY book.year
        """
      return try request.fetchAll(db)
    }
    // End
    #expect(titles == ["Hernani", "Les Misérables", "Toilers of the Sea"])
  }

  @Test
  func `requests within requests`() throws {
    // Sample: subqueries
    let newest = Book.select(max(Column("year")))
    let books = try dbQueue.read { db in
      try Book.filter(Column("year") == newest).fetchAll(db)
    }
    // End
    #expect(books.map(\.title) == ["Billy Budd"])
  }

  // Sample: observer
  final class LoanCounter: TransactionObserver {
    var changes = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
      eventKind.tableName == "reader"
    }
    func databaseDidChange(with event: DatabaseEvent) { changes += 1 }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) { changes = 0 }
  }
  // End

  @Test
  func `observation of transactions, and what follows one`() throws {
    try readers()
    let counter = LoanCounter()
    var sent: [String] = []
    func send(_ message: String) { sent.append(message) }
    // Sample: transactions
    dbQueue.add(transactionObserver: counter)
    try dbQueue.write { db in
      var reader = Reader(name: "Grace")
      try reader.insert(db)
      db.afterNextTransaction { _ in send("Welcome, \(reader.name)!") }
    }
    // End
    #expect(counter.changes == 1 && sent == ["Welcome, Grace!"])
  }

  // MARK: The lines that change

  enum Kind: String, DatabaseValueConvertible { case novel, poem, theatre }

  @Test
  func `what a program must change`() throws {
    try dbQueue.inDatabase { db in
      guard let row = try Row.fetchOne(db, Book.including(required: Book.author)) else { return }
      // Changes:
      let author: Author = try row["author"]
      let kind: Kind? = row["kind"]
      let title: String = row["title"]
      let names = try db.columns(in: "book").map(\.name)
      try dbQueue.unsafeReentrantWrite { db in try db.execute(sql: "ANALYZE") }
      // End of changes
      #expect(
        author.name == "Victor Hugo" && kind == .theatre && title == "Hernani" && names.contains("kind"))
    }
  }

  @Test
  func `each line of the table of changes is compiled`() throws {
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let rows = try Samples.article("MovingFromGRDB").matches(of: /(?m)^\| `([^`]*)` \| `([^`]*)` \|/)
    #expect(rows.count == 4)
    for row in rows {
      #expect(source.contains(row.output.2), "\(row.output.2)")
      #expect(row.output.1 != row.output.2)
    }
  }
}
