import KindredSQLSyntax

extension Plan {
  /// A node's statement for many parent records at once.
  public struct Batch: Sendable {
    /// The columns of the parents that it reads, or the literals of the keys, as bindings of the statement for one.
    public let columns: [SQL.Binding]
    /// The statement to run.
    public let statement: Statement
    /// How a row identifies its parent.
    public var link = Link.number
    /// How the parents show the number of their rows; nil if they don't.
    public var count: Count?
  }

  /// The number of rows of each parent, as a value of the parent.
  public struct Count: Sendable {
    /// The column of the parents' statement that shows it, which is NULL there.
    public let column: Int
    /// Returns the keys of parents, and the number of rows of each that has any, where not all rows are read at once.
    public let statement: Statement
  }

  /// How a row of a batch identifies its parent.
  public enum Link: Sendable, Hashable {
    /// By the parent's position in the inputs, in the last column.
    case number
    /// By this column, which has the same text as the first input.
    case key(Int)
  }
}
