import KindredSQLSyntax

extension Plan {
  /// A node's statement for many parent records at once.
  public struct Batch: Sendable {
    /// The columns of the parents that it reads, as bindings of the statement for one parent.
    public let columns: [SQL.Binding]
    /// The statement to run.
    public let statement: Statement
    /// How a row identifies its parent.
    public var link = Link.number
  }

  /// How a row of a batch identifies its parent.
  public enum Link: Sendable, Hashable {
    /// By the parent's position in the inputs, in the last column.
    case number
    /// By this column, which has the same text as the first input.
    case key(Int)
  }
}
