import Foundation
import KindredSQLSyntax

/// A type whose values are the columns of a record: what `request(for:)` needs.
///
/// Encodable types need no more than to name the protocol.
public protocol EncodableRecord {
  /// Gives the container the columns of the record.
  func encode(to container: inout PersistenceContainer) throws

  /// What `encode(to:)` of an `Encodable` record finds in `userInfo` of its encoder; empty unless a type says otherwise.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

  /// Returns the encoder of a column that holds JSON.
  ///
  /// Unless a type says otherwise, dates are milliseconds since 1970, data is in Base64, and keys are sorted.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder
}

extension EncodableRecord {
  /// Empty.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

  /// Dates are milliseconds since 1970, data is in Base64, keys are sorted, and `userInfo` is
  /// `databaseEncodingUserInfo`.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = JSONEncoder.ofColumns
    encoder.userInfo = databaseEncodingUserInfo
    return encoder
  }
}

/// The columns of a record, by name.
public struct PersistenceContainer: Sendable {
  /// The columns.
  private(set) var values: [String: SQLValue] = [:]
  /// Their names in the order in which they came.
  private(set) var columns: [String] = []

  /// No columns.
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
  /// Each property is the column of its name; what is no value of a database is encoded as JSON.
  ///
  /// - Throws: What encoding throws; `EncodingError` where the record asks for a container that no column can be.
  public func encode(to container: inout PersistenceContainer) throws {
    let encoder = RecordEncoder(Self.self)
    try encode(to: encoder)
    container = try encoder.finished(self)
  }
}
