import Foundation

/// Where in a record a decoder stands.
struct DecodingPlace {
  /// The record type that says how its columns are decoded; nil where none does.
  let record: (any FetchableRecord.Type)?
  private let above: [any CodingKey]
  private let key: (any CodingKey)?

  /// At the top of a record.
  init(record: (any FetchableRecord.Type)? = nil) {
    self.init(record: record, above: [], key: nil)
  }

  private init(record: (any FetchableRecord.Type)?, above: [any CodingKey], key: (any CodingKey)?) {
    self.record = record
    self.above = above
    self.key = key
  }

  /// Below a key of this place.
  func below(_ key: some CodingKey) -> DecodingPlace {
    DecodingPlace(record: record, above: codingPath, key: key)
  }

  /// The same place, for many that are below it: its path is put together once.
  var settled: DecodingPlace { DecodingPlace(record: record, above: codingPath, key: nil) }

  /// The keys that lead here.
  ///
  /// They are put together when they are asked for, which is seldom.
  var codingPath: [any CodingKey] { key.map { above + [$0] } ?? above }

  var userInfo: [CodingUserInfoKey: Any] {
    guard let record else { return [:] }
    return record.databaseDecodingUserInfo
  }

  func jsonDecoder(for column: String) -> JSONDecoder {
    record?.databaseJSONDecoder(for: column) ?? .ofColumns
  }
}

/// The position of an element in a collection.
struct ElementKey: CodingKey {
  let intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }

  init(_ index: Int) {
    intValue = index
  }

  init?(intValue: Int) {
    self.init(intValue)
  }

  init?(stringValue: String) {
    guard let index = Int(stringValue) else { return nil }
    self.init(index)
  }
}

extension JSONDecoder {
  /// Reads what `JSONEncoder.ofColumns` writes.
  static var ofColumns: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return decoder
  }
}

extension JSONEncoder {
  /// Writes dates as milliseconds since 1970, data in Base64, and keys in their order, so that equal values are equal
  /// texts.
  static var ofColumns: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}
