import Foundation
import KindredSQLSyntax

/// A type that encodes itself into the columns of a record, as `request(for:)` and `insert(_:)` need it.
///
/// `Encodable` types only need to declare the conformance.
public protocol EncodableRecord {
  /// Stores the columns of the record in the container.
  func encode(to container: inout PersistenceContainer) throws

  /// The `userInfo` of the encoder that `encode(to:)` of an `Encodable` record receives; empty by default.
  static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { get }

  /// Returns the encoder for a column that holds JSON.
  ///
  /// By default, dates are milliseconds since 1970, data is in Base64, and keys are sorted.
  static func databaseJSONEncoder(for column: String) -> JSONEncoder

  /// How the names of properties become names of columns; unchanged by default.
  static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }

  /// Returns how a date is stored in a column; by default as a text that SQLite's date functions read.
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

  /// Returns how `Data` is stored in a column; by default as a blob.
  static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

  /// Returns how a UUID is stored in a column; by default as a blob.
  static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy
}

extension EncodableRecord {
  /// An empty dictionary.
  public static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns an encoder that writes dates as milliseconds since 1970, data in Base64, and sorted keys, and whose
  /// `userInfo` is `databaseEncodingUserInfo`.
  public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
    let encoder = JSONEncoder.ofColumns
    encoder.userInfo = databaseEncodingUserInfo.forCoder
    return encoder
  }

  /// The names of the properties.
  public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }

  /// Returns the way in which `Date` stores itself.
  public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .deferredToDate
  }

  /// Returns the way in which `Data` stores itself.
  public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy {
    .deferredToData
  }

  /// Returns the way in which `UUID` stores itself.
  public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy {
    .deferredToUUID
  }
}

extension EncodableRecord {
  /// The values that the record stores, by the names of the columns.
  ///
  /// - Throws: The error that encoding throws.
  public var databaseDictionary: [String: DatabaseValue] {
    get throws { try PersistenceContainer(self).databaseValues }
  }

  /// Returns whether both records store equal values in the same columns; false if one of them can't be encoded.
  public func databaseEquals(_ record: Self) -> Bool {
    (try? databaseChanges(from: record).isEmpty) ?? false
  }

  /// Returns the columns in which this record differs from another, with the values of the other.
  ///
  /// - Throws: The error that encoding throws.
  public func databaseChanges(from record: some EncodableRecord) throws -> [String: DatabaseValue] {
    let (new, old) = (try PersistenceContainer(self), try PersistenceContainer(record))
    return zip(new.columns, new.storage).reduce(into: [:]) { changes, column in
      let before = old.position(of: column.0).map { old.storage[$0] }
      if before != column.1 { changes[column.0] = DatabaseValue(before ?? .null) }
    }
  }

  /// Modifies the record, and returns the columns that it changes, with their values before.
  ///
  /// - Throws: The error that `modify` or encoding throws.
  public mutating func databaseChanges(
    modify: (inout Self) throws -> Void
  ) throws -> [String: DatabaseValue] {
    // A class changes the same object, so its values are encoded before.
    let before = EncodedRecord(container: try PersistenceContainer(self))
    try modify(&self)
    return try databaseChanges(from: before)
  }
}

/// A record that consists of columns that have been encoded.
struct EncodedRecord: EncodableRecord {
  let container: PersistenceContainer

  func encode(to container: inout PersistenceContainer) { container = self.container }
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
