import Foundation

/// A type that can be decoded from a row.
///
/// `Decodable` types only need to declare the conformance.
public protocol FetchableRecord: RowDecodable {
  /// Creates a record from a row.
  init(row: Row) throws

  /// The `userInfo` of the decoder that `init(from:)` of a `Decodable` record receives; empty by default.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

  /// Returns the decoder for a column that holds JSON.
  ///
  /// By default, dates are milliseconds since 1970, and data is in Base64.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder
}

extension FetchableRecord {
  /// An empty dictionary.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

  /// Returns a decoder that reads dates as milliseconds since 1970 and data in Base64, and whose `userInfo` is
  /// `databaseDecodingUserInfo`.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder.ofColumns
    decoder.userInfo = databaseDecodingUserInfo
    return decoder
  }
}

extension FetchableRecord where Self: Decodable {
  /// Creates a record from a row: columns, associated records and collections go to the properties of their names.
  public init(row: Row) throws {
    self = try Self(from: RecordDecoder(row: row, at: DecodingPlace(record: Self.self)))
  }
}

extension FetchableRecord {
  /// Returns the record that a row stands for.
  ///
  /// - Throws: The error that the initializer throws, or that a subscript in it met and could not throw.
  public static func decoded(from row: Row) throws -> Self {
    let record = try Self(row: row)
    try row.checkDecoding()
    return record
  }
}
