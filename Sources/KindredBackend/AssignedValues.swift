import KindredPlanning
import KindredSQLSyntax

/// The values that expressions give to columns of one record, in the form in which they are read.
public struct AssignedValues: Sendable {
  /// Reads the values.
  public let lookup: ExecutableLookup
  private let places: [Int]

  /// Creates the executable form of a lookup.
  public init(_ values: AssignedValuesLookup) {
    lookup = ExecutableLookup(values.lookup)
    places = values.places
  }

  /// Returns the value of each expression from a row of the lookup.
  public func values(in row: [SQLValue]) -> [SQLValue] { places.map { row[$0] } }
}
