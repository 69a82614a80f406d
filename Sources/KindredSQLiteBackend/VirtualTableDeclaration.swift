import KindredModel

/// The module and arguments of a `CREATE VIRTUAL TABLE` statement (<https://www.sqlite.org/lang_createvtab.html>).
struct VirtualTableDeclaration {
  /// An argument of the module.
  ///
  /// `content='book'` has a name; the column `title` has none.
  struct Argument {
    var name: String?
    /// The text after the `=`, or the whole argument, without quotes.
    var value: String
  }

  /// The name of the module in lower case, such as `fts5`.
  let module: String
  let arguments: [Argument]

  /// Parses the SQL from `sqlite_schema`; nil if it isn't such a statement.
  init?(_ sql: String) {
    var tokens = SQLTokens.all(in: sql)[...]
    for keyword in ["create", "virtual", "table"] {
      guard tokens.popFirst()?.isKeyword(keyword) == true else { return nil }
    }
    // A table may itself be called `if`.
    if tokens.count > 2, zip(tokens, ["if", "not", "exists"]).allSatisfy({ $0.isKeyword($1) }) {
      tokens = tokens.dropFirst(3)
    }
    guard tokens.popFirst()?.name != nil else { return nil }
    if tokens.first == .symbol(".") {
      guard tokens.dropFirst().first?.name != nil else { return nil }
      tokens = tokens.dropFirst(2)
    }
    guard tokens.popFirst()?.isKeyword("using") == true, let module = tokens.popFirst()?.name else {
      return nil
    }
    self.module = module.foldingASCIICase
    arguments = tokens.popFirst() == .symbol("(") ? Self.arguments(in: &tokens) : []
  }

  /// Reads the arguments up to the closing parenthesis.
  private static func arguments(in tokens: inout ArraySlice<SQLTokens.Token>) -> [Argument] {
    var arguments: [[SQLTokens.Token]] = [[]]
    var depth = 0
    while let token = tokens.popFirst() {
      switch token {
      case .symbol(",") where depth == 0:
        arguments.append([])
        continue
      case .symbol("("): depth += 1
      case .symbol(")") where depth == 0: return arguments.map(Argument.init)
      case .symbol(")"): depth -= 1
      default: break
      }
      arguments[arguments.count - 1].append(token)
    }
    return arguments.map(Argument.init)
  }
}

extension VirtualTableDeclaration.Argument {
  fileprivate init(_ tokens: [SQLTokens.Token]) {
    if tokens.count > 1, tokens[1] == .symbol("=") {
      name = tokens[0].name
      value = tokens.dropFirst(2).first?.name ?? ""
    } else {
      value = tokens.first?.name ?? ""
    }
  }
}
