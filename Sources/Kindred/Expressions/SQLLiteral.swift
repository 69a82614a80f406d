import KindredAssociations
import KindredSQLSyntax

/// SQL of the program, with its values.
///
///     Player.filter(literal: "name = \(name)")
///     Player.filter(literal: SQLLiteral(sql: "email = ?", arguments: ["arthur@example.com"]))
///
/// Values that are interpolated are bound: nothing of them becomes SQL.
public struct SQLLiteral: SQLSpecificExpressible, ExpressibleByStringInterpolation {
  var parts: [SQLExpression.RawPart]
  /// What is wrong with it, to be thrown when it is used.
  var failure: DatabaseError?

  init(parts: [SQLExpression.RawPart]) {
    self.parts = parts
  }

  /// SQL, and the values of its parameters.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    var scanner = ParameterScanner(sql)
    (parts, failure) = scanner.parts(arguments)
  }

  /// SQL of the program.
  public init(stringLiteral sql: String) {
    parts = [.text(sql)]
  }

  /// SQL with values in it.
  public init(stringInterpolation interpolation: StringInterpolation) {
    parts = interpolation.parts
    failure = interpolation.failure
  }

  /// The SQL as an expression.
  public var sqlExpression: SQLExpression {
    if let failure { return SQLExpression { _ in throw failure } }
    return .raw(enclosedParts)
  }

  /// The parts, and the end of a comment that would go on behind them.
  private var enclosedParts: [SQLExpression.RawPart] {
    guard case .text(let text) = parts.last else { return parts }
    var scanner = ParameterScanner(text)
    return scanner.tokens().last?.endOfComment.map { parts + [.text($0)] } ?? parts
  }

  /// As many columns as the SQL has.
  public var sqlSelection: SQLSelection { SQLSelection(.literal(self, of: nil)) }

  /// Its pieces between the commas of the outermost level: the columns of a selection.
  func splitAtCommas() -> [SQLLiteral] {
    var pieces: [[SQLExpression.RawPart]] = [[]]
    var depth = 0
    for part in parts {
      guard case .text(let text) = part else {
        pieces[pieces.count - 1].append(part)
        continue
      }
      var scanner = ParameterScanner(text)
      for (index, piece) in scanner.splitAtCommas(depth: &depth).enumerated() {
        if index > 0 { pieces.append([]) }
        pieces[pieces.count - 1].append(.text(piece))
      }
    }
    return pieces.map { piece in
      var literal = SQLLiteral(parts: piece)
      literal.failure = failure
      return literal
    }
  }

  /// The text, if it is nothing else.
  var text: String? {
    guard parts.count == 1, case .text(let text) = parts[0] else { return nil }
    return text
  }

  /// A term of an order: the direction, and the place of NULLs, are taken off the expression, so that the term can be
  /// reversed.
  public var sqlOrdering: SQLOrdering {
    var literal = self
    var nulls: SortTerm.Nulls?
    if literal.removeLast(["NULLS", "FIRST"]) { nulls = .first }
    if nulls == nil, literal.removeLast(["NULLS", "LAST"]) { nulls = .last }
    let isDescending = literal.removeLast(["DESC"])
    if !isDescending { _ = literal.removeLast(["ASC"]) }
    return SQLOrdering(expression: literal.sqlExpression, isDescending: isDescending, nulls: nulls)
  }

  /// Takes keywords off the end, where they stand there behind something else.
  private mutating func removeLast(_ words: [String]) -> Bool {
    guard case .text(let text) = parts.last else { return false }
    var scanner = ParameterScanner(text)
    let tokens = scanner.tokens()
    let significant = tokens.indices.filter { !tokens[$0].isWhiteSpaceOrComment }
    let last = significant.suffix(words.count)
    guard zip(last, words).allSatisfy({ tokens[$0].uppercased() == $1 }), last.count == words.count,
      let first = last.first, parts.count > 1 || significant.count > words.count
    else { return false }
    parts[parts.count - 1] = .text(tokens[..<first].joined())
    return true
  }

  /// What stands before the star, if it is `*` or `table.*`.
  var star: Star? {
    guard let text else { return nil }
    var scanner = ParameterScanner(text)
    let tokens = scanner.tokens().filter { !$0.isWhiteSpaceOrComment }
    switch tokens.count {
    case 1 where tokens[0] == "*": return Star(table: nil)
    case 3 where tokens[1] == "." && tokens[2] == "*": return Star(table: tokens[0].unquotedIdentifier)
    default: return nil
    }
  }

  /// All columns, of one table where it is named.
  struct Star {
    let table: String?
  }

  /// Collects the pieces of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [SQLExpression.RawPart] = []
    /// What is wrong with a literal that was interpolated.
    var failure: DatabaseError?

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// SQL of the program.
    public mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }

    /// A column, an expression, or a value, which is bound.
    public mutating func appendInterpolation(_ expression: some SQLExpressible) {
      parts.append(.expression(expression.sqlExpression))
    }

    /// Another literal.
    public mutating func appendInterpolation(literal: SQLLiteral) {
      parts += literal.enclosedParts
      failure = failure ?? literal.failure
    }

    /// SQL of the program.
    public mutating func appendInterpolation(sql: String) {
      appendInterpolation(literal: SQLLiteral(stringLiteral: sql))
    }

    /// The name of a record's table.
    public mutating func appendInterpolation<Record: TableRecord>(_ type: Record.Type) {
      appendLiteral(SQL.quoted(Record.databaseTableName))
    }
  }
}
