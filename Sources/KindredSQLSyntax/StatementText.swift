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

extension String {
  /// The statement in a form that can be enclosed in parentheses: without a trailing semicolon, and with a line
  /// break that ends a trailing comment.
  package var enclosable: String {
    let end = lastIndex { !$0.isWhitespace && $0 != ";" }
    let text = end.map { self[...$0] } ?? ""
    return text.contains("--") ? text + "\n" : String(text)
  }
}
