import CKindredSQLite
import Foundation

extension Database {
  /// What a trace reports.
  public struct TracingOptions: OptionSet, Sendable {
    /// The bits of `sqlite3_trace_v2`.
    public let rawValue: Int32

    /// Creates options from bits of `sqlite3_trace_v2`.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Statements that start.
    public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)
    /// Statements that have ended, with their durations.
    public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)
  }

  /// A statement that has started or ended.
  public enum TraceEvent: CustomStringConvertible {
    /// A statement, as long as the closure of the trace runs.
    public struct Statement: CustomStringConvertible {
      let traced: TracedStatement
      let comment: String?
      let describesValues: Bool

      /// The SQL, without the values of its parameters; for a trigger, a comment that names it.
      public var sql: String { comment ?? traced.sql }
      /// The SQL with the values of its parameters, which may be secret.
      public var expandedSQL: String { comment ?? traced.expandedSQL }
      /// The SQL, with the values of its parameters only if ``Configuration/publicStatementArguments`` says so.
      public var description: String { describesValues ? expandedSQL : sql }
    }

    /// A statement starts.
    case statement(Statement)
    /// A statement has ended, after a number of seconds.
    case profile(statement: Statement, duration: TimeInterval)

    /// The SQL, with the values of its parameters only if ``Configuration/publicStatementArguments`` says so, and the
    /// duration.
    public var description: String { text(\.description) }

    /// The SQL with the values of its parameters, which may be secret, and the duration.
    public var expandedDescription: String { text(\.expandedSQL) }

    private func text(_ sql: (Statement) -> String) -> String {
      switch self {
      case .statement(let statement): sql(statement)
      case .profile(let statement, let duration):
        String(format: "%.3fs ", duration) + sql(statement)
      }
    }
  }

  /// Reports the statements of this connection to a closure, or to none any more.
  ///
  ///     configuration.prepareDatabase { db in db.trace { print($0) } }
  ///
  /// Those by which the library finds out whether the schema has changed are left out.
  ///
  /// - Parameters:
  ///   - options: What is reported: the starts of statements by default.
  ///   - trace: Receives each event. It must not use the database.
  public func trace(options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil) {
    guard let connection = try? connection else { return }
    let hooks = ConnectionHooks.of(connection)
    if let known = hooks.listener(of: ProgramTrace.self) { hooks.remove(known) }
    if let trace, !options.isEmpty {
      hooks.add(
        ProgramTrace(options, describesValues: configuration.publicStatementArguments, trace))
    }
  }
}

/// Reports statements to a closure of the program.
private final class ProgramTrace: ConnectionListener {
  private let options: Database.TracingOptions
  private let describesValues: Bool
  private let report: (Database.TraceEvent) -> Void

  init(
    _ options: Database.TracingOptions, describesValues: Bool,
    _ report: @escaping (Database.TraceEvent) -> Void
  ) {
    (self.options, self.describesValues, self.report) = (options, describesValues, report)
  }

  var listensToEnds: Bool { options.contains(.profile) }

  func statementStarts(_ statement: TracedStatement, comment: String?) {
    guard options.contains(.statement), !statement.readsVersion else { return }
    report(.statement(traced(statement, comment)))
  }

  func statementEnds(_ statement: TracedStatement, nanoseconds: Int64) {
    guard options.contains(.profile), !statement.readsVersion else { return }
    report(.profile(statement: traced(statement, nil), duration: Double(nanoseconds) / 1e9))
  }

  private func traced(_ statement: TracedStatement, _ comment: String?) -> Database.TraceEvent.Statement {
    Database.TraceEvent.Statement(traced: statement, comment: comment, describesValues: describesValues)
  }
}

extension TracedStatement {
  /// Whether the statement is one by which the library finds out whether the schema has changed.
  fileprivate var readsVersion: Bool { sql == "PRAGMA schema_version" || sql == "PRAGMA temp.schema_version" }
}
