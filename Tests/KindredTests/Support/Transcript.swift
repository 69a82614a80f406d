import CKindredSQLite
import KindredSQLite
import Testing

@testable import Kindred

/// The SQL of a request with its values inserted, and its rows.
struct Transcript {
  /// The statements in the order in which they run, separated by `;`.
  var sql: String
  /// A line for each row: its columns, and its scopes and prefetched rows by their keys.
  var rows: String

  init(of request: some FetchRequest, on db: Database) throws {
    // The schema is read before, so that only the request's own statements are recorded.
    _ = try db.model
    let log = StatementLog(try db.connection)
    let outcome = Result { try Row.fetchAll(db, request) }
    let statements = log.stop()
    rows = try outcome.get().map(\.transcript).joined(separator: "\n")
    sql = statements.joined(separator: "; ")
  }
}

extension DatabaseQueue {
  /// Expects a request to run these statements, ignoring white space, and to return these rows.
  func expect(
    _ request: some FetchRequest, sql: String, rows: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let transcript = try read { db in try Transcript(of: request, on: db) }
    let words = sql.split(whereSeparator: \.isWhitespace)
    #expect(transcript.sql == words.joined(separator: " "), sourceLocation: sourceLocation)
    #expect(transcript.rows == rows, sourceLocation: sourceLocation)
  }
}

extension Row {
  fileprivate var transcript: String {
    let scopes = scopes.map { "\($0.name): \($0.row.transcript)" }
    let lists = prefetchedRows.ownKeys.map { key in
      "\(key): (\((prefetchedRows[key] ?? []).map(\.transcript).joined(separator: ", ")))"
    }
    return ([description] + scopes + lists).joined(separator: " ")
  }
}

/// The statements that a connection runs.
private final class StatementLog {
  private let handle: OpaquePointer
  private var statements: [String] = []

  init(_ connection: Connection) {
    handle = connection.handle
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let text = sqlite3_expanded_sql(statement.map { OpaquePointer($0) }) else {
          return 0
        }
        defer { sqlite3_free(text) }
        Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue().add(String(cString: text))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func add(_ sql: String) {
    // Leaves out statements that read the schema, and statements that virtual tables run internally.
    if !sql.hasPrefix("PRAGMA"), !sql.hasPrefix("--") { statements.append(sql) }
  }

  func stop() -> [String] {
    sqlite3_trace_v2(handle, 0, nil, nil)
    return statements
  }
}
