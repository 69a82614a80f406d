import KindredSQLSyntax

extension Plan {
  /// The statement of a node for many records above at once.
  public struct Batch: Sendable {
    /// What is read of the records above, as bindings of the statement for one of them.
    public let columns: [SQL.Binding]
    /// What runs.
    public let statement: Statement
    /// How a row tells which record it belongs to.
    public var link = Link.number
  }

  /// How a row of a batch tells which record above it belongs to.
  public enum Link: Sendable, Hashable {
    /// By the number of the record among the inputs, in the last column.
    case number
    /// By this column, whose text is that of the first input.
    case key(Int)
  }
}
