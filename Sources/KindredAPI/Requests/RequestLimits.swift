import KindredAssociations

/// What a request may ask for at most (§8 of the contract).
public struct RequestLimits: Sendable, Hashable {
  /// Records of a page unless the request says how many; nil for all.
  public var pageSize: Int64? = 100
  /// Records of a page at most; nil for any number.
  public var maximumPageSize: Int64? = 1000
  /// Levels of nodes below the root.
  public var treeDepth = 8
  /// Nodes below the root.
  public var nodes = 32
  /// Levels of an expression.
  public var expressionDepth = 64

  /// Bytes of SQL that a request may make.
  public var sqlLength = 256 << 10

  /// The defaults of the contract.
  public init() {}

  /// What the planning of a request may take.
  var planning: PlanningLimits {
    var limits = PlanningLimits()
    limits.expressionDepth = expressionDepth
    limits.sqlLength = sqlLength
    return limits
  }
}
