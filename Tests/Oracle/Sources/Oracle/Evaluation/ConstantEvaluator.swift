import GRDBSQLite
import OracleValues

/// Evaluates expressions of constants with SQLite, whose operators, functions and three-valued logic the contract
/// adopts.
final class ConstantEvaluator {
  struct Failure: Error {
    var message: String
  }

  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  init() throws {
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { throw failure() }
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  /// Returns the value of `sql` with `arguments` as its parameters `?1`, `?2`, ….
  func value(of sql: String, _ arguments: [Value]) throws -> Value {
    let statement = try statement("SELECT \(sql)")
    defer { sqlite3_reset(statement) }
    for (index, argument) in arguments.enumerated() { bind(argument, to: Int32(index + 1), of: statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure() }
    switch sqlite3_column_type(statement, 0) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, 0))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, 0))
    case SQLITE_NULL: return .null
    default: return .text(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
    }
  }

  private func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw failure()
    }
    if statements.count > 2000 {
      for statement in statements.values { sqlite3_finalize(statement) }
      statements = [:]
    }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: Value, to number: Int32, of statement: OpaquePointer) {
    switch value {
    case .null: sqlite3_bind_null(statement, number)
    case .integer(let value): sqlite3_bind_int64(statement, number, value)
    case .real(let value): sqlite3_bind_double(statement, number, value)
    case .bytes: sqlite3_bind_null(statement, number)
    case .text(let value):
      sqlite3_bind_text(statement, number, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}
