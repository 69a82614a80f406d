import CKindredSQLite
import KindredSQLite
import Testing

@testable import Kindred

/// What a request is in SQL, with its values in their places, and what it gives.
struct Transcript {
  /// The statements in the order in which they run, a `;` between each two.
  var sql: String
  /// A line for each row: its columns, and the rows inside of it and fetched along by their keys.
  var rows: String

  init(of request: some FetchRequest, on db: Database) throws {
    // Read before, so that what is noted is the request's own.
    _ = try db.model
    let log = StatementLog(try db.connection)
    let outcome = Result { try Row.fetchAll(db, request) }
    let statements = log.stop()
    rows = try outcome.get().map(\.transcript).joined(separator: "\n")
    sql = statements.joined(separator: "; ")
  }
}

extension DatabaseQueue {
  /// Expects a request to be these statements, whatever the white space, and to give these rows.
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
    // Neither what it takes to know the schema, nor what a virtual table runs for itself.
    if !sql.hasPrefix("PRAGMA"), !sql.hasPrefix("--") { statements.append(sql) }
  }

  func stop() -> [String] {
    sqlite3_trace_v2(handle, 0, nil, nil)
    return statements
  }
}
