import Foundation

/// A type that can be decoded from a row.
///
/// Decodable types need no more than to name the protocol.
public protocol FetchableRecord: RowDecodable {
  /// Creates the record of a row.
  init(row: Row) throws

  /// What `init(from:)` of a `Decodable` record finds in `userInfo` of its decoder; empty unless a type says otherwise.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

  /// Returns the decoder of a column that holds JSON.
  ///
  /// Unless a type says otherwise, dates are milliseconds since 1970, and data is in Base64.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder
}

extension FetchableRecord {
  /// Empty.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

  /// Dates are milliseconds since 1970, data is in Base64, and `userInfo` is `databaseDecodingUserInfo`.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder.ofColumns
    decoder.userInfo = databaseDecodingUserInfo
    return decoder
  }
}

extension FetchableRecord where Self: Decodable {
  /// The record of a row: columns, associated records and collections go to the properties of their names.
  public init(row: Row) throws {
    self = try Self(from: RecordDecoder(row: row, at: DecodingPlace(record: Self.self)))
  }
}

extension FetchableRecord {
  /// Returns the record of a row.
  ///
  /// - Throws: What the initializer throws, or the error that a subscript met in it and could not throw.
  public static func decoded(from row: Row) throws -> Self {
    let record = try Self(row: row)
    try row.checkDecoding()
    return record
  }
}
