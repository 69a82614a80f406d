import CKindredSQLite
import KindredSystem

/// Something that statements name, and that only the program has by which a database was made.
public enum MissingPart: Hashable, Sendable {
  /// An application-defined function (<https://www.sqlite.org/appfunc.html>).
  case function(String)
  /// A collation (<https://www.sqlite.org/c3ref/create_collation.html>).
  case collation(String)
  /// A module of virtual tables (<https://www.sqlite.org/vtab.html>).
  case module(String)

  /// The name, as the schema spells it.
  public var name: String {
    switch self {
    case .function(let name), .collation(let name), .module(let name): name
    }
  }
}

extension DatabaseError {
  /// What the statement names and this process lacks; nil for other errors.
  public var missingPart: MissingPart? {
    guard code == SQLITE_ERROR else { return nil }
    func name(after prefix: String, dropping suffix: Int = 0) -> String? {
      text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count).dropLast(suffix)) : nil
    }
    if let name = name(after: "no such function: ") { return .function(name) }
    // Expressions of the schema are only looked up when they are compiled.
    if let name = name(after: "unknown function: ", dropping: 2) { return .function(name) }
    if let name = name(after: "no such collation sequence: ") { return .collation(name) }
    return name(after: "no such module: ").map { .module($0) }
  }
}

/// Collations that compare by bytes in place of collations that the schema names and this process lacks.
///
/// Without them, SQLite refuses every statement that opens an index of such a collation, even to count its entries.
/// With them, it would search that index in the wrong order: statements must compare such columns explicitly, and nothing
/// may be written.
final class CollationStandIns {
  private(set) var areAllowed: Bool
  /// Whether a statement needed one that wasn't allowed.
  var hasRefused = false
  private let handle: OpaquePointer
  private var names: Set<String> = []

  init(of handle: OpaquePointer, areAllowed: Bool) {
    self.handle = handle
    self.areAllowed = areAllowed
    sqlite3_collation_needed(
      handle, Unmanaged.passUnretained(self).toOpaque(),
      { context, _, _, name in
        guard let context, let name else { return }
        Unmanaged<CollationStandIns>.fromOpaque(context).takeUnretainedValue().add(name)
      })
  }

  private func add(_ name: UnsafePointer<CChar>) {
    guard areAllowed else {
      hasRefused = true
      return
    }
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        guard let left, let right, leftCount > 0, rightCount > 0 else { return leftCount - rightCount }
        let order = memcmp(left, right, Int(min(leftCount, rightCount)))
        return order == 0 ? leftCount - rightCount : order
      }, nil)
    if code == SQLITE_OK { names.insert(String(cString: name)) }
  }

  func allow(_ areAllowed: Bool) {
    self.areAllowed = areAllowed
    if !areAllowed { remove() }
  }

  /// Removes the collations; SQLite refuses while a statement uses one, which the next call then removes.
  private func remove() {
    // SQLite prepares statements that use one again, which then fail.
    names = names.filter { sqlite3_create_collation_v2(handle, $0, SQLITE_UTF8, nil, nil, nil) != SQLITE_OK }
  }

  /// Removes the collations before anything is written.
  ///
  /// - Throws: `DatabaseError` (busy) if one can't be removed, with which an index would be written in the wrong order.
  func removeForWriting() throws {
    guard !areAllowed, !names.isEmpty else { return }
    remove()
    guard !names.isEmpty else { return }
    throw DatabaseError(
      extendedCode: SQLITE_BUSY, message: "a statement that runs needs a collation in place of a missing one")
  }

  /// To be called before the connection is closed, as what is called back doesn't outlive this object.
  func detach() { sqlite3_collation_needed(handle, nil, nil) }
}

extension Connection {
  /// Runs `body` with or without stand-ins for the collations that this process lacks.
  public func withCollationStandIns<Result>(_ areAllowed: Bool, _ body: () throws -> Result) rethrows
    -> Result
  {
    let before = collationStandIns.areAllowed
    collationStandIns.allow(areAllowed)
    defer {
      collationStandIns.allow(before)
      // Once a collation was missing, SQLite doesn't read the indexes again that have it, and not even a table without
      // rowid, until it reads the schema again.
      if before, !areAllowed, collationStandIns.hasRefused { try? execute("PRAGMA writable_schema = RESET") }
      collationStandIns.hasRefused = false
    }
    return try body()
  }

  /// Prepares a statement that is not going to be run, and returns what it names that this process lacks.
  ///
  /// Other errors are ignored: they are those of the statement, when it is run.
  public func partsMissing(for sql: String) -> [MissingPart] {
    var missing: [MissingPart] = []
    changeRecorder?.isPaused = true
    defer {
      changeRecorder?.isPaused = false
      removeFunctionStandIns()
    }
    removeFunctionStandIns()
    while true {
      do {
        return try withExtendedLifetime(prepare(sql)) { missing }
      } catch let error as DatabaseError {
        guard let part = error.missingPart, !missing.contains(part) else { return missing }
        missing.append(part)
        // Only the first one is reported. A collation that is missing ends the search, as it has no harmless stand-in.
        guard case .function(let name) = part, addFunctionStandIn(name) else { return missing }
      } catch {
        return missing
      }
    }
  }

  /// Adds a function that fails as the missing one does, and returns whether it could.
  ///
  /// While a statement runs, SQLite wouldn't remove it again.
  private func addFunctionStandIn(_ name: String) -> Bool {
    guard !hasRunningStatements else { return false }
    // SQLite frees the name also if this fails.
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8, strdup("no such function: \(name)"),
      { call, _, _ in
        sqlite3_result_error(call, sqlite3_user_data(call)?.assumingMemoryBound(to: CChar.self), -1)
      }, nil, nil, { free($0) })
    if code == SQLITE_OK { functionStandIns.insert(name) }
    return code == SQLITE_OK
  }

  private func removeFunctionStandIns() {
    functionStandIns = functionStandIns.filter {
      sqlite3_create_function_v2(handle, $0, -1, SQLITE_UTF8, nil, nil, nil, nil, nil) != SQLITE_OK
    }
  }
}
