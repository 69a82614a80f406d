/// The meaning of a statement's columns to the reader of its rows: a tree like the request.
public struct RowLayout: Sendable {
  /// A column of a record.
  public struct Column: Sendable {
    /// The position in the statement.
    public var place: Int
    /// The name; nil stands for the name that SQLite gives the column.
    public var name: String?
  }

  /// Rows of another statement that belong to a record.
  public struct Prefetched: Sendable {
    /// The key of the association.
    public var key: String
    /// The index of the node in the plan.
    public var node: Int
  }

  /// An associated record in the same row, under the key of its association.
  public struct Scope: Sendable {
    /// The key of the association.
    public var key: String
    /// The layout of the record.
    public var layout: RowLayout
  }

  /// The record's columns, in the order of the selection.
  public var columns: [Column] = []
  /// The associated records in the same row.
  public var scopes: [Scope] = []
  /// The collections below it.
  public var prefetched: [Prefetched] = []

}
