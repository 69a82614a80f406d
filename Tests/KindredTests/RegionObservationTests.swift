import Foundation
import Kindred
import Synchronization
import Testing

@Suite("Observations of regions")
struct RegionObservationTests {
  private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    var id: Int64
    var name: String?
    var score: Int?
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
          CREATE TABLE award (id INTEGER PRIMARY KEY, playerId REFERENCES player ON DELETE CASCADE);
          """)
    }
  }

  @Test
  func `the observation of a region is notified of each transaction that changes it, on the writing thread`()
    throws
  {
    let counts = Mutex<[Int]>([])
    let observation = DatabaseRegionObservation(tracking: Player.select(Column("score")))
    let cancellable = observation.start(in: queue) {
      Issue.record($0)
    } onChange: { db in
      let count = (try? Player.fetchCount(db)) ?? -1
      counts.withLock { $0.append(count) }
    }
    try queue.write { db in try Player(id: 1, name: "Arthur", score: 1).insert(db) }
    try queue.write { db in try db.execute(sql: "UPDATE player SET name = 'Barbara'") }
    try queue.write { db in try Player(id: 2, name: "Craig", score: 1).insert(db) }
    #expect(counts.withLock { $0 } == [1, 2])
    cancellable.cancel()
    try queue.write { db in try Player(id: 3, name: "David", score: 1).insert(db) }
    #expect(counts.withLock { $0 } == [1, 2])
  }

  @Test
  func `a region that can't be determined is an error`() {
    let errors = Mutex(0)
    let missing = DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM nowhere"))
    _ = missing.start(in: queue) { _ in
      errors.withLock { $0 += 1 }
    } onChange: { _ in
    }
    #expect(errors.withLock { $0 } == 1)
  }

  @Test
  func `the observation of a region that an access starts is notified of what that access commits`() throws {
    let counts = Mutex<[Int]>([])
    var token: AnyDatabaseCancellable?
    try queue.write { db in
      token = DatabaseRegionObservation(tracking: Player.all()).start(in: queue) {
        Issue.record($0)
      } onChange: { db in
        let count = (try? Player.fetchCount(db)) ?? -1
        counts.withLock { $0.append(count) }
      }
      try Player(id: 1, name: "Arthur", score: 1).insert(db)
    }
    try queue.write { db in try db.execute(sql: "INSERT INTO award VALUES (1, NULL)") }
    #expect(counts.withLock { $0 } == [1])
    token?.cancel()
  }

  @Test
  func `the observation of a region waits for the write access of another thread`() throws {
    let isWriting = DispatchSemaphore(value: 0)
    let mayCommit = DispatchSemaphore(value: 0)
    let changes = Mutex(0)
    let queue = queue
    DispatchQueue.global().async {
      try? queue.write { db in
        isWriting.signal()
        mayCommit.wait()
        try Player(id: 1, name: "Arthur", score: 1).insert(db)
      }
    }
    isWriting.wait()
    mayCommit.signal()
    let token = DatabaseRegionObservation(tracking: Player.all()).start(in: queue) {
      Issue.record($0)
    } onChange: { _ in
      changes.withLock { $0 += 1 }
    }
    // What is read once it has started misses nothing: it has been committed before, or is notified.
    let known = try queue.read { db in try Player.fetchCount(db) }
    #expect(known == 1 || changes.withLock { $0 } == 1)
    token.cancel()
  }

  @Test
  func `changes of a table without rowids are changes of its region`() throws {
    try queue.write { db in try db.execute(sql: "CREATE TABLE tag (name TEXT PRIMARY KEY) WITHOUT ROWID") }
    let changes = Mutex(0)
    let token = DatabaseRegionObservation(tracking: Table("tag")).start(in: queue) {
      Issue.record($0)
    } onChange: { _ in
      changes.withLock { $0 += 1 }
    }
    try queue.write { db in try db.execute(sql: "INSERT INTO tag VALUES ('sea')") }
    #expect(changes.withLock { $0 } == 1)
    token.cancel()
  }
}
