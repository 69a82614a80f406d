import Foundation
import Kindred
import Testing

@Suite("Values in and out of columns")
struct DatabaseValueTests {
  enum Kind: String, DatabaseValueConvertible { case novel, poems }

  /// Returns the value that is read from the database after `value` was stored.
  private func roundTrip<Value: DatabaseValueConvertible>(_ value: Value) throws -> Value? {
    try DatabaseQueue().read { db in try Value.fetchOne(db, sql: "SELECT ?", arguments: [value]) }
  }

  @Test
  func `numbers, text, bytes and Booleans come out as they went in`() throws {
    #expect(try roundTrip(Int.min) == .min)
    #expect(try roundTrip(UInt8.max) == .max)
    #expect(try roundTrip(UInt64(Int64.max)) == UInt64(Int64.max))
    #expect(try roundTrip(-0.1) == -0.1)
    #expect(try roundTrip(Float(1.5)) == 1.5)
    #expect(try roundTrip("L'été") == "L'été")
    #expect(try roundTrip("") == "")
    #expect(try roundTrip(true) == true)
    #expect(try roundTrip(Data([0, 255])) == Data([0, 255]))
    #expect(try roundTrip(Data()) == Data())
  }

  @Test
  func `UUIDs, URLs and enumerations come out as they went in`() throws {
    let uuid = UUID()
    #expect(try roundTrip(uuid) == uuid)
    let url = try #require(URL(string: "https://example.org/a?b#c"))
    #expect(try roundTrip(url) == url)
    #expect(try roundTrip(Kind.poems) == .poems)
    #expect(UUID.fromDatabaseValue("E621E1F8-C36C-495A-93FC-0C247A3E6E5F".databaseValue) != nil)
  }

  @Test
  func `an optional is NULL or its value`() throws {
    let queue = DatabaseQueue()
    let values = try queue.read { db in try Int?.fetchAll(db, sql: "SELECT 1 UNION ALL SELECT NULL") }
    #expect(values == [1, nil])
    let none: String? = nil
    #expect(none.databaseValue == .null)
    #expect(Int?.fromDatabaseValue("a".databaseValue) == nil)
  }

  @Test
  func `NaN, which SQLite has not, is NULL`() {
    #expect(Double.nan.databaseValue == .null)
  }

  @Test
  func `a number out of range, or with a fraction, is no integer`() {
    #expect(Int8.fromDatabaseValue(128.databaseValue) == nil)
    #expect(Int.fromDatabaseValue(1.5.databaseValue) == nil)
    #expect(Int.fromDatabaseValue(2.0.databaseValue) == 2)
    #expect(UInt.fromDatabaseValue((-1).databaseValue) == nil)
    #expect(Int.fromDatabaseValue(Double.infinity.databaseValue) == nil)
  }

  @Test(arguments: [
    (0, "1970-01-01 00:00:00.000"), (-0.001, "1969-12-31 23:59:59.999"),
    (951_782_400, "2000-02-29 00:00:00.000"), (-3_729_801_600, "1851-10-23 00:00:00.000"),
    (253_402_300_799.999, "9999-12-31 23:59:59.999"), (-62_167_219_200, "0000-01-01 00:00:00.000"),
    (1_700_000_000.1234, "2023-11-14 22:13:20.123"),
  ])
  func `dates are text that SQLite understands`(seconds: Double, text: String) throws {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(date.databaseValue == text.databaseValue)
    let back = try #require(Date.fromDatabaseValue(text.databaseValue))
    #expect(abs(back.timeIntervalSince(date)) < 0.001)
    let sqlite = try DatabaseQueue().read { db in
      try String.fetchOne(db, sql: "SELECT strftime('%Y-%m-%d %H:%M:%f', ?)", arguments: [date])
    }
    #expect(sqlite == text)
  }

  @Test(arguments: [
    ("2000-01-02", 946_771_200), ("2000-01-02 03:04", 946_782_240), ("2000-01-02T03:04:05", 946_782_245),
    ("2000-01-02T03:04:05.250Z", 946_782_245.25), ("2000-01-02 03:04:05+01:00", 946_778_645),
    ("2000-01-02 03:04:05-01:30", 946_787_645),
  ])
  func `dates are read in the formats of SQLite`(text: String, seconds: Double) {
    #expect(Date.fromDatabaseValue(text.databaseValue)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "2000", "2000-13-01", "2000-01-00", "2000-01-01 24:00", "2000-01-01 1:00", "2000-01-01x",
  ])
  func `what is no date is none`(text: String) {
    #expect(Date.fromDatabaseValue(text.databaseValue) == nil)
  }

  @Test
  func `a date out of SQLite's years is stored in seconds`() {
    let far = Date(timeIntervalSince1970: 1e12)
    #expect(far.databaseValue == 1e12.databaseValue)
    #expect(Date.fromDatabaseValue(far.databaseValue) == far)
    #expect(Date.fromDatabaseValue(60.databaseValue) == Date(timeIntervalSince1970: 60))
  }

  @Test
  func `texts and numbers are not converted to each other`() throws {
    try DatabaseQueue().read { db throws in
      #expect(throws: RowDecodingError.self) { try Int.fetchOne(db, sql: "SELECT '12'") }
      #expect(throws: RowDecodingError.self) { try String.fetchOne(db, sql: "SELECT 12") }
    }
  }
}
