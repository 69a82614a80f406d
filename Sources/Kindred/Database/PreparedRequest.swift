/// A request that is ready to run.
public struct PreparedRequest {
  /// Completes rows that were read together.
  typealias Supplement = ([Row]) throws -> [Row]

  /// The statement, with its arguments.
  public var statement: SelectStatement
  /// How the rows of the statement are seen.
  public var adapter: (any RowAdapter)?

  /// The layout of the rows, where the request knows it, so that it need not be made of the statement.
  var layout: RowLayout?
  /// Gives the rows what no statement alone does: the rows that are fetched along.
  var supplement: Supplement?

  /// A statement, and how its rows are seen.
  public init(statement: SelectStatement, adapter: (any RowAdapter)? = nil) {
    self.statement = statement
    self.adapter = adapter
  }
}
