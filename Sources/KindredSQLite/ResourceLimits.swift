/// The resources that the statements of one request may use, in bytes; nil for no limit.
///
/// They apply from one call of ``ResourceAccount/begin()`` to the next, on threads that have entered the
/// account. A statement that would exceed them fails, with the reason in `DatabaseError.interruption`.
public struct ResourceLimits: Hashable, Sendable {
  /// SQLite's memory: values, sorters, caches, prepared statements.
  public var memory: Int64?
  /// The size of temporary files: sorts, groups, transient tables.
  public var temporaryFiles: Int64?
  /// The size of a text that `kindred_concat` or `replace` builds.
  ///
  /// Without a limit, nested expressions could double a text at each level.
  public var builtValue: Int32?

  /// Creates limits that allow everything.
  public init() {}
}
