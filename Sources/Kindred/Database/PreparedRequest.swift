/// A request that is ready to run.
public struct PreparedRequest {
  /// Adds to rows that were read together what other statements return.
  typealias Supplement = (inout [Row]) throws -> Void

  /// The statement with its arguments.
  public var statement: Statement
  /// The adapter of the statement's rows; nil if they are used as they are.
  public var adapter: (any RowAdapter)?

  /// The layout of the rows if the request knows it, so that it need not be derived from the statement.
  var layout: RowLayout?
  /// Adds the prefetched collections to the rows.
  var supplement: Supplement?
  /// The columns by whose values the collections are found.
  var keyColumns: [Int] = []

  /// Creates a request from a statement and the adapter of its rows.
  public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
    self.statement = statement
    self.adapter = adapter
  }
}
