import CKindredSQLite
import KindredSQLite

/// A listener to what a connection does.
///
/// It must not use the connection while it is called.
protocol ConnectionListener: AnyObject {
  /// Whether it listens to changes of rows, which disables the shortcut by which SQLite empties tables.
  var listensToRows: Bool { get }
  /// Whether it listens to the ends of statements.
  var listensToEnds: Bool { get }

  /// Called when a statement starts, or a trigger of one.
  ///
  /// - Parameter comment: A text that names the trigger; nil for a statement.
  func statementStarts(_ statement: TracedStatement, comment: String?)

  /// Called when a statement has ended, with its duration in nanoseconds.
  func statementEnds(_ statement: TracedStatement, nanoseconds: Int64)

  /// Called when a row has been inserted (`SQLITE_INSERT`), updated or deleted.
  func rowChanges(_ operation: Int32, database: String, table: String, rowID: Int64)

  /// Called before a commit; returns false to turn it into a rollback.
  func commits() -> Bool

  /// Called when a transaction is rolled back.
  func rollsBack()
}

extension ConnectionListener {
  var listensToRows: Bool { false }
  var listensToEnds: Bool { false }
  func statementStarts(_ statement: TracedStatement, comment: String?) {}
  func statementEnds(_ statement: TracedStatement, nanoseconds: Int64) {}
  func rowChanges(_ operation: Int32, database: String, table: String, rowID: Int64) {}
  func commits() -> Bool { true }
  func rollsBack() {}
}

/// What is kept with a connection from one access to the next.
protocol ConnectionMemory: AnyObject {
  /// Forgets what depends on the schema, since the same version may stand for another one.
  func forgetSchema()

  /// Forgets what has been changed, because it has been rolled back.
  func forgetChanges()
}

/// The callbacks of a connection, of which SQLite has one of each kind, shared by all who listen.
final class ConnectionHooks {
  private let handle: OpaquePointer
  private var listeners: [any ConnectionListener] = []
  private var listensToRows = false
  /// What observers keep with the connection.
  var memory: (any ConnectionMemory)?
  /// The number of transactions that have been rolled back since the callbacks were set.
  private(set) var rollbacks = 0
  /// The table that the statement being prepared drops.
  private var dropped: String?

  private init(_ handle: OpaquePointer) {
    self.handle = handle
    sqlite3_rollback_hook(
      handle, { context in context.map { ConnectionHooks.hooks($0).rollsBack() } },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns the callbacks of a connection, which live as long as it does.
  static func of(_ connection: Connection) -> ConnectionHooks {
    if let known = connection.attachment as? ConnectionHooks { return known }
    let hooks = ConnectionHooks(connection.handle)
    connection.attachment = hooks
    return hooks
  }

  func add(_ listener: any ConnectionListener) {
    guard !listeners.contains(where: { $0 === listener }) else { return }
    listeners.append(listener)
    install()
  }

  func remove(_ listener: any ConnectionListener) {
    guard listeners.contains(where: { $0 === listener }) else { return }
    listeners.removeAll { $0 === listener }
    install()
  }

  /// Returns the first listener of a type.
  func listener<Listener: ConnectionListener>(of type: Listener.Type) -> Listener? {
    for listener in listeners {
      if let found = listener as? Listener { return found }
    }
    return nil
  }

  // MARK: Callbacks

  private func install() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard !listeners.isEmpty else {
      sqlite3_trace_v2(handle, 0, nil, nil)
      sqlite3_commit_hook(handle, nil, nil)
      setListensToRows(false)
      return
    }
    let ends = listeners.contains { $0.listensToEnds } ? SQLITE_TRACE_PROFILE : 0
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT | ends),
      { event, context, statement, detail in
        context.map { ConnectionHooks.hooks($0).trace(event, statement.map { OpaquePointer($0) }, detail) }
        return 0
      }, context)
    sqlite3_commit_hook(
      handle,
      { context in
        // Any result but 0 turns the commit into a rollback.
        context.map { ConnectionHooks.hooks($0).listeners.allSatisfy { $0.commits() } ? 0 : 1 } ?? 0
      }, context)
    setListensToRows(listeners.contains { $0.listensToRows })
  }

  private func rollsBack() {
    rollbacks += 1
    memory?.forgetChanges()
    memory?.forgetSchema()
    for listener in listeners { listener.rollsBack() }
  }

  private static func hooks(_ context: UnsafeMutableRawPointer) -> ConnectionHooks {
    Unmanaged<ConnectionHooks>.fromOpaque(context).takeUnretainedValue()
  }

  private func trace(_ event: UInt32, _ statement: OpaquePointer?, _ detail: UnsafeMutableRawPointer?) {
    guard let statement else { return }
    let traced = TracedStatement(statement)
    defer { traced.end() }
    guard event == UInt32(SQLITE_TRACE_STMT) else {
      let nanoseconds = detail?.load(as: Int64.self) ?? 0
      for listener in listeners { listener.statementEnds(traced, nanoseconds: nanoseconds) }
      return
    }
    // A trigger is traced as a comment. The statement's own text may begin with one, too.
    let text = detail.map { $0.assumingMemoryBound(to: CChar.self) }
    let own = sqlite3_sql(statement)
    let isComment = text.map { $0[0] == 0x2D && $0[1] == 0x2D && UnsafePointer($0) != own } ?? false
    let comment = isComment ? text.map { String(cString: $0) } : nil
    for listener in listeners { listener.statementStarts(traced, comment: comment) }
  }

  private func setListensToRows(_ listens: Bool) {
    guard listens != listensToRows else { return }
    listensToRows = listens
    let context = listens ? Unmanaged.passUnretained(self).toOpaque() : nil
    sqlite3_update_hook(
      handle,
      listens
        ? { context, operation, database, table, rowID in
          guard let context, let database, let table else { return }
          for listener in ConnectionHooks.hooks(context).listeners {
            listener.rowChanges(
              operation, database: String(cString: database), table: String(cString: table), rowID: rowID)
          }
        } : nil, context)
    setAuthorizer()
  }

  // MARK: Authorizer

  /// Runs `body` while SQLite reports to a callback what the statements do that are prepared.
  func withAuthorizer<Result>(
    _ context: UnsafeMutableRawPointer, _ callback: Authorizer, _ body: () throws -> Result
  ) rethrows -> Result {
    sqlite3_set_authorizer(handle, callback, context)
    defer { setAuthorizer() }
    return try body()
  }

  /// The callback of `sqlite3_set_authorizer` (<https://www.sqlite.org/c3ref/set_authorizer.html>).
  typealias Authorizer =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?
    ) -> Int32

  /// Sets the authorizer that applies by default: none, or one by which SQLite reports each row of a table that a
  /// statement empties.
  private func setAuthorizer() {
    guard listensToRows else {
      sqlite3_set_authorizer(handle, nil, nil)
      return
    }
    sqlite3_set_authorizer(
      handle,
      { context, action, name, _, _, _ in
        guard let context else { return SQLITE_OK }
        return ConnectionHooks.hooks(context).authorize(action, name)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func authorize(_ action: Int32, _ name: UnsafePointer<CChar>?) -> Int32 {
    switch action {
    case SQLITE_DROP_TABLE, SQLITE_DROP_VIEW, SQLITE_DROP_VTABLE, SQLITE_DROP_TEMP_TABLE,
      SQLITE_DROP_TEMP_VIEW:
      dropped = name.map { String(cString: $0) }
      return SQLITE_OK
    case SQLITE_DELETE:
      guard let table = name.map({ String(cString: $0) }), !table.hasPrefix("sqlite_") else {
        return SQLITE_OK
      }
      defer { dropped = nil }
      // For a statement that drops a table, SQLite asks too, and would then ignore the whole statement.
      return table == dropped ? SQLITE_OK : SQLITE_IGNORE
    default: return SQLITE_OK
    }
  }
}

/// A statement that SQLite reports, valid as long as its event.
final class TracedStatement {
  private var statement: OpaquePointer?
  /// Identifies the statement as long as it exists; nil after the event.
  var handle: OpaquePointer? { statement }
  /// Whether the statement doesn't change the database.
  var isReadOnly: Bool { statement.map { sqlite3_stmt_readonly($0) != 0 } ?? true }
  /// The SQL of the statement, without the values of its parameters.
  let sql: String

  init(_ statement: OpaquePointer) {
    self.statement = statement
    sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
  }

  /// The SQL with the values of its parameters; without them after the event.
  var expandedSQL: String {
    guard let statement, let text = sqlite3_expanded_sql(statement) else { return sql }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  func end() { statement = nil }
}
