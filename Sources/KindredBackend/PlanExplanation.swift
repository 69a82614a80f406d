import KindredSQLSyntax

/// How a database would run a plan.
public struct PlanExplanation: Sendable {
  /// A statement of the plan.
  public struct Statement: Sendable {
    /// What it is for: `root`, the path of an association, `path`, `count`.
    public var node: String
    /// The text that runs.
    public var sql: String
    /// What its parameters are bound to.
    public var bindings: [SQL.Binding]
    /// The database's own plan, line by line.
    public var plan: [String]

    /// A statement with the plan that the database has for it.
    public init(node: String, sql: String, bindings: [SQL.Binding], plan: [String]) {
      self.node = node
      self.sql = sql
      self.bindings = bindings
      self.plan = plan
    }
  }

  /// In the order in which they run first.
  public var statements: [Statement]

  /// The statements of a plan.
  public init(statements: [Statement]) { self.statements = statements }
}
