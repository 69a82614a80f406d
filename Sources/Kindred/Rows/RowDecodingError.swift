/// An error of a row that holds no value of the requested type.
///
/// It doesn't contain the value, so it can be logged.
public struct RowDecodingError: Error, Hashable, Sendable {
  /// The reason why there is no value of the type.
  public enum Reason: Hashable, Sendable {
    /// The row has no such column.
    case columnNotFound
    /// The row has no associated record or collection with that key.
    case keyNotFound
    /// The column holds a value of another type; `found` names it, such as `NULL` or `a text`.
    case mismatch(found: String)
  }

  /// The reason why there is no value of the type.
  public let reason: Reason
  /// The name of the column, or the key; its position if a column has no name.
  public let key: String
  /// The name of the requested type.
  public let type: String
  /// The name of the record type whose property it is; nil outside records.
  public internal(set) var record: String?
  /// The keys and positions of the associated records that lead to it: `["books", "3"]`.
  public internal(set) var path: [String] = []
  /// The SQL of the statement, with parameters in place of values; nil if the row comes from no statement.
  public internal(set) var sql: String?

  /// Creates an error about a column or a key.
  public init(_ reason: Reason, key: String, type: Any.Type) {
    self.reason = reason
    self.key = key
    self.type = String(describing: type)
  }
}

extension RowDecodingError {
  /// Whether both have the same reason, key and type; where they happened doesn't count.
  public static func == (left: RowDecodingError, right: RowDecodingError) -> Bool {
    left.reason == right.reason && left.key == right.key && left.type == right.type
  }

  /// Hashes what equal errors have in common.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(reason)
    hasher.combine(key)
    hasher.combine(type)
  }
}

extension RowDecodingError: CustomStringConvertible {
  /// Describes the error in one line.
  public var description: String {
    let place = (path + [key]).reduce(into: "") { place, key in
      place += Int(key) != nil && !place.isEmpty ? "[\(key)]" : place.isEmpty ? key : ".\(key)"
    }
    let text =
      switch reason {
      case .columnNotFound: "there is no column \"\(place)\" to decode \(type) from"
      case .keyNotFound: "there is no record or collection with the key \"\(place)\" to decode \(type) from"
      case .mismatch(let found):
        "the column \"\(place)\" contains \(found), which can't be decoded as \(type)"
      }
    return text + (record.map { " of \($0)" } ?? "") + (sql.map { " - in: \($0)" } ?? "")
  }
}

// MARK: - Where it happened

extension RowDecodingError {
  /// Returns the result of `body`; an error that it throws about a property is given the type of the record.
  static func of<Record, Result>(_ record: Record.Type, _ body: () throws -> Result) throws -> Result {
    try refining(body) { $0.record = $0.record ?? String(describing: record) }
  }

  /// Returns the result of `body`; the path of an error that it throws begins with a key.
  static func below<Result>(_ key: @autoclosure () -> String, _ body: () throws -> Result) throws -> Result {
    try refining(body) { $0.path.insert(key(), at: 0) }
  }

  /// Returns the result of `body`; an error that it throws is given the SQL of the statement.
  static func inStatement<Result>(_ sql: @autoclosure () -> String, _ body: () throws -> Result) throws
    -> Result
  {
    try refining(body) { $0.sql = $0.sql ?? sql() }
  }

  private static func refining<Result>(
    _ body: () throws -> Result, _ refine: (inout RowDecodingError) -> Void
  ) throws -> Result {
    do {
      return try body()
    } catch var error as RowDecodingError {
      refine(&error)
      throw error
    }
  }
}

extension RowLayout {
  /// Returns what errors call the column at a position.
  ///
  /// SQLite names an expression by its text, which may contain a value, so only identifiers are names here.
  func nameForErrors(at position: Int) -> String {
    let name = columns[position].name
    let isIdentifier = name.first.map { $0.isLetter || $0 == "_" } ?? false
    return isIdentifier && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
      ? name : String(position)
  }
}
