/// What the statements of one request may hold, in bytes; nil for any number.
///
/// They hold for what runs between ``Connection/beginAccounting()`` and the next call of it, on threads that are inside
/// of the account. What would exceed them fails, with the reason in `DatabaseError.interruption`.
public struct ResourceLimits: Hashable, Sendable {
  /// The memory of SQLite: values, sorters, caches, prepared statements.
  public var memory: Int64?
  /// Temporary files: sorts, groups, transient tables.
  public var temporaryFiles: Int64?
  /// A text that `kindred_concat` or `replace` makes longer: expressions could double one with every name.
  public var builtValue: Int32?

  /// No limits.
  public init() {}
}
