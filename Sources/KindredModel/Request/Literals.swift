import KindredSQLSyntax

/// The literal values of a request, numbered in the order in which they are read.
///
/// Equal values get different numbers, as the plan must also serve requests in which they differ.
public struct Literals: Equatable, Sendable {
  /// The values by number.
  public private(set) var values: [SQLValue] = []
  /// The places of the values that an expression or a key consists of.
  package private(set) var places: [Int: Place] = [:]

  /// The place of a value in a request.
  public enum Place: Equatable, Sendable {
    /// It is the key of a record in the path, or a part of it.
    case key
    case parameter(String)
  }

  /// Creates an empty list.
  public init() {}

  /// Adds a value and returns its number.
  ///
  /// - Parameter place: Its place, if an expression or a key consists of it.
  public mutating func number(of value: SQLValue, in place: Place? = nil) -> Int {
    values.append(value)
    places[values.count - 1] = place
    return values.count - 1
  }

  /// Adds a placeholder for a value that isn't known yet and returns its number.
  public mutating func numberOfUnknown() -> Int { number(of: .null) }
}
