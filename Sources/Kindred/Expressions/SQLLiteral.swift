import KindredModel
import KindredSQLSyntax

/// SQL text with its values.
///
///     Player.filter(literal: "name = \(name)")
///     Player.filter(literal: SQLLiteral(sql: "email = ?", arguments: ["arthur@example.com"]))
///
/// Interpolated values are bound as parameters; they never become part of the SQL.
public struct SQLLiteral: SQLSpecificExpressible, ExpressibleByStringInterpolation {
  var parts: [SQLExpression.RawPart]
  /// An error found while creating the literal, thrown when it is used.
  var failure: DatabaseError?

  init(parts: [SQLExpression.RawPart]) {
    self.parts = parts
  }

  /// Creates a literal from SQL and the values of its parameters.
  public init(sql: String, arguments: StatementArguments = StatementArguments()) {
    var scanner = ParameterScanner(sql)
    (parts, failure) = scanner.parts(arguments)
  }

  /// Creates a literal from SQL text, which must not come from users of the program.
  public init(stringLiteral sql: String) {
    parts = []
    parts.append(sql: sql)
  }

  /// Creates a literal from SQL with interpolated values.
  public init(stringInterpolation interpolation: StringInterpolation) {
    parts = interpolation.parts
    failure = interpolation.failure
  }

  /// The SQL as an expression.
  public var sqlExpression: SQLExpression {
    if let failure { return SQLExpression { _ in throw failure } }
    return .raw(enclosedParts)
  }

  /// The parts, followed by the end of a comment that is left open, so that SQL behind the literal is not lost in
  /// it.
  private var enclosedParts: [SQLExpression.RawPart] {
    guard case .text(let text) = parts.last else { return parts }
    var scanner = ParameterScanner(text)
    return scanner.tokens().last?.endOfComment.map { parts + [.text($0)] } ?? parts
  }

  /// The columns of the SQL, of which there may be several.
  public var sqlSelection: SQLSelection { SQLSelection(.literal(self, of: nil)) }

  /// Returns the pieces between the top-level commas, such as the columns of a selection.
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

  /// The columns that the literal selects if it consists of nothing else.
  var onlySelection: (SQLSelection, of: (table: String, alias: String)?)? {
    let parts = parts.filter { part in
      if case .text(let text) = part { !text.utf8.allSatisfy { $0 <= UInt8(ascii: " ") } } else { true }
    }
    guard parts.count == 1, case .selection(let selection, let table) = parts[0] else { return nil }
    return (selection, table)
  }

  /// The text of the literal if it consists of nothing else.
  var onlyText: String? {
    guard parts.count == 1, case .text(let text) = parts[0] else { return nil }
    return text
  }

  /// The literal as a term of an order, parsed into an expression, its direction and its placement of NULLs, so
  /// that it can be reversed.
  public var sqlOrdering: SQLOrdering {
    var literal = self
    var nulls: SortTerm.Nulls?
    if literal.removeLast(["NULLS", "FIRST"]) { nulls = .first }
    if nulls == nil, literal.removeLast(["NULLS", "LAST"]) { nulls = .last }
    let isDescending = literal.removeLast(["DESC"])
    if !isDescending { _ = literal.removeLast(["ASC"]) }
    return SQLOrdering(expression: literal.sqlExpression, isDescending: isDescending, nulls: nulls)
  }

  /// Removes keywords from the end if something precedes them, and returns whether it has.
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

  /// The table of `*` or `table.*`; nil if the literal is neither.
  var star: Star? {
    guard let text = onlyText else { return nil }
    var scanner = ParameterScanner(text)
    let tokens = scanner.tokens().filter { !$0.isWhiteSpaceOrComment }
    switch tokens.count {
    case 1 where tokens[0] == "*": return Star(table: nil)
    case 3 where tokens[1] == "." && tokens[2] == "*": return Star(table: tokens[0].unquotedIdentifier)
    default: return nil
    }
  }

  /// All columns of the table with that name, or of the record if it is nil.
  struct Star {
    let table: String?
  }

  /// Collects the parts of an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [SQLExpression.RawPart] = []
    /// The error of the first interpolated literal that has one.
    var failure: DatabaseError?

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends SQL text, which must not come from users of the program.
    public mutating func appendLiteral(_ text: String) {
      parts.append(sql: text)
    }

    /// Appends a column, an expression, or a value, which is bound as a parameter.
    public mutating func appendInterpolation(_ expression: some SQLExpressible) {
      parts.append(.expression(expression.sqlExpression))
    }

    /// Appends another literal.
    public mutating func appendInterpolation(literal: SQLLiteral) {
      for part in literal.enclosedParts {
        if case .text(let sql) = part { parts.append(sql: sql) } else { parts.append(part) }
      }
      failure = failure ?? literal.failure
    }

    /// Appends a name of a table or a column, in double quotes.
    public mutating func appendInterpolation(identifier: String) {
      parts.append(sql: identifier.quotedDatabaseIdentifier)
    }

    /// Appends SQL text, which must not come from users of the program.
    public mutating func appendInterpolation(sql: String) {
      appendInterpolation(literal: SQLLiteral(stringLiteral: sql))
    }

    /// Appends SQL with parameters, and their values.
    public mutating func appendInterpolation(
      sql: String, arguments: StatementArguments
    ) { appendInterpolation(literal: SQLLiteral(sql: sql, arguments: arguments)) }

    /// Appends another literal.
    public mutating func appendInterpolation(_ literal: SQLLiteral) { appendInterpolation(literal: literal) }

    /// Appends a list of values or expressions, as `IN` needs it: `(?, ?, ?)`.
    @_disfavoredOverload
    public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
    where Values.Element: SQLExpressible {
      appendLiteral("(")
      parts += .list(values.map(\.sqlExpression))
      appendLiteral(")")
    }

    /// Appends the quoted name of a column.
    public mutating func appendInterpolation(_ key: some CodingKey) {
      appendLiteral(SQLText.quoted(key.stringValue))
    }

    /// Appends what is selected: all columns, or an expression with its name.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selection: some SQLSelectable) {
      switch selection.sqlSelection.item {
      case .all: appendLiteral("*")
      case .allExcept, .allOf, .deferred: parts.append(.selection(selection.sqlSelection, of: nil))
      case .literal(let literal, _): appendInterpolation(literal: literal)
      case .expression(let expression, let name):
        parts.append(.expression(expression))
        if let name { appendLiteral(" AS \(SQLText.quoted(name))") }
      }
    }

    /// Appends a term of an order.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ term: some SQLOrderingTerm) {
      parts += term.sqlOrdering.rawParts
    }
  }
}

extension [SQLExpression.RawPart] {
  /// Appends SQL text, joined with the text before it: `\(Author.self).*` is one text, as the scanner needs it to see
  /// the star.
  fileprivate mutating func append(sql: String) {
    if sql.isEmpty { return }
    if case .text(let before) = last { self[count - 1] = .text(before + sql) } else { append(.text(sql)) }
  }
}

extension SQLLiteral {
  /// Returns both literals one after the other.
  public static func + (left: SQLLiteral, right: SQLLiteral) -> SQLLiteral {
    "\(literal: left)\(literal: right)"
  }

  /// Appends a literal.
  public static func += (left: inout SQLLiteral, right: SQLLiteral) { left = left + right }

  /// Appends a literal.
  public mutating func append(literal: SQLLiteral) { self += literal }

  /// Appends SQL with the values of its parameters.
  public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
    self += SQLLiteral(sql: sql, arguments: arguments)
  }

  /// Creates a literal of an expression.
  public init(_ expression: some SQLSpecificExpressible) {
    parts = [.expression(expression.sqlExpression)]
  }

  /// Whether there is no SQL.
  public var isEmpty: Bool { parts.isEmpty && failure == nil }
}

extension Collection<SQLLiteral> {
  /// Returns the literals with a separator between them.
  public func joined(separator: String = "") -> SQLLiteral {
    enumerated().reduce(into: SQLLiteral(parts: [])) { joined, element in
      if element.offset > 0 { joined += SQLLiteral(stringLiteral: separator) }
      joined += element.element
    }
  }
}
