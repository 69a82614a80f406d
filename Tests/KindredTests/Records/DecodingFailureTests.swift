import Foundation
import Synchronization
import Testing

@testable import Kindred

/// Subscripts can't throw: if a column holds another type, they return a fallback, and the fetch throws before it
/// can be used.
@Suite("Errors of subscripts")
struct DecodingFailureTests {
  private struct Title: FetchableRecord, TableRecord {
    static let databaseTableName = "title"
    var text: String

    init(row: Row) { text = row["text"] }
  }

  private struct Writer: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    static let titles = hasMany(Title.self)
  }

  private let mismatch = RowDecodingError(.mismatch(found: "NULL"), key: "text", type: String.self)

  private func queue() throws -> DatabaseQueue {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE writer (id INTEGER PRIMARY KEY);
          CREATE TABLE title (writerId INTEGER REFERENCES writer, text TEXT);
          INSERT INTO writer VALUES (1);
          INSERT INTO title VALUES (1, 'Omoo'), (1, NULL);
          """)
    }
    return queue
  }

  @Test
  func `a collection's record that reads NULL as a String fails the fetch`() throws {
    struct Info: Decodable, FetchableRecord {
      struct Text: Decodable, FetchableRecord {
        var text: String
        init(row: Row) { text = row["text"] }
        init(from decoder: any Decoder) throws { text = "" }
      }
      var id: Int64
      var titles: [Text]
    }
    try queue().read { db throws in
      #expect(throws: mismatch) { try Info.fetchAll(db, Writer.including(all: Writer.titles)) }
      #expect(throws: mismatch) { try Info.fetchOne(db, Writer.including(all: Writer.titles)) }
      #expect(throws: mismatch) {
        try Info.fetchCursor(db, Writer.including(all: Writer.titles)).next()
      }
    }
  }

  @Test
  func `rows that are read in a loop fail the access, when nothing has thrown before`() throws {
    let queue = try queue()
    #expect(throws: mismatch) {
      try queue.read { db throws in
        try Row.fetchAll(db, sql: "SELECT text FROM title").map { row in row["text"] as String }
      }
    }
    #expect(throws: mismatch) {
      try queue.write { db throws in
        for row in try Row.fetchAll(db, sql: "SELECT text FROM title") {
          let text: String = row["text"]
          try db.execute(sql: "INSERT INTO title VALUES (NULL, ?)", arguments: [text + "!"])
        }
      }
    }
    // The transaction has been rolled back.
    #expect(try queue.read { db in try Title.fetchCount(db) } == 2)
    #expect(throws: mismatch) {
      try queue.inDatabase { db throws in
        _ = try Row.fetchOne(db, sql: "SELECT NULL AS text")?["text"] as String?
        _ = try Row.fetchAll(db, sql: "SELECT NULL AS text").map { $0["text"] as String }
      }
    }
  }

  @Test
  func `an optional is no failure, and an error that was thrown is not thrown again`() throws {
    try queue().read { db throws in
      let rows = try Row.fetchAll(db, sql: "SELECT text FROM title")
      #expect(rows.map { $0["text"] as String? } == ["Omoo", nil])
      #expect(rows.map { $0["text"] as String } == ["Omoo", ""])
      #expect(throws: mismatch) { try rows[0].checkDecoding() }
    }
  }

  @Test
  func `outside of an access, where nothing could throw it, the first failure is reported`() throws {
    let reports = Mutex<[String]>([])
    let failures = DecodingFailures { report in reports.withLock { $0.append(report) } }
    failures.record(mismatch)
    #expect(throws: mismatch) { try failures.check() }
    #expect(reports.withLock(\.self).isEmpty)
    failures.detach()
    failures.record(mismatch)
    failures.record(mismatch)
    #expect(reports.withLock(\.count) == 1)
    #expect(reports.withLock { $0[0].contains("the column \"text\" contains NULL") })
    #expect(throws: mismatch) { try failures.check() }
  }
}
