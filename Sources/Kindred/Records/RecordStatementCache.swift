import KindredSQLSyntax
import Synchronization

/// The SQL of a write of records, and the columns whose values it binds.
struct RecordStatement: Sendable {
  /// What a record is written by, apart from its table and columns.
  struct Operation: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case insert, update, delete, exists
      /// An upsert without assignments: its target, and whether it overwrites the other columns.
      case upsert(onConflict: [String], updating: UpsertUpdateStrategy)
    }

    var kind: Kind
    var conflict: Database.ConflictResolution = .abort
    /// The columns that an update sets, in lower case; nil for all.
    var columns: Set<String>?
    /// The selection of the `RETURNING` clause; empty for none.
    var returning = ""
  }

  let text: StatementText
  /// The positions in the record of the columns whose values are bound, in order.
  let bound: [Int]
  /// The positions in the record of the columns of the primary key, if the statement looks for it.
  var key: [Int] = []
  /// Whether the last column that the statement returns is the rowid, which was added.
  var returnsRowID = false
}

/// The statement that fetches a record by the value of its primary key, and what binds its key.
struct KeyRequest: Sendable {
  let text: StatementText
  let layout: RowLayout
  /// The values of the parameters; that of the key is in the place of `key`.
  let values: [SQLValue]
  let key: Int
}

/// What has been found once for each record type, and is found again for another table or schema.
final class RecordTypeCache<Value: Sendable>: Sendable {
  private struct Entry {
    let table: String
    let version: DatabaseSchema.Version
    let value: Value
  }

  /// The maximum number of types.
  private static var capacity: Int { 500 }

  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  /// Returns the value of a type, found by `find` unless it is known.
  func value(
    of type: ObjectIdentifier, table: String, version: DatabaseSchema.Version, _ find: () throws -> Value
  ) rethrows -> Value {
    if let known = entries.withLock({ $0[type] }), known.version == version, known.table == table {
      return known.value
    }
    let value = try find()
    entries.withLock { entries in
      if entries.count >= Self.capacity { entries = [:] }
      entries[type] = Entry(table: table, version: version, value: value)
    }
    return value
  }
}

/// The SQL of the writes of records, made once for each type, operation, and list of columns.
///
/// A record of a type nearly always encodes the same columns, so that finding its SQL compares a few names.
final class RecordStatementCache: Sendable {
  private struct Entry {
    let operation: RecordStatement.Operation
    let table: String
    let columns: [String]
    /// The schema that has the primary key; nil if the statement depends on none.
    let version: DatabaseSchema.Version?
    let statement: RecordStatement
  }

  /// The maximum number of statements of one type, and of types.
  private static let capacity = (statements: 32, types: 500)

  private let entries = Mutex<[ObjectIdentifier: [Entry]]>([:])

  /// Returns a statement, made by `make` unless it is known.
  func statement(
    of type: ObjectIdentifier, table: String, _ operation: RecordStatement.Operation, columns: [String],
    version: DatabaseSchema.Version?, _ make: () throws -> RecordStatement
  ) rethrows -> RecordStatement {
    let known = entries.withLock { entries in
      // Few operations are compared faster than one is hashed.
      entries[type]?.first {
        $0.operation == operation && $0.columns == columns && $0.table == table && $0.version == version
      }
    }
    if let known { return known.statement }
    let entry = Entry(
      operation: operation, table: table, columns: columns, version: version, statement: try make())
    entries.withLock { entries in
      if entries.count >= Self.capacity.types { entries = [:] }
      let others = (entries[type] ?? []).filter {
        $0.version == nil || version == nil || $0.version == version
      }
      entries[type] = [entry] + others.prefix(Self.capacity.statements - 1)
    }
    return entry.statement
  }
}
