import KindredModel
import KindredSQLSyntax

/// The SQL that has been made for record types.
struct RecordStatements: Sendable {
  /// The SQL of their writes.
  let writes = RecordStatementCache()
  /// The SQL that fetches them by their keys.
  let keyRequests = RecordTypeCache<KeyRequest?>()
  /// The SQL that deletes them by their keys.
  let keyDeletions = RecordTypeCache<StatementText>()
  /// The columns that hold the rowids of their tables.
  let rowIDColumns = RecordTypeCache<String?>()
  /// The plans of requests.
  let plans = RequestPlanCache()
}

extension RecordStatement {
  /// Returns the values to bind.
  func values(of record: PersistenceContainer) -> [SQLValue] { bound.map { record.storage[$0] } }
}

extension Database {
  /// Returns the statement that inserts a record.
  func insertion<Record: TableRecord>(
    _ type: Record.Type, _ record: PersistenceContainer, _ operation: RecordStatement.Operation
  ) throws -> RecordStatement {
    context.recordStatements.writes.statement(
      of: ObjectIdentifier(type), table: type.databaseTableName, operation, columns: record.columns,
      version: nil
    ) {
      let head = "INSERT \(operation.conflict.clause)INTO \(SQLText.quoted(type.databaseTableName))"
      let names = record.columns.map { SQLText.quoted($0) }.joined(separator: ", ")
      let values = record.columns.map { _ in "?" }.joined(separator: ", ")
      let columns = record.columns.isEmpty ? "DEFAULT VALUES" : "(\(names)) VALUES (\(values))"
      return RecordStatement(
        text: StatementText("\(head) \(columns)\(operation.returningClause)"),
        bound: Array(record.columns.indices))
    }
  }

  /// Returns the statement that updates, deletes or looks for a record by its primary key.
  ///
  /// - Throws: `DatabaseError` if the table doesn't exist, or has no primary key.
  func statement<Record: TableRecord>(
    _ type: Record.Type, _ record: PersistenceContainer, _ operation: RecordStatement.Operation
  ) throws -> RecordStatement {
    let version = try versionOfSchema
    return try recordStatements(version).writes.statement(
      of: ObjectIdentifier(type), table: type.databaseTableName, operation, columns: record.columns,
      version: version
    ) {
      let key = try keyPositions(of: type, record)
      func list(_ positions: [Int], _ separator: String) -> String {
        positions.map { "\(SQLText.quoted(record.columns[$0])) = ?" }.joined(separator: separator)
      }
      let table = SQLText.quoted(type.databaseTableName)
      let condition = list(key, " AND ")
      switch operation.kind {
      case .insert: return try insertion(type, record, operation)
      case .upsert: throw DatabaseError.misuse("an upsert has a statement of another kind")
      case .delete:
        return RecordStatement(
          text: StatementText("DELETE FROM \(table) WHERE \(condition)"), bound: key, key: key)
      case .exists:
        return RecordStatement(
          text: StatementText("SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))"), bound: key,
          key: key)
      case .update:
        let others = record.columns.indices.filter { index in
          !key.contains(index) && operation.columns?.contains(record.columns[index].foldingASCIICase) ?? true
        }
        // A record that consists of its key updates the key to itself, to find out whether the row exists.
        let set = others.isEmpty ? key : others
        let head = "UPDATE \(operation.conflict.clause)\(table) SET \(list(set, ", "))"
        return RecordStatement(
          text: StatementText("\(head) WHERE \(condition)\(operation.returningClause)"), bound: set + key,
          key: key)
      }
    }
  }

  /// Returns the positions in a record of the columns of its primary key.
  ///
  /// - Throws: `DatabaseError` if the table doesn't exist; `RecordKeyError` if the record doesn't encode the key.
  func keyPositions<Record: TableRecord>(
    of type: Record.Type, _ record: PersistenceContainer
  ) throws -> [Int] {
    let names = try table(type.databaseTableName).orderedKey
    let positions = names.compactMap(record.position)
    guard !names.isEmpty, positions.count == names.count else {
      throw RecordKeyError.missingPrimaryKey(databaseTableName: type.databaseTableName, columns: names)
    }
    return positions
  }
}

extension RecordStatement.Operation {
  fileprivate var returningClause: String { returning.isEmpty ? "" : " RETURNING \(returning)" }
}

extension Database {
  /// What happens to a statement that violates a constraint (<https://www.sqlite.org/lang_conflict.html>).
  public enum ConflictResolution: String, Sendable {
    /// It fails, and the transaction is rolled back.
    case rollback = "ROLLBACK"
    /// It fails, and has no effect.
    case abort = "ABORT"
    /// It fails, and keeps the rows that it has written.
    case fail = "FAIL"
    /// The row is skipped.
    case ignore = "IGNORE"
    /// The rows that are in its way are deleted.
    case replace = "REPLACE"

    /// The clause of a statement; empty for SQLite's default.
    var clause: String { self == .abort ? "" : "OR \(rawValue) " }
  }
}

/// What happens to inserts and updates of a record that violate a constraint.
public struct PersistenceConflictPolicy: Hashable, Sendable {
  /// What happens to inserts.
  public var conflictResolutionForInsert: Database.ConflictResolution
  /// What happens to updates.
  public var conflictResolutionForUpdate: Database.ConflictResolution

  /// Creates a policy; by default, both fail and have no effect.
  public init(
    insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
  ) {
    conflictResolutionForInsert = insert
    conflictResolutionForUpdate = update
  }
}
