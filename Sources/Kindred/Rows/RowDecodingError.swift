/// An error of a row that holds no value of the requested type.
///
/// It doesn't contain the value, so it can be logged.
public struct RowDecodingError: Error, Hashable, Sendable {
  /// The reason why there is no value of the type.
  public enum Reason: Hashable, Sendable {
    /// The row has no such column.
    case columnNotFound
    /// The row has no associated record or collection with that key.
    case keyNotFound
    /// The column holds a value of another type; `found` names it, such as `NULL` or `a text`.
    case mismatch(found: String)
  }

  /// The reason why there is no value of the type.
  public let reason: Reason
  /// The name of the column, or the key.
  public let key: String
  /// The name of the requested type.
  public let type: String

  /// Creates an error about a column or a key.
  public init(_ reason: Reason, key: String, type: Any.Type) {
    self.reason = reason
    self.key = key
    self.type = String(describing: type)
  }
}

extension RowDecodingError: CustomStringConvertible {
  /// Describes the error in one line.
  public var description: String {
    switch reason {
    case .columnNotFound: "there is no column \"\(key)\" to decode \(type) from"
    case .keyNotFound: "there is no record or collection with the key \"\(key)\" to decode \(type) from"
    case .mismatch(let found): "the column \"\(key)\" contains \(found), which can't be decoded as \(type)"
    }
  }
}
