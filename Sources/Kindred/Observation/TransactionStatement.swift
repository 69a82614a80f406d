/// A statement about a savepoint, or one that rolls back a transaction.
enum TransactionStatement {
  case savepoint(String)
  case release(String)
  /// Rolls back to a savepoint, or the whole transaction if there is no name.
  case rollback(to: String?)

  /// Reads a statement; nil if it is another one.
  init?(_ sql: String) {
    // Nearly all other statements begin with another letter, and needn't be scanned.
    guard let initial = sql.first(where: { !$0.isWhitespace }), "SRsr/-;".contains(initial) else {
      return nil
    }
    var scanner = ParameterScanner(sql)
    let words = scanner.tokens().filter { !$0.isWhiteSpaceOrComment && $0 != ";" }
    guard let verb = words.first, let name = words.last?.unquotedIdentifier else { return nil }
    switch verb.uppercased() {
    case "SAVEPOINT": self = .savepoint(name)
    case "RELEASE": self = .release(name)
    case "ROLLBACK": self = .rollback(to: words.contains { $0.uppercased() == "TO" } ? name : nil)
    default: return nil
    }
  }
}
