/// What the columns of a statement are to the reader of its rows: a tree, as the request is one.
public struct RowLayout: Sendable {
  /// A column of a record, by its place in the statement.
  public struct Column: Sendable {
    /// The place in the statement.
    public var place: Int
    /// The name; that which SQLite gives the column where nil.
    public var name: String?
  }

  /// Rows of another statement that belong to a record.
  public struct Prefetched: Sendable {
    /// The key of the association.
    public var key: String
    /// The number of the plan's node.
    public var node: Int
  }

  /// A record beside this one, under the key of its association.
  public struct Scope: Sendable {
    /// The key of the association.
    public var key: String
    /// What is known of the record.
    public var layout: RowLayout
  }

  /// The record's columns, in the order of the selection.
  public var columns: [Column] = []
  /// The records beside it.
  public var scopes: [Scope] = []
  /// The collections below it.
  public var prefetched: [Prefetched] = []

  init() {}
}
