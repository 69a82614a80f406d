import KindredPlanning
import KindredSQLite
import KindredSQLSyntax

/// Creates the transient tables of a connection, and refills them when the database has changed.
enum TransientTables {
  /// The temporary table that records which state of the database each transient table holds.
  private static let ledger = "kindred:transient"

  /// Makes the rows of a transient table those of the snapshot.
  ///
  /// - Parameter storeParents: Stores the keys that are going to be looked up, and returns false if there are too many; nil
  ///   if they aren't known. For the first request in a state of the database, the table gets their rows alone, since the
  ///   database may change before the next request.
  static func refresh(
    _ table: TransientTable, on connection: Connection,
    storeParents: ((_ columns: [Int]) throws -> Bool)? = nil
  ) throws {
    // Inside the transaction this is the version of the snapshot.
    let version = try connection.dataVersion
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS \"\(ledger)\" (name TEXT PRIMARY KEY, definition TEXT, version INTEGER, isWhole INTEGER)"
    )
    let definition = table.create + table.fill
    let made = try connection.withStatement(
      "SELECT version, isWhole FROM temp.\"\(ledger)\" WHERE name = ?1 AND definition = ?2"
    ) { statement -> (version: Int64, isWhole: Bool)? in
      try statement.bind([.text(table.name), .text(definition)])
      return try statement.step() ? (statement.int64(0), statement.int64(1) != 0) : nil
    }
    // The version does not change with the connection's own writes, so a writing connection always refills; nor with the
    // time.
    guard
      made?.version != version || made?.isWhole == false || !connection.isReadOnly || !table.isTimeless
    else { return }
    var fill = table.fill
    if made?.version != version, connection.isReadOnly, let columns = table.parents,
      let part = table.fillForParents, try storeParents?(columns) ?? false
    {
      fill = part
    }
    try connection.savepoint {
      if made == nil {
        try connection.execute("DROP TABLE IF EXISTS temp.\(SQL.quoted(table.name))")
        try connection.execute(table.create)
      } else {
        try connection.execute("DELETE FROM temp.\(SQL.quoted(table.name))")
      }
      try connection.execute(fill)
      try connection.withStatement("INSERT OR REPLACE INTO temp.\"\(ledger)\" VALUES (?1, ?2, ?3, ?4)") {
        statement in
        try statement.bind([
          .text(table.name), .text(definition), .integer(version), .integer(fill == table.fill ? 1 : 0),
        ])
        _ = try statement.step()
      }
    }
  }

  /// The number of columns of the table of keys.
  private static let maximumKeyColumns = 8

  /// Stores the values of columns of a statement's rows as the keys of parents.
  ///
  /// - Parameter bind: Makes the statement ready to run.
  /// - Returns: False if there are too many rows or columns.
  static func storeParents(
    _ columns: [Int], of root: Statement, atMost maximum: Int, on connection: Connection,
    _ bind: () throws -> Void
  ) throws -> Bool {
    guard columns.count <= maximumKeyColumns else { return false }
    let name = "temp.\(SQL.quoted(TransientTable.parentKeys))"
    let all = (0..<maximumKeyColumns).map { "k\($0)" }.joined(separator: ", ")
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS \(SQL.quoted(TransientTable.parentKeys)) (\(all)); DELETE FROM \(name)"
    )
    let own = columns.indices.map { "k\($0)" }.joined(separator: ", ")
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    return try connection.withStatement("INSERT INTO \(name) (\(own)) VALUES (\(places))") { insertion in
      try bind()
      defer { root.reset() }
      var count = 0
      while try root.step() {
        count += 1
        guard count <= maximum else { return false }
        for (number, column) in columns.enumerated() {
          try insertion.bind(column: Int32(column), of: root, at: Int32(number + 1))
        }
        _ = try insertion.step()
        insertion.reset()
      }
      return true
    }
  }
}
