import KindredSQLSyntax

/// The literal values of a request, numbered in the order in which they are read.
///
/// Equal values get different numbers, as the plan must also serve requests in which they differ; unless the plan depends
/// on whether they are equal.
public struct Literals: Equatable, Sendable {
  /// Whether equal values of expressions get the same number, so that those with different numbers differ.
  package let areDistinct: Bool
  /// The numbers of the values of expressions, if they are distinct.
  private var numbers: [SQLValue: Int] = [:]
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

  /// Creates an empty list, in which equal values get different numbers.
  public init() { areDistinct = false }

  /// Creates an empty list.
  package init(areDistinct: Bool) { self.areDistinct = areDistinct }

  /// Returns the number of a value in an expression, which is added unless an equal one has a number.
  package mutating func numberInExpression(of value: SQLValue, in place: Place?) -> Int {
    guard areDistinct else { return number(of: value, in: place) }
    if let known = numbers[value] { return known }
    let number = number(of: value, in: place)
    numbers[value] = number
    return number
  }

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
