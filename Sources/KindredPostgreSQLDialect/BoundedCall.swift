import KindredPlanning
import KindredSQLSyntax

/// A call whose result or time may be many times as long as its operands, and which fails where it would be.
///
/// PostgreSQL interrupts no call, neither for a timeout nor for a cancellation, so what a call costs is bounded before it
/// runs, by the lengths of its operands:
///
///     (SELECT CASE WHEN octet_length(v0)::int8 * octet_length(v1) > … THEN refusal ELSE strpos(v0, v1) END
///      FROM (SELECT operand AS v0, other AS v1 OFFSET 0) AS operands)
///
/// The subquery computes each operand once, however deeply calls are nested; `OFFSET 0` keeps PostgreSQL from inserting
/// the operands where they are named. PostgreSQL can be interrupted wherever such a subquery begins.
struct BoundedCall {
  /// The maximum length of a text that an expression makes, in bytes, as on SQLite.
  static let longestText = 2 << 20
  /// The maximum length of a text that an aggregate makes of those of records, in bytes.
  private static let longestAggregate = 16 << 20
  /// The maximum number of steps of one call: some tenths of a second.
  private static let mostSteps = 1 << 28
  /// The length of the operands' SQL up to which it is written again rather than put into a subquery.
  static let shortLength = 32

  /// The operands by names that may be written several times.
  private let operands: [SQL]
  /// The subquery that computes them; nil if they are written as they are.
  private let source: SQL?

  init(_ operands: [SQL], shortLength: Int = BoundedCall.shortLength) {
    let isShort = operands.reduce(0) { $0 + $1.length } <= shortLength
    guard !isShort else {
      (self.operands, source) = (operands, nil)
      return
    }
    let names = operands.indices.map { "v\(.number($0))" as SQL }
    let columns = zip(operands, names).map { "\($0) AS \($1)" as SQL }.joined(separator: ", ")
    self.operands = names
    source = "(SELECT \(columns) OFFSET 0) AS \(identifier: "kindred:operands")"
  }

  // MARK: Calls

  /// Returns a concatenation.
  func concatenation() -> SQL {
    let lengths = operands.dropFirst().map { " + octet_length(\($0))" as SQL }.joined(separator: "")
    return guarded(
      operands.joined(separator: " || "), [(Self.length(operands[0]) + lengths, Self.longestText)])
  }

  /// Returns an aggregate that concatenates the texts of records, unless its value is too long to be sent.
  ///
  /// PostgreSQL computes the same aggregate once, however often it is written.
  static func concatenation(of aggregate: SQL) -> SQL {
    """
    CASE WHEN octet_length(\(aggregate)) > \(.number(longestAggregate)) \
    THEN repeat('-', greatest(count(*)::int4, 1073741824)) ELSE \(aggregate) END
    """
  }

  /// Returns `replace(text, pattern, replacement)`.
  func replacement() -> SQL {
    let (text, pattern, replacement) = (operands[0], operands[1], operands[2])
    let difference: SQL = "(\(Self.length(replacement)) - \(Self.length(pattern)))"
    let most: SQL = "\(Self.length(text)) / greatest(\(Self.length(pattern)), 1)"
    let number: SQL =
      "(\(Self.length(text)) - \(Self.length("replace(\(text), \(pattern), '')"))) / greatest(\(Self.length(pattern)), 1)"
    // A result that isn't longer than the text may have any length. The replacements are counted only if there may be
    // too many.
    let length: SQL = """
      CASE WHEN \(difference) <= 0 THEN 0 \
      WHEN \(Self.length(text)) + \(most) * \(difference) <= \(.number(Self.longestText)) THEN 0 \
      ELSE \(Self.length(text)) + \(number) * \(difference) END
      """
    return guarded(
      "replace(\(text), \(pattern), \(replacement))",
      [(Self.product(text, pattern), Self.mostSteps), (length, Self.longestText)])
  }

  /// Returns a call of a function or an operator that compares each place of the first operand with the second one.
  ///
  /// - Parameters:
  ///   - conversion: Makes a text a value of the type of the call.
  ///   - call: Makes the call of the operands.
  func search(_ conversion: (SQL) -> SQL, _ call: ([SQL]) -> SQL) -> SQL {
    guarded(call(operands), [(Self.product(operands[0], operands[1]), Self.mostSteps)], conversion)
  }

  /// Returns an arithmetic operation, before which PostgreSQL can be interrupted if its operands are operations
  /// themselves: the more digits numbers have, the longer it takes.
  func interruptible(_ operation: ([SQL]) -> SQL) -> SQL {
    computed(operation(operands))
  }

  // MARK: Bounds

  private static func length(_ text: SQL) -> SQL { "octet_length(\(text))::int8" }

  private static func product(_ text: SQL, _ other: SQL) -> SQL { "\(length(text)) * octet_length(\(other))" }

  private func guarded(
    _ call: SQL, _ bounds: [(size: SQL, most: Int)], _ conversion: (SQL) -> SQL = { $0 }
  ) -> SQL {
    // PostgreSQL makes no text of this length. It would find that in advance of a constant, which columns aren't.
    let changing = operands.first { source != nil || $0.reads { _ in true } } ?? operands[0]
    let refusal = conversion("repeat('-', greatest(octet_length(\(changing)), 1073741824))")
    let tests = bounds.map { " WHEN \($0.size) > \(.number($0.most)) THEN \(refusal)" as SQL }
    let sql: SQL = "CASE\(tests.joined(separator: "")) ELSE \(call) END"
    return computed(sql)
  }

  /// Returns a call of the operands where they are computed.
  private func computed(_ call: SQL) -> SQL {
    source.map { ("(SELECT \(call) FROM \($0))" as SQL).noted(OperandsNote()) } ?? call
  }
}
