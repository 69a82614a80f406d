/// How the rows of a table are spread over the shards of a database that has several.
///
/// A table without one is whole where a statement is computed: it is on one node, or copied to each.
public struct Distribution: Sendable, Hashable {
  /// The column whose value decides where a row is; nil if all rows are in one shard.
  public let column: String?
  /// Which tables are spread alike: rows that have equal values in these columns are in the same place.
  public let colocation: Int64

  /// Creates a distribution by a column.
  public init(column: String?, colocation: Int64) {
    self.column = column
    self.colocation = colocation
  }
}

extension Table {
  /// Whether the records that a step leads to from one of these are always in the same place as it.
  ///
  /// - Parameter destination: The table that the step leads to.
  package func isColocated(with destination: Table, by step: AssociationStep) -> Bool {
    guard let other = destination.distribution else { return true }
    guard let distribution, distribution.colocation == other.colocation else { return false }
    return zip(step.originColumns, step.destinationColumns).contains {
      $0 == distribution.column && $1 == other.column
    } || distribution.column == nil && other.column == nil
  }
}
