import KindredSQLSyntax

/// A temporary copy in place of an index that the database lacks, valid for one connection until the database changes.
///
/// Nested statements must find their rows by an index. If the schema has none, one pass over the table makes one, so
/// that the cost stays linear in its rows.
public struct TransientTable: Sendable, Hashable {
  /// The name in the `temp` schema, which describes the content.
  public let name: String
  /// The statement that creates it.
  public let create: String
  /// The statement that fills it.
  public let fill: String
  /// The statement that fills it with those rows whose keys are among the rows of ``parentKeys``; nil where that isn't
  /// possible.
  public let fillForParents: String?
  /// The columns of the root's statement with the only keys by which a request looks its rows up; nil if there may be
  /// others.
  public internal(set) var parents: [Int]?
  /// Whether its rows stay the same until the next commit.
  public let isTimeless: Bool

  /// The name of the temporary table with the keys of parents, in columns `k0`, `k1` and so on.
  public static let parentKeys = "kindred:parents"

  /// Creates a copy of this name, made by these statements.
  package init(
    name: String, create: String, fill: String, fillForParents: String? = nil, parents: [Int]? = nil,
    isTimeless: Bool
  ) {
    (self.name, self.create, self.fill, self.isTimeless) = (name, create, fill, isTimeless)
    (self.fillForParents, self.parents) = (fillForParents, fillForParents == nil ? nil : parents)
  }

  /// Returns the table for a `FROM` clause.
  func reference(as alias: String) -> SQL {
    let sql = ("temp.\(identifier: name) AS \(identifier: alias)" as SQL).noted(PlanNote.transient(self))
    return isTimeless ? sql : sql.noted(PlanNote.volatile)
  }
}
