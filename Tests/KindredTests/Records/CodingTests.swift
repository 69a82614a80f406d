import Foundation
import Kindred
import Testing

@Suite("Codable records")
struct CodingTests {
  private func roundTrip<Record: Codable & FetchableRecord & PersistableRecord>(
    _ record: Record, columns: String
  ) throws -> (Record?, Row?) {
    let queue = DatabaseQueue()
    return try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE \"\(Record.databaseTableName)\" (\(columns))")
      try record.insert(db)
      return (try Record.fetchOne(db), try Row.fetchOne(db, Record.all()))
    }
  }

  // MARK: JSON

  private struct Event: Codable, FetchableRecord, PersistableRecord, Equatable {
    struct Details: Codable, Equatable {
      var b: Date
      var a: Data
    }
    var dates: [Date]
    var details: Details
  }

  @Test
  func `JSON columns are those of GRDB: milliseconds since 1970, Base64, sorted keys`() throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.5)
    let event = Event(dates: [date], details: Event.Details(b: date, a: Data([1, 2])))
    let (fetched, row) = try roundTrip(event, columns: "dates, details")
    #expect(fetched == event)
    #expect(row?["dates"] as String? == "[1700000000500]")
    #expect(row?["details"] as String? == #"{"a":"AQI=","b":1700000000500}"#)
  }

  @Test
  func `a type has its own JSON coders, and gives its coders information`() throws {
    struct Note: Codable, FetchableRecord, PersistableRecord, Equatable {
      static let key = CodingUserInfoKey(rawValue: "key")
      static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { key.map { [$0: "decoded"] } ?? [:] }
      static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { key.map { [$0: "encoded"] } ?? [:] }

      static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
      }

      static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return encoder
      }

      enum CodingKeys: CodingKey { case tags, how }
      struct Tags: Codable, Equatable { var firstTag: String }
      var tags: Tags
      var how: String

      init(tags: Tags) {
        self.tags = tags
        how = ""
      }

      init(from decoder: any Decoder) throws {
        tags = try decoder.container(keyedBy: CodingKeys.self).decode(Tags.self, forKey: .tags)
        how = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? ""
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(tags, forKey: .tags)
        try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String }, forKey: .how)
      }
    }
    let (note, row) = try roundTrip(Note(tags: .init(firstTag: "x")), columns: "tags, how")
    #expect(row == ["tags": #"{"first_tag":"x"}"#, "how": "encoded"])
    #expect(note?.tags.firstTag == "x")
    #expect(note?.how == "decoded")
  }

  // MARK: Decimals

  private struct Price: Codable, FetchableRecord, PersistableRecord, Equatable {
    var exact: Decimal
    var numeric: Decimal
    var real: Decimal
    var whole: Decimal
  }

  @Test
  func `decimals are texts, and are read from whatever the column's type makes of them`() throws {
    let digits = try #require(Decimal(string: "1234567890.12345678901234567890"))
    let tenth = try #require(Decimal(string: "0.1"))
    let price = Price(exact: digits, numeric: tenth, real: tenth, whole: 12)
    let (fetched, row) = try roundTrip(
      price, columns: "exact TEXT, numeric NUMERIC, real DOUBLE, whole DECIMAL")
    #expect(fetched == price)
    #expect(row?["exact"] as String? == "1234567890.1234567890123456789")
    #expect(row?["numeric"] as Double? == 0.1)
    #expect(Decimal.fromDatabaseValue("1e3".databaseValue) == 1000)
    for (text, number) in [("-12.5", "-12.5"), ("+1.", "1"), (".5", "0.5"), ("25E-1", "2.5")] {
      #expect(Decimal.fromDatabaseValue(text.databaseValue) == Decimal(string: number), "\(text)")
    }
    for text in ["12abc", "", "0x1", "1,5", " 1", ".", "-", "1e", "1e+", "e1", "--1", "1.2.3", "١"] {
      #expect(Decimal.fromDatabaseValue(text.databaseValue) == nil, "\(text)")
    }
    #expect(Decimal.nan.databaseValue == .null)
  }

  // MARK: Containers

  @Test
  func `a record that encodes a column by parts is an error, and not a column that gets lost`() throws {
    struct Keyed: Codable, FetchableRecord, PersistableRecord {
      enum Key: String, CodingKey { case place, city }
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var place = container.nestedContainer(keyedBy: Key.self, forKey: .place)
        try place.encode("Paris", forKey: .city)
      }
    }
    struct Unkeyed: Codable, FetchableRecord, PersistableRecord {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode("Paris")
      }
    }
    let error = #expect(throws: EncodingError.self) { try roundTrip(Keyed(), columns: "place") }
    #expect(error.map { "\($0)".contains("the column place can't be encoded in parts") } == true)
    #expect(throws: EncodingError.self) { try roundTrip(Unkeyed(), columns: "place") }
  }

  @Test
  func `a record may be another one in a single-value container`() throws {
    struct Town: Codable, Equatable { var name: String }
    struct Wrapped: Codable, FetchableRecord, PersistableRecord, Equatable {
      var town: Town
      init(town: Town) { self.town = town }
      init(from decoder: any Decoder) throws {
        town = try decoder.singleValueContainer().decode(Town.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(town)
      }
    }
    let town = Wrapped(town: Town(name: "Concord"))
    let (fetched, row) = try roundTrip(town, columns: "name")
    #expect(fetched == town)
    #expect(row == ["name": "Concord"])
  }

  @Test
  func `coding paths are the keys that lead to a value`() throws {
    struct Spy: Decodable {
      var path: String
      init(from decoder: any Decoder) throws {
        path = decoder.codingPath.map(\.stringValue).joined(separator: ".")
      }
    }
    struct Inner: Decodable {
      var scope: Spy
      var list: [Spy]
      var column: Spy
    }
    struct Outer: Decodable, FetchableRecord {
      var inner: Inner
      var itself: Spy
    }
    var row: Row = ["x": 1]
    let queue = DatabaseQueue()
    row = try #require(
      queue.read { db throws in
        try Row.fetchOne(
          db, sql: "SELECT 1 AS x, 2 AS \"column\", 3 AS y",
          adapter: ScopeAdapter(
            base: RangeRowAdapter(0..<1),
            [
              "inner": ScopeAdapter(base: RangeRowAdapter(1..<2), ["scope": RangeRowAdapter(2..<3)])
            ]))
      })
    row.prefetchedRows.set([["z": 1], ["z": 2]], forKey: "list", in: ["inner"])
    let outer = try Outer(row: row)
    #expect(outer.inner.scope.path == "inner.scope")
    #expect(outer.inner.column.path == "inner.column")
    #expect(outer.inner.list.map(\.path) == ["inner.list.0", "inner.list.1"])
    #expect(outer.itself.path == "itself")
  }

  @Test
  func `a class whose property nothing feeds is an error, and no endless recursion`() throws {
    final class Node: Decodable, FetchableRecord {
      var id: Int
      var parent: Node
    }
    #expect(throws: RowDecodingError(.keyNotFound, key: "parent", type: Node.self)) {
      try Node(row: ["id": 1])
    }
  }
}
