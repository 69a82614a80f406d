/// An error of PostgreSQL, of its client library, or of the way to it.
///
/// Bound values are not in the message as far as PostgreSQL keeps them out; it is for the log, and not for clients,
/// but for what a `RAISE EXCEPTION` says.
public struct PostgreSQLError: Error, Hashable, Sendable {
  /// What failed, as five letters and digits (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
  public let state: String
  /// The primary message, on one line.
  public let message: String
  /// The text of the statement, with parameters in place of values; nil where none was run.
  public var sql: String?
  /// The constraint that refused a change; nil where none did.
  public var constraint: String?
  /// The table that the error is about.
  public var table: String?
  /// The column that the error is about.
  public var column: String?
  /// The columns of the key that the error is about; empty where it is about none.
  public var keyColumns: [String] = []
  /// Whether its time was over, where a statement was cancelled.
  public var isTimeout = false
  /// Whether it is about values to be stored, and not about those of an expression.
  public var concernsChange = false
  /// Whether the connection is of no use any more.
  public var endsConnection = false

  /// An error of this state.
  public init(state: String, message: String) {
    self.state = state
    self.message = message
  }

  /// The connection is lost, or there was none to begin with.
  static func lost(_ message: String) -> PostgreSQLError {
    var error = PostgreSQLError(state: State.connectionFailure, message: message)
    error.endsConnection = true
    return error
  }

  /// The states that the program reacts to.
  public enum State {
    /// There is no connection any more, or none to begin with.
    public static let connectionFailure = "08006"
    /// The statement was cancelled, by a client or by its time limit.
    public static let cancelled = "57014"
    /// Another transaction came first.
    public static let serializationFailure = "40001"
    /// Transactions waited for one another.
    public static let deadlock = "40P01"
    /// The user lacks a privilege.
    public static let forbidden = "42501"
    /// No connection is free.
    public static let tooManyConnections = "53300"
    /// The session has no prepared statement of this name.
    public static let unknownPreparedStatement = "26000"
    /// The session has a prepared statement of this name.
    public static let duplicatePreparedStatement = "42P05"
    /// A prepared statement has other columns than before, or something isn't supported.
    public static let changedResult = "0A000"
    /// A text has a character that can't be stored.
    public static let untranslatableCharacter = "22P05"
    /// There is no such table.
    public static let unknownTable = "42P01"
    /// There is no such column.
    public static let unknownColumn = "42703"
    /// `RAISE EXCEPTION` of a function.
    public static let raised = "P0001"
  }

  /// The first two characters of the state, which say what kind of error it is.
  public var category: Substring { state.prefix(2) }

  /// Whether the same may succeed at once, in a new transaction or on a new connection.
  public var isTransient: Bool {
    switch state {
    case State.serializationFailure, State.deadlock, State.unknownPreparedStatement,
      State.duplicatePreparedStatement:
      true
    // The server has changed a table that a prepared statement reads.
    case State.changedResult: message.contains("cached plan")
    // Shutting down, starting up, and terminated by an administrator.
    case "57P01", "57P02", "57P03": true
    default: category == "08"
    }
  }
}

extension PostgreSQLError {
  /// The columns that a detail names: `Key (a, b)=(1, 2) already exists.`, in whatever language.
  static func columns(ofDetail detail: String) -> [String] {
    guard let open = detail.firstIndex(of: "("), let close = detail.ranges(of: ")=(").first?.lowerBound,
      open < close
    else { return [] }
    return detail[detail.index(after: open)..<close].split(separator: ", ").map { name in
      guard name.hasPrefix("\""), name.hasSuffix("\""), name.count > 1 else { return String(name) }
      return String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }
  }
}

extension PostgreSQLError: CustomStringConvertible {
  /// One line: the message, the state and the SQL text.
  public var description: String {
    var text = "PostgreSQL error \(state): \(message)"
    if let sql { text += " - in: \(sql)" }
    return text
  }
}

extension String {
  /// The text of a message of libpq on one line: it ends with a line break, and has one for each host.
  init(message: UnsafePointer<CChar>?) {
    let text = message.map { String(cString: $0) } ?? ""
    self = text.split(whereSeparator: \.isNewline).map { line in
      String(line.drop { $0 == "\t" || $0 == " " })
    }.joined(separator: "; ")
  }
}
