import CKindredSQLite
import KindredSQLSyntax
import KindredSQLite

/// The values of a statement's parameters (<https://www.sqlite.org/lang_expr.html#varparam>).
///
///     try db.execute(sql: "INSERT INTO author (name, birthYear) VALUES (?, ?)", arguments: ["Melville", 1819])
///     try Row.fetchAll(db, sql: "SELECT * FROM book WHERE year > :year", arguments: ["year": 1900])
public struct StatementArguments: Hashable, Sendable {
  /// The values of `?`, in their order.
  var positional: [SQLValue] = []
  /// The values of `:name`, `@name` and `$name`, without the first character.
  var named: [String: SQLValue] = [:]

  /// No values.
  public init() {}

  /// The values of `?`, in their order.
  public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
    positional = values.map { $0?.databaseValue.storage ?? .null }
  }

  /// The values of `:name`, `@name` and `$name`.
  public init(_ values: [String: (any DatabaseValueConvertible)?]) {
    named = values.mapValues { $0?.databaseValue.storage ?? .null }
  }

  /// Values of the engine.
  init(_ values: [SQLValue]) {
    positional = values
  }

  /// The values of a statement that needs no others.
  ///
  /// - Throws: `DatabaseError` (misuse) where it does.
  init(_ bindings: [SQL.Binding]) throws {
    positional = try bindings.map { binding in
      guard case .value(let value) = binding else {
        throw DatabaseError.misuse("a value of the request is missing")
      }
      return value
    }
  }

  /// Whether there is no value.
  public var isEmpty: Bool { positional.isEmpty && named.isEmpty }

  /// The values of both; of two with one name, the right one.
  public static func + (left: StatementArguments, right: StatementArguments) -> StatementArguments {
    var both = left
    both.positional += right.positional
    both.named.merge(right.named) { $1 }
    return both
  }

  /// Adds values.
  public static func += (left: inout StatementArguments, right: StatementArguments) {
    left = left + right
  }
}

extension StatementArguments: ExpressibleByArrayLiteral {
  /// The values of `?`, in their order.
  public init(arrayLiteral values: (any DatabaseValueConvertible)?...) {
    self.init(values)
  }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
  /// The values of `:name`, `@name` and `$name`; of two with one name, the last.
  public init(dictionaryLiteral values: (String, (any DatabaseValueConvertible)?)...) {
    self.init(Dictionary(values) { $1 })
  }
}

// MARK: - Binding

extension StatementArguments {
  /// Binds the parameters of a statement, taking the values of `?` away for the statements that follow.
  ///
  /// - Throws: `DatabaseError` (misuse) where a parameter is left without a value.
  mutating func bind(to statement: Statement) throws {
    var used = 0
    // There is no parameter of the number 0, and `1...0` would trap.
    var parameter: Int32 = 1
    while parameter <= statement.parameterCount {
      if let value = name(of: parameter, in: statement).flatMap({ named[$0] }) {
        try statement.bind(value, at: parameter)
      } else if used < positional.count {
        try statement.bind(positional[used], at: parameter)
        used += 1
      } else {
        throw DatabaseError.misuse("a parameter has no value", sql: statement.sql)
      }
      parameter += 1
    }
    positional.removeFirst(used)
  }

  /// Binds the parameters of the only statement.
  ///
  /// - Throws: `DatabaseError` (misuse) where a parameter is left without a value, or a value without a
  ///   parameter.
  func bindAll(to statement: Statement) throws {
    var rest = self
    try rest.bind(to: statement)
    try rest.checkUsed(sql: statement.sql)
  }

  /// - Throws: `DatabaseError` (misuse) where a value of `?` is left.
  func checkUsed(sql: String) throws {
    guard positional.isEmpty else {
      throw DatabaseError.misuse("there are more values than parameters", sql: sql)
    }
  }

  private func name(of parameter: Int32, in statement: Statement) -> String? {
    guard !named.isEmpty else { return nil }
    return sqlite3_bind_parameter_name(statement.handle, parameter).map { String(cString: $0 + 1) }
  }
}
