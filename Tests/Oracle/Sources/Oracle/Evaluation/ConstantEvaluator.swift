import GRDBSQLite
import OracleValues

/// Evaluates expressions of constants with SQLite, whose operators, functions and three-valued logic are
/// those of requests.
final class ConstantEvaluator {
  struct Failure: Error {
    var message: String
  }

  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  /// The tables for the columns of a type and a collation.
  private var tables: Set<String> = []
  /// The time of all expressions.
  private(set) var now = Value.null

  private static let width = 60
  private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init() throws {
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { throw failure() }
    now = try value(of: "strftime('%Y-%m-%d %H:%M:%f', 'now')", Operands())
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  /// Returns the value of `sql`, with the arguments as its parameters `?1`, `?2`, ….
  func value(of sql: String, _ operands: Operands) throws -> Value {
    let columns = Dictionary(grouping: operands.columns, by: \.table)
    for (table, columns) in columns { try fill(table, columns) }
    let tables = columns.keys.sorted().map(quoted).joined(separator: ", ")
    let statement = try statement("SELECT \(sql)\(tables.isEmpty ? "" : " FROM \(tables)")")
    defer { sqlite3_reset(statement) }
    for (index, argument) in operands.arguments.enumerated() {
      bind(argument, to: Int32(index + 1), of: statement)
    }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure() }
    switch sqlite3_column_type(statement, 0) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, 0))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, 0))
    case SQLITE_NULL: return .null
    case SQLITE_BLOB: return .bytes(bytes(of: statement), isText: false)
    default:
      _ = sqlite3_column_text(statement, 0)
      let bytes = bytes(of: statement)
      return String(validating: bytes, as: UTF8.self).map(Value.text) ?? .bytes(bytes, isText: true)
    }
  }

  private func bytes(of statement: OpaquePointer) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(statement, 0))
    return [UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: count))
  }

  /// Puts values into the only row of a table.
  private func fill(_ table: String, _ columns: [Operands.Column]) throws {
    guard let first = columns.first, columns.count <= Self.width else { throw Invalid("too many columns") }
    if tables.insert(table).inserted {
      let definitions = (1...Self.width).map { "c\($0) \(first.type) COLLATE \(first.collation)" }
      let sql =
        "CREATE TABLE \(quoted(table)) (\(definitions.joined(separator: ", "))); INSERT INTO \(quoted(table)) (c1) VALUES (NULL)"
      guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }
    let assignments = columns.indices.map { "c\($0 + 1) = ?\($0 + 1)" }.joined(separator: ", ")
    let statement = try statement("UPDATE \(quoted(table)) SET \(assignments)")
    defer { sqlite3_reset(statement) }
    for (index, column) in columns.enumerated() { bind(column.value, to: Int32(index + 1), of: statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
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
    case .bytes([], isText: false): sqlite3_bind_zeroblob(statement, number, 0)
    case .bytes(let bytes, isText: false):
      sqlite3_bind_blob(statement, number, bytes, Int32(bytes.count), Self.copy)
    case .bytes(let bytes, isText: true):
      bytes.withUnsafeBytes { text in
        _ = sqlite3_bind_text(
          statement, number, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
          Self.copy)
      }
    case .text(let value): sqlite3_bind_text(statement, number, value, -1, Self.copy)
    }
  }

  private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}
