import Foundation
import KindredSQLSyntax

/// A type that encodes itself into the columns of a record, as `request(for:)` and `insert(_:)` need it.
///
/// `Encodable` types only need to declare the conformance.
public protocol EncodableRecord {
  /// Stores the columns of the record in the container.
  func encode(to container: inout PersistenceContainer) throws

  /// The `userInfo` of the encoder that `encode(to:)` of an `Encodable` record receives; empty by default.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

  /// Returns the encoder for a column that holds JSON.
  ///
  /// By default, dates are milliseconds since 1970, data is in Base64, and keys are sorted.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder
}

extension EncodableRecord {
  /// An empty dictionary.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

  /// Returns an encoder that writes dates as milliseconds since 1970, data in Base64, and sorted keys, and whose
  /// `userInfo` is `databaseEncodingUserInfo`.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = JSONEncoder.ofColumns
    encoder.userInfo = databaseEncodingUserInfo
    return encoder
  }
}

/// The columns of a record with their values.
public struct PersistenceContainer: Sendable {
  /// The values by the names of the columns.
  private(set) var values: [String: SQLValue] = [:]
  /// The names of the columns in the order in which they were set.
  private(set) var columns: [String] = []

  /// Creates a container without columns.
  public init() {}

  /// The value of a column.
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { values[column].map(DatabaseValue.init) }
    set {
      let value = newValue?.databaseValue.storage ?? .null
      if values.updateValue(value, forKey: column) == nil { columns.append(column) }
    }
  }

  /// The value of a column.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }
}

extension EncodableRecord where Self: Encodable {
  /// Stores each property in the column of its name; a property that no column can hold directly becomes JSON.
  ///
  /// - Throws: The error that encoding throws; `EncodingError` if the record asks for a container that no column
  ///   can represent.
  public func encode(to container: inout PersistenceContainer) throws {
    let encoder = RecordEncoder(Self.self)
    try encode(to: encoder)
    container = try encoder.finished(self)
  }
}
