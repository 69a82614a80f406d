/// The dialect of SQL to write.
public enum Dialect: Sendable, Hashable {
  case sqlite
  case postgreSQL
  /// PostgreSQL's dialect for databases whose tables may be distributed over shards, which computes fewer forms of a
  /// statement.
  case sharded

  /// Whether roles of the database may be refused columns.
  public var hasColumnPrivileges: Bool {
    switch self {
    case .sqlite: false
    case .postgreSQL, .sharded: true
    }
  }
}
