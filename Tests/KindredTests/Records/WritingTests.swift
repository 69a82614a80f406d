import Foundation
import Kindred
import Synchronization
import Testing

@Suite("Writing records")
struct WritingTests {
  struct Player: Codable, FetchableRecord, MutablePersistableRecord, Identifiable, Hashable {
    var id: Int64?
    var name: String
    var score: Int

    enum Columns {
      static let id = Column(CodingKeys.id)
      static let name = Column(CodingKeys.name)
      static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  struct Word: Codable, FetchableRecord, PersistableRecord, Hashable {
    var text: String
    var count: Int
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.column("score", .integer).notNull().defaults(to: 10)
        t.column("rank", .integer).generatedAs(sql: "score / 100")
      }
      try db.create(table: "word") { t in
        t.primaryKey("text", .text)
        t.column("count", .integer).notNull()
      }
    }
  }

  // MARK: Insertion

  @Test
  func `a mutable record learns its rowid`() throws {
    try queue.write { db throws in
      var arthur = Player(id: nil, name: "Arthur", score: 1)
      try arthur.insert(db)
      #expect(arthur.id == 1)
      let barbara = try Player(name: "Barbara", score: 2).inserted(db)
      #expect(barbara.id == 2)
      var craig = Player(name: "Craig", score: 3)
      try craig.save(db)
      #expect(craig.id == 3)
      craig.score = 4
      try craig.save(db)
      #expect(try Player.find(db, id: 3) == craig)
      #expect(try Player.fetchCount(db) == 3)
    }
  }

  @Test
  func `an insertion returns what is stored`() throws {
    struct PartialPlayer: Codable, PersistableRecord {
      static let databaseTableName = "player"
      var name: String
    }
    struct Ranked: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "player"
      var score: Int
      var rank: Int
    }
    try queue.write { db throws in
      let stored = try PartialPlayer(name: "Arthur").insertAndFetch(db, as: Player.self)
      #expect(stored == Player(id: 1, name: "Arthur", score: 10))
      let score = try PartialPlayer(name: "Barbara").insertAndFetch(db, selection: [Column("score")]) {
        try Int.fetchOne($0)
      }
      #expect(score == 10)
      var craig = try Player(name: "Craig", score: 300).saveAndFetch(db)
      craig.score = 500
      #expect(try craig.saveAndFetch(db, as: Ranked.self).rank == 5)
      #expect(try craig.updateAndFetch(db) == craig)
    }
  }

  @Test
  func `a violated constraint is resolved as the caller says, or as the record says`() throws {
    struct Lenient: Codable, FetchableRecord, MutablePersistableRecord {
      static let databaseTableName = "player"
      static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore)
      var id: Int64?
      var name: String
      var score: Int
      mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }
    try queue.write { db throws in
      var arthur = Player(name: "Arthur", score: 1)
      try arthur.insert(db)
      var twin = Player(name: "Arthur", score: 2)
      #expect(throws: DatabaseError.self) { try twin.insert(db) }
      try twin.insert(db, onConflict: .replace)
      #expect(try Player.fetchAll(db) == [Player(id: 2, name: "Arthur", score: 2)])
      var skipped = Lenient(name: "Arthur", score: 3)
      try skipped.insert(db)
      #expect(skipped.id == nil)
      #expect(try Player.fetchAll(db).map(\.score) == [2])
    }
  }

  @Test
  func `an upsert updates the row that is in the way, and learns its rowid`() throws {
    try queue.write { db throws in
      try db.execute(sql: "INSERT INTO player (id, name, score) VALUES (7, 'Arthur', 1), (9, 'Barbara', 1)")
      var arthur = Player(name: "Arthur", score: 5)
      try arthur.upsert(db)
      #expect(arthur.id == 7)
      #expect(try Player.find(db, id: 7).score == 5)

      try Word(text: "whale", count: 1).insert(db)
      let whale = try Word(text: "whale", count: 1).upsertAndFetch(
        db, onConflict: ["text"], doUpdate: { _ in [Column("count") += 1] })
      #expect(whale.count == 2)
      let sum = try Word(text: "whale", count: 40).upsertAndFetch(db) { excluded in
        [Column("count").set(to: Column("count") + excluded[Column("count")])]
      }
      #expect(sum.count == 42)
      let kept = try Word(text: "whale", count: 0).upsertAndFetch(db) { _ in [Column("count").noOverwrite] }
      #expect(kept.count == 42)
    }
  }

  private struct NamedPlayer: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
  }

  @Test
  func `an upsert that overwrites nothing keeps the row with its key, and returns it`() throws {
    try queue.write { db throws in
      try db.execute(sql: "INSERT INTO player (id, name) VALUES (7, 'Arthur'), (9, 'Barbara')")
      let arthur = try NamedPlayer(id: nil, name: "Arthur").upsertAndFetch(db, onConflict: ["name"])
      #expect(arthur.id == 7)
      let barbara = try NamedPlayer(id: 8, name: "Barbara").upsertAndFetch(
        db, onConflict: ["name"], updating: .noColumnUnlessSpecified)
      #expect(barbara.id == 9)
      #expect(try Int64.fetchAll(db, sql: "SELECT id FROM player ORDER BY id") == [7, 9])
    }
  }

  // MARK: Update and deletion

  @Test
  func `an update sets the columns that it is given, and those that have changed`() throws {
    try queue.write { db throws in
      var arthur = try Player(name: "Arthur", score: 1).inserted(db)
      arthur.name = "Art"
      arthur.score = 2
      try arthur.update(db, columns: [Player.Columns.score])
      #expect(try Player.find(db, id: 1) == Player(id: 1, name: "Arthur", score: 2))
      let before = try Player.find(db, id: 1)
      #expect(try arthur.databaseChanges(from: before) == ["name": "Arthur".databaseValue])
      #expect(try arthur.updateChanges(db, from: before))
      #expect(try !arthur.updateChanges(db, from: arthur))
      #expect(try arthur.updateChanges(db) { $0.score += 10 })
      #expect(try !arthur.updateChanges(db) { $0.score = 12 })
      #expect(try Player.find(db, id: 1) == Player(id: 1, name: "Art", score: 12))
      #expect(arthur.databaseEquals(Player(id: 1, name: "Art", score: 12)))
    }
  }

  @Test
  func `a record without a row is not found by an update, and not there to delete`() throws {
    try queue.write { db throws in
      let key: [String: DatabaseValue] = ["id": 1.databaseValue]
      let notFound = RecordError.recordNotFound(databaseTableName: "player", key: key)
      #expect(throws: notFound) { try Player(id: 1, name: "", score: 0).update(db) }
      #expect(throws: RecordError.self) { try Player(name: "", score: 0).update(db) }
      #expect(try !Player(name: "", score: 0).delete(db))
      #expect(try !Player(id: 1, name: "", score: 0).exists(db))
      #expect(throws: notFound) { try Player.find(db, id: 1) }
      #expect(try !Player.exists(db, id: 1))
      _ = try Player(name: "Arthur", score: 0).inserted(db)
      #expect(try Player.exists(db, id: 1))
      #expect(try Player.exists(db, key: ["name": "Arthur"]))
      #expect(try Player.deleteOne(db, id: 1))
      #expect(try !Player.deleteOne(db, key: ["name": "Arthur"]))
    }
  }

  @Test
  func `all records of a request are updated and deleted, whatever the request`() throws {
    try queue.write { db throws in
      for (name, score) in [("Arthur", 1), ("Barbara", 2), ("Craig", 3)] {
        _ = try Player(name: name, score: score).inserted(db)
      }
      #expect(try Player.updateAll(db, Column("score") += 1) == 3)
      #expect(try Player.filter { $0.score > 2 }.updateAll(db) { $0.score *= 10 } == 2)
      #expect(try Player.order(\.score.desc).limit(1).updateAll(db, Column("name").set(to: "Best")) == 1)
      #expect(
        try Player.fetchAll(db) == [
          Player(id: 1, name: "Arthur", score: 2), Player(id: 2, name: "Barbara", score: 30),
          Player(id: 3, name: "Best", score: 40),
        ])
      #expect(
        try Player.filter(id: 2).updateAndFetchAll(db, Column("score").set(to: nil ?? 0))
          == [Player(id: 2, name: "Barbara", score: 0)])
      #expect(try Player.filter { $0.name == "Best" }.deleteAndFetchAll(db).map(\.id) == [3])
      #expect(try Player.deleteAll(db, ids: [2, 99]) == 1)
      #expect(try Player.deleteAll(db) == 1)
      #expect(try Table("player").isEmpty(db))
    }
  }

  // MARK: Callbacks

  struct Noted: Codable, PersistableRecord {
    static let databaseTableName = "word"
    static let notes = Mutex<[String]>([])
    var text: String
    var count: Int

    func note(_ text: String) { Self.notes.withLock { $0.append(text) } }
    func willSave(_ db: Database) throws {
      note("willSave")
      if count < 0 { throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "negative") }
    }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
      note("beforeSave")
      _ = try save()
      note("afterSave")
    }
    func didSave(_ saved: PersistenceSuccess) { note("didSave") }
    func willInsert(_ db: Database) throws { note("willInsert") }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
      note("beforeInsert")
      _ = try insert()
      note("afterInsert")
    }
    func didInsert(_ inserted: InsertionSuccess) { note("didInsert") }
    func willUpdate(_ db: Database, columns: Set<String>) throws { note("willUpdate \(columns.sorted())") }
    func didUpdate(_ updated: PersistenceSuccess) { note("didUpdate") }
    func willDelete(_ db: Database) throws { note("willDelete") }
    func didDelete(deleted: Bool) { note("didDelete \(deleted)") }
  }

  @Test
  func `callbacks run around each write, and the first one that throws prevents it`() throws {
    func notes(_ body: (Database) throws -> Void) throws -> [String] {
      Noted.notes.withLock { $0 = [] }
      try queue.write(body)
      return Noted.notes.withLock { $0 }
    }
    let word = Noted(text: "whale", count: 1)
    #expect(
      try notes { db in try word.insert(db) } == [
        "willSave", "beforeSave", "willInsert", "beforeInsert", "afterInsert", "didInsert", "afterSave",
        "didSave",
      ])
    #expect(
      try notes { db in try word.update(db, columns: ["count"]) } == [
        "willSave", "beforeSave", "willUpdate [\"count\"]", "didUpdate", "afterSave", "didSave",
      ])
    #expect(try notes { db in try word.delete(db) } == ["willDelete", "didDelete true"])
    #expect(throws: DatabaseError.self) {
      try queue.write { db in try Noted(text: "x", count: -1).insert(db) }
    }
    #expect(try queue.read { db in try Word.fetchCount(db) } == 0)
  }

  private struct Dependent: Codable, PersistableRecord {
    static let databaseTableName = "word"
    var text: String
    var count: Int
    func willUpdate(_ db: Database, columns: Set<String>) throws {
      _ = try Player.find(db, id: Int64(count))
    }
  }

  @Test
  func `a record that a callback misses is not taken for the one that is saved`() throws {
    try queue.write { db throws in
      try Word(text: "whale", count: 1).insert(db)
      let error = #expect(throws: RecordError.self) { try Dependent(text: "whale", count: 7).save(db) }
      #expect(error == .recordNotFound(databaseTableName: "player", key: ["id": 7.databaseValue]))
      #expect(try Word.find(db, key: "whale").count == 1)
    }
  }

  // MARK: Coding strategies

  @Test
  func `columns, dates, data and UUIDs are coded as the record says`() throws {
    struct Visit: Codable, FetchableRecord, PersistableRecord, Equatable {
      static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
      static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
      static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .millisecondsSince1970
      }
      static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .millisecondsSince1970
      }
      static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .text }
      static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
        .lowercaseString
      }
      var visitID: UUID
      var startedAt: Date
      var endedAt: Date?
      var rawNote: Data
    }
    let visit = Visit(
      visitID: UUID(), startedAt: Date(timeIntervalSince1970: 1.5), endedAt: nil, rawNote: Data("x".utf8))
    try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE visit (visit_id TEXT PRIMARY KEY, started_at, ended_at, raw_note)")
      try visit.insert(db)
      #expect(
        try Row.fetchOne(db, sql: "SELECT * FROM visit") == [
          "visit_id": visit.visitID.uuidString.lowercased(), "started_at": 1500, "ended_at": nil,
          "raw_note": "x",
        ])
      // `visitID` comes back as `visitId`, as it does from Foundation's decoder of JSON.
      #expect(throws: RowDecodingError.self) { try Visit.fetchOne(db) }
      struct Start: Codable, FetchableRecord, TableRecord {
        static let databaseTableName = "visit"
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
          .millisecondsSince1970
        }
        var startedAt: Date
        var endedAt: Date?
      }
      #expect(try Start.fetchOne(db)?.startedAt == visit.startedAt)
    }
  }
}
