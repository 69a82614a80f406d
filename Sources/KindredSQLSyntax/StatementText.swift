/// The text of a statement with its hash, which is computed once, as each request looks its statements up in a cache.
public struct StatementText: Hashable, Sendable {
  /// The text of the statement.
  public let sql: String
  private let hash: Int

  /// Creates the text and computes its hash.
  public init(_ sql: String) {
    self.sql = sql
    hash = sql.hashValue
  }

  /// Compares the hashes, then the bytes; equal texts mostly come from one plan and share their memory.
  public static func == (a: StatementText, b: StatementText) -> Bool {
    a.hash == b.hash && a.sql.hasBytes(of: b.sql)
  }

  /// Feeds the stored hash to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
