import CKindredSQLite
import KindredSQLSyntax
import KindredSQLite

/// The values of a statement's parameters (<https://www.sqlite.org/lang_expr.html#varparam>).
///
///     try db.execute(sql: "INSERT INTO author (name, birthYear) VALUES (?, ?)", arguments: ["Melville", 1819])
///     try Row.fetchAll(db, sql: "SELECT * FROM book WHERE year > :year", arguments: ["year": 1900])
public struct StatementArguments: Hashable, Sendable {
  /// The values of `?` parameters, in order.
  var positional: [SQLValue] = []
  /// The values of `:name`, `@name` and `$name` parameters, by their names without the first character.
  var named: [String: SQLValue] = [:]
  /// Why one of the values can't be stored, which binding throws.
  private var failure: UnstorableValue?

  /// Creates arguments without values.
  public init() {}

  /// The values of `?` parameters, in order.
  public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
    positional = values.map { value(of: $0) }
  }

  /// The values of `?` parameters, in order.
  public init<Value: DatabaseValueConvertible>(_ values: some Sequence<Value>) {
    positional = values.map { value(of: $0) }
  }

  /// The values of `:name`, `@name` and `$name` parameters, by their names without the first character.
  public init(_ values: [String: (any DatabaseValueConvertible)?]) {
    named = values.mapValues { value(of: $0) }
  }

  private mutating func value(of value: (any DatabaseValueConvertible)?) -> SQLValue {
    let value = value?.databaseValue ?? .null
    failure = failure ?? value.failure
    return value.sqlValue
  }

  /// The values of `?` parameters, as the engine represents them.
  init(_ values: [SQLValue]) {
    positional = values
  }

  /// The bindings of a statement that doesn't depend on the rows of another.
  ///
  /// - Throws: `DatabaseError` (misuse) if it does.
  init(_ bindings: [SQLText.Binding]) throws {
    positional = try bindings.map { binding in
      guard let value = binding.knownValue else {
        throw DatabaseError.misuse("a value of the request is missing")
      }
      return value
    }
  }

  /// The values of `?` parameters, in order; `nil` if one of them can't be stored.
  public init?(_ values: [Any]) {
    let stored = values.map(DatabaseValue.init(value:))
    guard stored.allSatisfy({ $0 != nil }) else { return nil }
    positional = stored.compactMap { $0?.sqlValue }
  }

  /// The values of `:name`, `@name` and `$name` parameters; `nil` if one of them can't be stored.
  public init?(_ values: [AnyHashable: Any]) {
    for (key, value) in values {
      guard let name = key as? String, let stored = DatabaseValue(value: value) else { return nil }
      named[name] = stored.sqlValue
    }
  }

  /// Whether there are no values.
  public var isEmpty: Bool { positional.isEmpty && named.isEmpty }

  /// Returns the values of both.
  ///
  /// If both have a value for a name, the right one is used.
  public static func + (left: StatementArguments, right: StatementArguments) -> StatementArguments {
    var both = left
    both.positional += right.positional
    both.named.merge(right.named) { $1 }
    both.failure = left.failure ?? right.failure
    return both
  }

  /// Returns the values of both.
  ///
  /// If both have a value for a name, the right one is used.
  public static func &+ (left: StatementArguments, right: StatementArguments) -> StatementArguments {
    left + right
  }

  /// Appends values.
  ///
  /// - Returns: The values of names that had one before, which are replaced.
  @discardableResult
  public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
    let replaced = named.filter { arguments.named[$0.key] != nil }
    self += arguments
    return replaced.mapValues(DatabaseValue.init)
  }

  /// Appends the values of `right`.
  public static func += (left: inout StatementArguments, right: StatementArguments) {
    left = left + right
  }
}

extension StatementArguments: ExpressibleByArrayLiteral {
  /// The values of `?` parameters, in order.
  public init(arrayLiteral values: (any DatabaseValueConvertible)?...) {
    self.init(values)
  }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
  /// The values of `:name`, `@name` and `$name` parameters.
  ///
  /// If a name occurs several times, the last value is used.
  public init(dictionaryLiteral values: (String, (any DatabaseValueConvertible)?)...) {
    self.init(Dictionary(values) { $1 })
  }
}

extension StatementArguments: CustomStringConvertible {
  /// The values, which may be secret, as literals of Swift: positional ones first, then those with names.
  public var description: String {
    let values = positional.map { "\(DatabaseValue($0))" }
    let names = named.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \(DatabaseValue($0.value))" }
    return "[\((values + names).joined(separator: ", "))]"
  }
}

// MARK: - Binding

extension StatementArguments {
  /// Binds the parameters of a statement, and removes the positional values that it has used.
  ///
  /// - Throws: `DatabaseError` (misuse) if a parameter has no value, or one that can't be stored.
  mutating func bind(to statement: DriverStatement) throws {
    if let failure { throw failure.error }
    var used = 0
    // Parameters count from 1; for a statement without any, the range `1...0` would trap.
    var parameter: Int32 = 1
    while parameter <= statement.parameterCount {
      if let value = name(of: parameter, in: statement).flatMap({ named[$0] }) {
        try statement.bind(value, at: parameter)
      } else if used < positional.count {
        try statement.bind(positional[used], at: parameter)
        used += 1
      } else {
        throw DatabaseError.misuse(missing(parameter, in: statement), sql: statement.sql)
      }
      parameter += 1
    }
    positional.removeFirst(used)
  }

  /// Returns the values of a statement, without the positional ones that it leaves for others, which are kept.
  ///
  /// - Throws: `DatabaseError` (misuse) if a parameter has no value.
  mutating func take(for statement: DriverStatement) throws -> StatementArguments {
    var taken = self
    try bind(to: statement)
    taken.positional.removeLast(positional.count)
    return taken
  }

  /// Binds the parameters of a statement that has to use all values.
  ///
  /// - Throws: `DatabaseError` (misuse) if a parameter has no value, or a positional value no parameter.
  func bindAll(to statement: DriverStatement) throws {
    var rest = self
    try rest.bind(to: statement)
    try rest.checkUsed(sql: statement.sql)
  }

  /// - Throws: `DatabaseError` (misuse) if a positional value has not been used.
  func checkUsed(sql: String) throws {
    guard positional.isEmpty else {
      throw DatabaseError.misuse("there are more arguments than parameters", sql: sql)
    }
  }

  /// Returns the message about a parameter without a value, and the names that no parameter has.
  private func missing(_ parameter: Int32, in statement: DriverStatement) -> String {
    let parameters = (1...max(1, statement.parameterCount)).map { number in
      sqlite3_bind_parameter_name(statement.handle, number).map { String(cString: $0) }
    }
    let name = parameters[Int(parameter) - 1] ?? "\(parameter)"
    let known = Set(parameters.compactMap { $0?.dropFirst() }.map(String.init))
    let unused = named.keys.filter { !known.contains($0) }.sorted()
    return "the parameter \(name) has no value"
      + (unused.isEmpty ? "" : "; the statement has no parameter \(unused.joined(separator: ", "))")
  }

  private func name(of parameter: Int32, in statement: DriverStatement) -> String? {
    guard !named.isEmpty else { return nil }
    return sqlite3_bind_parameter_name(statement.handle, parameter).map { String(cString: $0 + 1) }
  }
}
