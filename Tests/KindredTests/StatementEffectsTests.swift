import Testing

@testable import Kindred

@Suite("What statements read and change")
struct StatementEffectsTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE line (id INTEGER PRIMARY KEY, price, note, double AS (price * 2), triple AS (price * 3) STORED);
          CREATE TEMP TABLE own (price, double AS (price * 2));
          CREATE VIRTUAL TABLE page USING fts4(body);
          """)
    }
  }

  @Test(arguments: [
    ("SELECT double FROM line", "UPDATE line SET price = 2"),
    ("SELECT triple FROM line", "UPDATE LINE SET PRICE = 2"),
    ("SELECT double FROM own", "UPDATE own SET price = 2"),
    ("SELECT id FROM line", "UPDATE line SET rowid = 7"),
    ("SELECT docid FROM page WHERE page MATCH 'whale'", "UPDATE page SET body = 'whale'"),
  ])
  func `S306: an update changes the columns whose values follow from those that it sets`(
    query: String, update: String
  ) throws {
    try queue.write { db in
      let reads = StatementEffects(of: query, on: try db.connection).reads
      let changes = StatementEffects(of: update, on: try db.connection).changes
      #expect(!changes.isUnknown)
      #expect(reads.isTouched(by: changes))
    }
  }

  @Test
  func `S306: an update changes no other columns`() throws {
    try queue.write { db in
      let effects = StatementEffects(of: "UPDATE line SET price = 2", on: try db.connection)
      #expect(effects.changes.columns == ["line": ["price", "double", "triple"]])
    }
  }

  @Test
  func `S306: a generated column is notified`() async throws {
    try await queue.write { db in try db.execute(sql: "INSERT INTO line (id, price) VALUES (1, 1)") }
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT double FROM line") ?? 0
    }
    var values = observation.values(in: queue).makeAsyncIterator()
    #expect(try await values.next() == 2)
    try await queue.write { db in try db.execute(sql: "UPDATE line SET price = 4") }
    #expect(try await values.next() == 8)
  }
}
