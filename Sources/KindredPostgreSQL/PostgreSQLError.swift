/// An error of PostgreSQL, of its client library, or of the connection.
///
/// The message may contain bound values, if PostgreSQL quotes them, so it is for the log and not for clients,
/// except for the message of a `RAISE EXCEPTION`.
public struct PostgreSQLError: Error, Hashable, Sendable {
  /// The SQLSTATE, of five characters (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
  public let state: State
  /// The primary message, on one line.
  public let message: String
  /// The SQL of the statement, with parameters in place of values; nil if none was run.
  public var sql: String?
  /// The name of the violated constraint; nil if there is none.
  public var constraint: String?
  /// The table that the error is about.
  public var table: String?
  /// The column that the error is about.
  public var column: String?
  /// The columns of the key that the error is about; empty if there is none.
  public var keyColumns: [String] = []
  /// The number of the parameter whose value can't be converted to its type, from 1; nil if it isn't about one.
  public var parameter: Int?
  /// The number of statements of the pipeline that ran before the one that failed; nil if none failed.
  public var position: Int?
  /// The place of the error in the statement, in characters from 1; nil if it has none.
  public var character: Int?
  /// The number of records after the one that failed, if they were to be inserted together; otherwise nil.
  public var recordsAfter: Int?
  /// Whether `RAISE` or `ASSERT` of a function reported it, with any SQLSTATE.
  public var isRaised = false
  /// What `RAISE` gave as its HINT; nil for other errors.
  public var hint: String?
  /// Whether it arose in code that a statement calls, such as the function of a trigger.
  public var isInFunction = false
  /// Whether it is of a statement that another one causes, by a trigger, a function or the action of a foreign key.
  public var isCaused = false
  /// Whether the engine can't compute statements of this form, because tables are distributed over shards.
  public var isOfShards = false
  /// The name of the node of the request whose statement it is about; nil if it is unknown or the root's.
  public var node: String?
  /// Whether a statement was cancelled because of its time limit.
  public var isTimeout = false
  /// Whether it is about values to be stored, as opposed to values in an expression.
  public var concernsChange = false
  /// Whether it is about the program's own data, which clients don't know of.
  public var isOfBookkeeping = false
  /// Whether the connection can't be used any more.
  public var endsConnection = false
  /// Whether it is about a statement that the program adds by itself, such as BEGIN, which no client is to blame for.
  public var isOfOwnStatement = false
  /// Whether the server has sent nothing since the statements were sent, although their time is up.
  public var isUnanswered = false
  /// Whether the COMMIT whose outcome is unknown is still awaited.
  public var isOpen = false
  /// The SQLSTATE with which the server has refused a connection; nil if it was none, or something else has failed.
  public var refusal: State?
  /// Advice for the operator; nil if the remedy is obvious or unknown.
  public var advice: String?

  /// Creates an error.
  public init(_ state: State, _ message: String) {
    self.state = state
    self.message = message
    if state == .wrongState { advice = message }
  }

  /// Returns the error of a COMMIT that may or may not have been done, or not by all servers.
  public static func unknownOutcome(_ reason: String, isOpen: Bool = false) -> PostgreSQLError {
    var error = PostgreSQLError(
      .unknownOutcome, "it is unknown whether a transaction was committed: \(reason)")
    error.isOpen = isOpen
    return error
  }

  /// Returns an error about a connection that is lost or could not be made.
  static func lost(_ message: String) -> PostgreSQLError {
    var error = PostgreSQLError(.connectionFailure, message)
    error.endsConnection = true
    return error
  }

  /// A SQLSTATE; the states that the program handles have names.
  public struct State: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The five characters.
    public let code: String

    /// Creates a state from its five characters.
    public init(_ code: String) { self.code = code }

    /// Creates a state from its five characters.
    public init(stringLiteral code: String) { self.init(code) }

    /// The connection is lost or could not be made.
    public static let connectionFailure: State = "08006"
    /// The connection was lost during a commit, or it is unknown for another reason whether the transaction was committed.
    public static let unknownOutcome: State = "08007"
    /// The transaction was rolled back.
    public static let rollback: State = "40000"
    /// The statement was cancelled by a client or by its time limit.
    public static let cancelled: State = "57014"
    /// A concurrent transaction prevents serialization.
    public static let serializationFailure: State = "40001"
    /// Transactions are deadlocked.
    public static let deadlock: State = "40P01"
    /// The user lacks a privilege.
    public static let forbidden: State = "42501"
    /// The server's disk is full.
    public static let diskFull: State = "53100"
    /// No connection is free.
    public static let tooManyConnections: State = "53300"
    /// A value would be longer than PostgreSQL allows.
    public static let limitExceeded: State = "54000"
    /// A client or server has no memory for a result.
    public static let outOfMemory: State = "53200"
    /// The session has no prepared statement with this name.
    public static let unknownPreparedStatement: State = "26000"
    /// The session already has a prepared statement with this name.
    public static let duplicatePreparedStatement: State = "42P05"
    /// The columns of a prepared statement have changed, or a feature is not supported.
    public static let changedResult: State = "0A000"
    /// A text contains a character that can't be stored.
    public static let untranslatableCharacter: State = "22P05"
    /// The table does not exist.
    public static let unknownTable: State = "42P01"
    /// The schema does not exist.
    public static let unknownSchema: State = "3F000"
    /// The column does not exist.
    public static let unknownColumn: State = "42703"
    /// An object isn't in the state that a statement needs, such as a materialised view that isn't populated.
    public static let wrongState: State = "55000"
    /// An error without a more specific state.
    public static let internalError: State = "XX000"
    /// A function has executed `RAISE EXCEPTION`.
    public static let raised: State = "P0001"
  }

  /// The class of the error: the first two characters of the SQLSTATE.
  public var category: Substring { state.code.prefix(2) }

  /// Whether trying again at once may succeed, in a new transaction or on a new connection.
  public var isTransient: Bool {
    switch state {
    case _ where isRaised: [.serializationFailure, .deadlock].contains(state)
    case .serializationFailure, .deadlock, .unknownPreparedStatement, .duplicatePreparedStatement: true
    // A table that a prepared statement reads has changed.
    case .changedResult: message.contains("cached plan")
    // The session gets it with its next transaction.
    case "42883": message.contains("pg_temp.kindred_holds")
    case "3F000": message.contains("pg_temp")
    // The server is shutting down or starting up, or an administrator has ended the session.
    case "57P01", "57P02", "57P03": true
    // A second attempt could repeat a committed change.
    case .unknownOutcome: false
    default: category == "08"
    }
  }
}

extension PostgreSQLError {
  /// Returns the parameter that a context such as `unnamed portal parameter $2 = '…'` names, in any language.
  static func parameter(ofContext context: String) -> Int? {
    let line = context.prefix { !$0.isNewline }
    guard let sign = line.firstIndex(of: "$") else { return nil }
    let before = line[..<sign]
    // A statement in a function is quoted, and a list of all parameters follows a colon.
    guard !before.contains("\""), !before.hasSuffix(": ") else { return nil }
    return Int(line[line.index(after: sign)...].prefix(while: \.isNumber))
  }

  /// Returns whether a context has a line such as `PL/pgSQL function f() line 1 at RAISE`.
  static func isFunction(context: String) -> Bool {
    context.contains("PL/") || context.contains(" function ")
  }

  /// Returns the columns that a detail such as `Key (a, b)=(1, 2) already exists.` names, in any language.
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
  /// The message, the SQLSTATE and the SQL.
  ///
  /// The SQLSTATE of an error of connecting, or of the schemas to be served, adds no information.
  public var description: String {
    if sql == nil, category == "08" || state == .unknownSchema { return message }
    var text = "PostgreSQL error \(state.code): \(message)"
    if let sql { text += " - in: \(sql)" }
    return text
  }
}

extension String {
  /// Creates a text on one line from a message of libpq, which has a line for each host and each attempt.
  init(message: UnsafePointer<CChar>?) {
    let text = message.map { String(cString: $0) } ?? ""
    var lines: [String] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let line = String(line.drop { $0 == "\t" || $0 == " " })
      if !lines.contains(line) { lines.append(line) }
    }
    self = lines.joined(separator: "; ")
  }
}
