import Foundation

/// A type that can be decoded from a row.
///
/// `Decodable` types only need to declare the conformance.
public protocol FetchableRecord: RowDecodable {
  /// Creates a record from a row.
  init(row: Row) throws

  /// The `userInfo` of the decoder that `init(from:)` of a `Decodable` record receives; empty by default.
  static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Returns the decoder for a column that holds JSON.
  ///
  /// By default, dates are milliseconds since 1970, and data is in Base64.
  static func databaseJSONDecoder(for column: String) -> JSONDecoder

  /// How the names of columns become names of properties; unchanged by default.
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }

  /// Returns how a date is read from a column; by default from a text or a number of seconds since 1970.
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

  /// Returns how `Data` is read from a column; by default from a blob.
  static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy
}

extension FetchableRecord {
  /// An empty dictionary.
  public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns a decoder that reads dates as milliseconds since 1970 and data in Base64, and whose `userInfo` is
  /// `databaseDecodingUserInfo`.
  public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
    let decoder = JSONDecoder.ofColumns
    decoder.userInfo = databaseDecodingUserInfo.forCoder
    return decoder
  }

  /// The names of the columns.
  public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }

  /// Returns the way in which `Date` reads itself.
  public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .deferredToDate
  }

  /// Returns the way in which `Data` reads itself.
  public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
    .deferredToData
  }
}

extension FetchableRecord {
  /// Returns the record that a row stands for.
  ///
  /// - Throws: The error that the initializer throws, or that a subscript in it met and could not throw.
  public static func decoded(from row: Row) throws -> Self {
    try RowDecodingError.of(Self.self) {
      let record = try Self(row: row)
      try row.checkDecoding()
      return record
    }
  }
}
