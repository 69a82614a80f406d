import KindredPostgreSQL

/// The views, foreign tables and tables with policies whose rows may change without a commit.
///
/// Since views may read each other, a single one of them makes all count as volatile.
struct VolatileRelations {
  private var ids: Set<Int64> = []
  private var names: [String] = []
  /// The names of the functions that may read the clock.
  private let functions: Set<String>

  /// - Parameters:
  ///   - relations: The result of ``SchemaQueries/volatility``.
  ///   - functions: The result of ``SchemaQueries/functions``.
  init(_ relations: QueryResult, functions: QueryResult) {
    self.functions = Self.volatileFunctions(functions)
    let definitions = (0..<relations.rowCount).map { relations.text($0, 2) }
    guard definitions.contains(where: { $0.map(isVolatile) ?? true }) else { return }
    ids = Set((0..<relations.rowCount).compactMap { relations.integer($0, 0) })
    names = (0..<relations.rowCount).compactMap { relations.text($0, 1)?.lowercased() }
  }

  /// Returns the names of the functions whose body reads the clock, or calls a function that does.
  private static func volatileFunctions(_ rows: QueryResult) -> Set<String> {
    var volatile: Set<String> = []
    var rest: [(name: String, calls: Set<String>)] = []
    for row in 0..<rows.rowCount {
      let name = (rows.text(row, 0) ?? "").lowercased().nameOfCall
      if let body = rows.text(row, 1)?.lowercased(), !hasSign(body) {
        rest.append((name, body.calls))
      } else {
        volatile.insert(name)
      }
    }
    var found = volatile
    while !found.isEmpty {
      let place = rest.partition { !$0.calls.isDisjoint(with: found) }
      found = Set(rest[place...].map(\.name))
      volatile.formUnion(found)
      rest.removeSubrange(place...)
    }
    return volatile
  }

  /// Returns whether it has the relation with this OID.
  func contains(_ id: Int64) -> Bool { ids.contains(id) }

  /// Returns whether the rows of a `SELECT` may change without a commit.
  func isRead(by sql: String) -> Bool {
    let text = sql.lowercased()
    return isVolatile(sql) || names.contains { text.contains($0.replacing("\"", with: "\"\"")) }
  }

  /// The constructs of definitions that read the clock, random numbers, or data that isn't stored in tables.
  private static let signs = [
    "now(", "'now", "'today", "'tomorrow", "'yesterday", "age(", "current_", "local", "_timestamp(",
    "timeofday(",
    "random", "uuidv", "tablesample", "nextval(", "currval(", "lastval(", "pg_", "information_schema",
    "dblink",
  ]

  private func isVolatile(_ definition: String) -> Bool {
    let text = definition.lowercased()
    return Self.hasSign(text) || !text.calls.isDisjoint(with: functions)
  }

  private static func hasSign(_ text: String) -> Bool { signs.contains { text.contains($0) } }
}

extension String {
  /// The names of the functions that it may call: the words before a parenthesis.
  fileprivate var calls: Set<String> {
    Set(split(separator: "(", omittingEmptySubsequences: false).dropLast().compactMap { lastWord(of: $0) })
  }

  /// The name of a function as ``calls`` has it.
  fileprivate var nameOfCall: String { lastWord(of: self[...]) ?? "" }

  private func lastWord(of text: Substring) -> String? {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.last.map(String.init)
  }
}
