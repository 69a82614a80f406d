/// The text of a statement, hashed once: a plan's statements are looked for in a connection's cache with every request.
public struct StatementText: Hashable, Sendable {
  /// The text.
  public let sql: String
  private let hash: Int

  /// One statement.
  public init(_ sql: String) {
    self.sql = sql
    hash = sql.hashValue
  }

  /// Equal ones are mostly of one plan, and so in one place in memory, which is compared first.
  public static func == (a: StatementText, b: StatementText) -> Bool {
    a.hash == b.hash && a.sql.hasBytes(of: b.sql)
  }

  /// By the hash that is known.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
