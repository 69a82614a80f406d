import KindredPlanning

/// The limits of requests (docs/limits.md).
public struct RequestLimits: Sendable, Hashable {
  /// The default number of records on a page; nil for all.
  public var pageSize: Int64? = 100
  /// The largest number of records on a page; nil for no limit.
  public var maximumPageSize: Int64? = 1000
  /// The largest depth of the tree below the root.
  public var treeDepth = 8
  /// The largest number of nodes below the root.
  public var nodes = 32
  /// The largest depth of an expression.
  public var expressionDepth = 64

  /// The largest length in bytes of the SQL of a request.
  public var sqlLength = 256 << 10

  /// Creates the defaults.
  public init() {}

  /// The limits that planning checks.
  package var planning: PlanningLimits {
    var limits = PlanningLimits()
    limits.expressionDepth = expressionDepth
    limits.sqlLength = sqlLength
    return limits
  }
}
