import Foundation

/// The position of a decoder within a record.
struct DecodingPlace {
  /// A key, and those above it.
  private final class Path {
    let above: Path?
    let key: any CodingKey

    init(_ key: any CodingKey, below above: Path?) { (self.above, self.key) = (above, key) }
  }

  /// The record type whose settings for decoding apply; nil if there is none.
  let record: (any FetchableRecord.Type)?
  /// The type of a value outside a record, whose decoder of JSON applies; nil in a record.
  private let values: (any DatabaseValueConvertible.Type)?
  private let path: Path?

  /// Returns the position below a key of this one.
  func below(_ key: some CodingKey) -> DecodingPlace {
    DecodingPlace(record: record, values: values, path: Path(key, below: path))
  }

  /// The coding path of this position.
  var codingPath: [any CodingKey] {
    var keys: [any CodingKey] = []
    var path = path
    while let part = path {
      keys.append(part.key)
      path = part.above
    }
    return keys.reversed()
  }

  var userInfo: [CodingUserInfoKey: Any] {
    guard let record else { return [:] }
    return record.databaseDecodingUserInfo
  }

  func jsonDecoder(for column: String) -> JSONDecoder {
    record?.databaseJSONDecoder(for: column) ?? values?.databaseJSONDecoder() ?? .ofColumns
  }
}

extension DecodingPlace {
  /// Creates the position at the top of a record.
  init(record: (any FetchableRecord.Type)? = nil) {
    self.init(record: record, values: nil, path: nil)
  }

  /// Creates the position of a value outside a record.
  init(ofValues values: any DatabaseValueConvertible.Type) {
    self.init(record: nil, values: values, path: nil)
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
  /// A decoder for the output of `JSONEncoder.ofColumns`.
  static var ofColumns: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return decoder
  }
}

extension JSONEncoder {
  /// An encoder that writes dates as milliseconds since 1970, data in Base64, and keys in sorted order, so that
  /// equal values give equal texts.
  static var ofColumns: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}
