import KindredSQLSyntax

/// Named SQL that writes, which the model file defines (docs/model.md#actions).
public struct Action: Sendable {
  /// The name in URLs.
  public let name: String
  /// The parameters in the order of their declaration.
  public let parameters: [ActionParameter]
  /// The statements in the order in which they run.
  package let statements: [ActionStatement]
  /// The number of the last statement that returns rows; nil if none does.
  public let returning: Int?
  /// The columns of its rows.
  public let columns: [Column]
  /// The name of the resource whose records the rows are; nil if they are just rows.
  public let resource: String?
  /// Whether the result is one row instead of all.
  public let isSingle: Bool
  /// The roles of each entry of its access, nil for everybody; nil if it has no `access`.
  public let access: [NameSet?]?

  /// Creates an action from its parts.
  ///
  /// - Parameter columns: For each statement, the columns of the rows that it returns; nil if it returns none.
  package init(
    name: String, parameters: [ActionParameter], statements: [ActionStatement], columns: [[Column]?],
    resource: String?, isSingle: Bool, access: [NameSet?]?
  ) {
    (self.name, self.parameters, self.statements) = (name, parameters, statements)
    (self.resource, self.isSingle, self.access) = (resource, isSingle, access)
    returning = columns.lastIndex { $0 != nil }
    self.columns = returning.flatMap { columns[$0] } ?? []
  }

  /// The parameters that the content of a call has: those whose value isn't a claim.
  public var contentParameters: [ActionParameter] { parameters.filter { $0.claim == nil } }

  /// Returns whether a client with these roles may call it.
  ///
  /// - Parameter isConfigured: Whether any resource or action has `access`.
  func isOpen(to roles: NameSet, isConfigured: Bool) -> Bool {
    guard let access else { return !isConfigured }
    return access.contains { $0.map { !$0.isDisjoint(with: roles) } ?? true }
  }
}

/// A parameter of an action.
public struct ActionParameter: Sendable, Hashable {
  /// The types of parameters: those of queries, and JSON.
  public enum Kind: String, Sendable, CaseIterable {
    case text, integer, real, boolean, json

    /// The type of a query's parameter with the same values; nil for JSON.
    public var ofQueries: QueryParameter.Kind? { QueryParameter.Kind(rawValue: rawValue) }

    /// The form of its values, as error messages describe it.
    public var form: String {
      switch self {
      case .text: "a text without NUL characters"
      case .integer: "an integer within 64 bits"
      case .real: "a number"
      case .boolean: "`true` or `false`"
      case .json: "any value of JSON"
      }
    }
  }

  /// The name, without the colon.
  public let name: String
  /// The type of its values.
  public let kind: Kind
  /// The value where none is given, which may be NULL; nil if one must be given.
  public let defaultValue: SQLValue?
  /// The claim that is its value, with dots for members; nil for a value of the content.
  public let claim: String?
  /// Whether a value must be given.
  public let isRequired: Bool

  /// Creates a parameter.
  package init(
    name: String, kind: Kind, defaultValue: SQLValue? = nil, claim: String? = nil, isRequired: Bool
  ) {
    (self.name, self.kind, self.defaultValue) = (name, kind, defaultValue)
    (self.claim, self.isRequired) = (claim, isRequired)
  }
}

/// A statement of an action, in whose text `:name` is a parameter.
package struct ActionStatement: Sendable, Hashable {
  /// Its text, with the parameters by number.
  package let parts: [ParameterizedQuery.Part]
  /// Its first words in lower case, without comments: at most three.
  package let words: [String]

  /// Why the text of an action is no list of statements.
  package enum Failure: Error, Sendable {
    /// A `:name` that isn't among the parameters.
    case undeclared(String)
    /// A statement that an action can't have, by its first word.
    case unsupported(String)
    case empty
  }

  /// Returns the statements of a text.
  package static func all(
    in sql: String, parameters: [String], syntax: QuerySyntax
  ) throws(Failure) -> [ActionStatement] {
    var statements: [ActionStatement] = []
    var parts: [ParameterizedQuery.Part] = []
    func end() throws(Failure) {
      defer { parts = [] }
      let text = parts.map { if case .text(let text) = $0 { text } else { " 0 " } }.joined()
      let words = Self.words(of: text, syntax)
      guard let first = words.first else { return }
      guard isAllowed(words, syntax) else { throw .unsupported(first) }
      statements.append(ActionStatement(parts: parts, words: words))
    }
    var scanner = ParameterScanner(sql.enclosable, syntax, splitsStatements: true)
    while let piece = scanner.next() {
      switch piece {
      case .text(let text): parts.append(.text(text))
      case .separator: try end()
      case .parameter(let name):
        guard let number = parameters.firstIndex(where: { $0.hasBytes(of: name) }) else {
          throw .undeclared(name)
        }
        parts.append(.parameter(number))
      }
    }
    try end()
    guard !statements.isEmpty else { throw .empty }
    return statements
  }

  /// Whether a statement may stand in an action: it reads or writes records, calls a procedure, or sets a variable of the
  /// transaction other than its role.
  private static func isAllowed(_ words: [String], _ syntax: QuerySyntax) -> Bool {
    switch words[0] {
    case "select", "values", "insert", "update", "delete", "with": true
    case "replace": syntax == .sqlite
    case "merge", "call": syntax == .postgreSQL
    case "set":
      syntax == .postgreSQL && words.count > 2 && words[1] == "local"
        && !["role", "session", "session_authorization", "transaction", "constraints"].contains(words[2])
    default: false
    }
  }

  private static func words(of text: String, _ syntax: QuerySyntax) -> [String] {
    var scanner = ParameterScanner(text, syntax)
    return scanner.words(upTo: 3)
  }

  /// Returns the part up to the main statement of one that begins with `WITH`, and that; nil if it has none.
  package func splitAtMainStatement(_ syntax: QuerySyntax) -> (with: ActionStatement, main: ActionStatement)?
  {
    var depth = 0
    // Behind these stands the name of a table, which may be one of the words.
    let beforeNames: Set = ["with", "recursive", ","]
    var previous = ""
    for (number, part) in parts.enumerated() {
      guard case .text(let text) = part else {
        previous = ":"
        continue
      }
      var scanner = ParameterScanner(text, syntax)
      while let (start, token) = scanner.nextToken() {
        switch token {
        case "(": depth += 1
        case ")": depth -= 1
        case _
        where depth == 0 && Self.mainWords.contains(token.lowercased()) && !beforeNames.contains(previous):
          let place = text.utf8.index(text.startIndex, offsetBy: start)
          return (
            ActionStatement(parts: parts[..<number] + [.text(String(text[..<place]))], words: words),
            ActionStatement(parts: [.text(String(text[place...]))] + parts[(number + 1)...], words: [token])
          )
        default: break
        }
        let isApart = token.allSatisfy(\.isWhitespace) || token.hasPrefix("--") || token.hasPrefix("/*")
        if !isApart { previous = token.lowercased() }
      }
    }
    return nil
  }

  private static let mainWords: Set = ["select", "values", "insert", "update", "delete", "merge", "replace"]
}
