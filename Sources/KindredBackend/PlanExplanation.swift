import KindredSQLSyntax

/// The explanation of how a database would run a plan.
public struct PlanExplanation: Sendable {
  /// A statement of the plan.
  public struct Statement: Sendable {
    /// Its purpose: `root`, the keys that lead to a node, `path`, or `count`.
    public var node: String
    /// The SQL text.
    public var sql: String
    /// The bindings of its parameters.
    public var bindings: [SQL.Binding]
    /// The database's query plan, line by line.
    public var plan: [String]
    /// The number of shards that it goes to in this request, with its arguments; nil unless tables are distributed.
    public var shards: Int?

    /// Creates the explanation of a statement.
    public init(
      node: String, sql: String, bindings: [SQL.Binding], plan: [String], shards: Int? = nil
    ) {
      self.shards = shards
      self.node = node
      self.sql = sql
      self.bindings = bindings
      self.plan = plan
    }
  }

  /// The statements, in the order in which they first run.
  public var statements: [Statement]

  /// Creates the explanation of a plan.
  public init(statements: [Statement]) { self.statements = statements }
}
