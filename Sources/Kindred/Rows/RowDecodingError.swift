/// A row holds no value of the type that was asked for.
///
/// The value itself is not told, so that the error can be logged.
public struct RowDecodingError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Reason: Hashable, Sendable {
    /// There is no such column.
    case columnNotFound
    /// There is no record, or no collection, of that key.
    case keyNotFound
    /// The column holds something else, such as NULL or `a text`.
    case mismatch(found: String)
  }

  /// What is wrong.
  public let reason: Reason
  /// The column, by its name or its index, or the key.
  public let key: String
  /// The name of the type that was asked for.
  public let type: String

  /// An error about a column or a key.
  public init(_ reason: Reason, key: String, type: Any.Type) {
    self.reason = reason
    self.key = key
    self.type = String(describing: type)
  }
}

extension RowDecodingError: CustomStringConvertible {
  /// One line.
  public var description: String {
    switch reason {
    case .columnNotFound: "there is no column \"\(key)\" to read \(type) from"
    case .keyNotFound: "there is nothing of the key \"\(key)\" to read \(type) from"
    case .mismatch(let found): "the column \"\(key)\" holds \(found), which is no \(type)"
    }
  }
}
