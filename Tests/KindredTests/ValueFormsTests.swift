import Foundation
import Kindred
import Synchronization
import TestSupport
import Testing

@Suite("Forms of values, literals and columns")
struct ValueFormsTests {
  private struct Player: Codable, FetchableRecord {
    var name: String
    var isFavorite = false

    private enum CodingKeys: CodingKey { case name }

    init(row: Row) throws {
      self = try FetchableRecordDecoder().decode(Player.self, from: row)
      isFavorite = row["isFavorite"]
    }
  }

  @Test
  func `a record is decoded within its own initialiser`() throws {
    let player = try Player(row: Row(["name": "Ann", "isFavorite": true]))
    #expect(player.name == "Ann")
    #expect(player.isFavorite)
  }

  @Test
  func `an interpolated identifier is quoted`() throws {
    let name = "a \"b\""
    let value = try DatabaseQueue().write { db in
      try db.execute(literal: "CREATE TABLE \(identifier: name) (\(identifier: name) INTEGER)")
      try db.execute(literal: "INSERT INTO \(identifier: name) VALUES (\(7))")
      let request: SQLRequest<Int> = "SELECT \(identifier: name) FROM \(identifier: name)"
      return try request.fetchOne(db)
    }
    #expect(value == 7)
  }

  @Test
  func `a Julian day is a date`() {
    #expect(Date(julianDay: 2_440_587.5) == Date(timeIntervalSince1970: 0))
    #expect(Date(julianDay: 2_440_588) == Date(timeIntervalSince1970: 43200))
  }

  @Test
  func `a column of binary JSON has SQLite's name for it`() throws {
    let type = try DatabaseQueue().write { db in
      try db.create(table: "t") { $0.column("data", .jsonb) }
      return try String.fetchOne(db, sql: "SELECT type FROM pragma_table_info('t')")
    }
    #expect(type == "JSONB")
  }

  private struct Span: Codable, DatabaseValueConvertible, Equatable {
    var start: Date

    static func databaseJSONEncoder() -> JSONEncoder {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .secondsSince1970
      return encoder
    }

    static func databaseJSONDecoder() -> JSONDecoder {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .secondsSince1970
      return decoder
    }
  }

  @Test
  func `a value that is stored as JSON has its own coders`() {
    let span = Span(start: Date(timeIntervalSince1970: 60))
    #expect(span.databaseValue == #"{"start":60}"#.databaseValue)
    #expect(Span.fromDatabaseValue(span.databaseValue) == span)
  }

  @Test
  func `readers that are idle are replaced by others`() throws {
    let directory = try TemporaryDirectory()
    let count = Mutex(0)
    var configuration = Configuration()
    configuration.prepareDatabase { _ in count.withLock { $0 += 1 } }
    let pool = try DatabasePool(path: directory.path("a.sqlite"), configuration: configuration)
    try pool.read { _ in }
    let before = count.withLock { $0 }
    try pool.read { _ in }
    #expect(count.withLock { $0 } == before)
    pool.invalidateReadOnlyConnections()
    try pool.read { _ in }
    #expect(count.withLock { $0 } == before + 1)
  }
}
