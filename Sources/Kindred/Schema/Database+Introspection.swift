import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A column of a table, as the schema declares it (<https://www.sqlite.org/pragma.html#pragma_table_xinfo>).
public struct ColumnInfo: FetchableRecord, Hashable, Sendable {
  /// The name.
  public let name: String
  /// The declared type; empty if there is none.
  public let type: String
  /// Whether NULL is forbidden.
  public let isNotNull: Bool
  /// The default value as SQL; nil if there is none.
  public let defaultValueSQL: String?
  /// The position in the primary key from 1; 0 if the column is no part of it.
  public let primaryKeyIndex: Int
  /// The position in the table from 0.
  public let cid: Int

  /// Creates the information from a row of the pragma.
  public init(row: Row) throws {
    name = try row.decode(forKey: "name")
    type = try row.decode(forKey: "type")
    isNotNull = try row.decode(forKey: "notnull")
    defaultValueSQL = try row.decode(forKey: "dflt_value")
    primaryKeyIndex = try row.decode(forKey: "pk")
    cid = try row.decode(forKey: "cid")
  }

  /// The declared type; nil if there is none.
  public var columnType: ColumnType? { type.isEmpty ? nil : ColumnType(rawValue: type) }
}

/// The primary key of a table.
public struct PrimaryKeyInfo: Hashable, Sendable {
  /// The columns; the rowid's name if the table declares no primary key.
  public let columns: [String]
  /// The name of the column that is the rowid; nil if there is none.
  public let rowIDColumn: String?
  /// Whether it is the rowid, which no column of the table has.
  public let isRowID: Bool
  /// The columns as the table declares them; nil if it declares no primary key.
  public let columnInfos: [ColumnInfo]?
  /// Whether the table has a rowid (<https://www.sqlite.org/withoutrowid.html>).
  public let tableHasRowID: Bool
}

/// A foreign key of a table.
public struct ForeignKeyInfo: Hashable, Sendable {
  /// The number of the foreign key in its table.
  public let id: Int
  /// The table with the foreign key.
  public let originTable: String
  /// The table that it refers to.
  public let destinationTable: String
  /// The referring columns, with the columns that they refer to.
  public let mapping: [Pair]

  /// A referring column, with the one that it refers to.
  public struct Pair: Hashable, Sendable {
    /// The referring column.
    public let origin: String
    /// The column that is referred to.
    public let destination: String
  }

  /// The referring columns.
  public var originColumns: [String] { mapping.map(\.origin) }
  /// The columns that are referred to.
  public var destinationColumns: [String] { mapping.map(\.destination) }
}

extension Database {
  /// Returns the columns of a table, in order.
  ///
  /// - Parameters:
  ///   - table: The name of the table or view.
  ///   - schema: The name of its database; the first one that has the table by default.
  /// - Throws: `DatabaseError` if there is no such table.
  public func columns(in table: String, in schema: String? = nil) throws -> [ColumnInfo] {
    // Hidden columns are those of virtual tables (1); generated columns (2, 3) are ordinary ones to a reader.
    let columns = try ColumnInfo.fetchAll(
      self, sql: "SELECT * FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1 ORDER BY cid",
      arguments: [table, schema])
    if columns.isEmpty { throw try missingTable(table) }
    return columns
  }

  /// Returns the primary key of a table.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - schema: The name of its database; the first one that has the table by default.
  /// - Throws: `DatabaseError` if there is no such table.
  public func primaryKey(_ table: String, in schema: String? = nil) throws -> PrimaryKeyInfo {
    if schema != nil { _ = try columns(in: table, in: schema) }
    let known = try self.table(table)
    let isRowID = known.primaryKey.isEmpty || known.declaredColumns.count != known.columns.count
    return PrimaryKeyInfo(
      columns: known.orderedKey, rowIDColumn: isRowID ? nil : known.rowIDColumn, isRowID: isRowID,
      columnInfos: isRowID
        ? nil
        : try columns(in: table, in: schema).filter { $0.primaryKeyIndex > 0 }
          .sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }, tableHasRowID: known.rowIDName != nil)
  }

  /// Returns the foreign keys of a table.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - schema: The name of its database; the first one that has the table by default.
  /// - Throws: `DatabaseError` if there is no such table, or a table that it refers to.
  public func foreignKeys(on table: String, in schema: String? = nil) throws -> [ForeignKeyInfo] {
    if schema != nil { _ = try columns(in: table, in: schema) }
    let name = try self.table(table).name
    let rows = try Row.fetchAll(
      self, sql: "SELECT * FROM pragma_foreign_key_list(?, ?) ORDER BY id, seq", arguments: [name, schema])
    return try Dictionary(grouping: rows) { try $0.decode(Int.self, forKey: "id") }
      .sorted { $0.key < $1.key }
      .map { id, rows in
        let destination = try rows[0].decode(String.self, forKey: "table")
        let key = try rows.allSatisfy { $0.hasNull(forColumn: "to") } ? primaryKey(destination).columns : []
        let pairs = try rows.enumerated().map { index, row in
          ForeignKeyInfo.Pair(
            origin: try row.decode(forKey: "from"),
            destination: try row.decodeIfPresent(forColumn: "to")
              ?? (key.indices.contains(index) ? key[index] : ""))
        }
        return ForeignKeyInfo(id: id, originTable: name, destinationTable: destination, mapping: pairs)
      }
  }

  /// Returns the indexes of a table.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - schema: The name of its database; the first one that has the table by default.
  /// - Throws: `DatabaseError` if there is no such table.
  public func indexes(on table: String, in schema: String? = nil) throws -> [IndexInfo] {
    if schema != nil { _ = try columns(in: table, in: schema) }
    let name = try self.table(table).name
    let rows = try Row.fetchAll(
      self, sql: "SELECT * FROM pragma_index_list(?, ?) ORDER BY seq", arguments: [name, schema])
    return try rows.map { row in
      let index: String = try row.decode(forKey: "name")
      let columns = try String.fetchAll(
        self, sql: "SELECT name FROM pragma_index_info(?, ?) WHERE name IS NOT NULL ORDER BY seqno",
        arguments: [index, schema])
      return IndexInfo(
        name: index, columns: columns, isUnique: try row.decode(forKey: "unique"),
        origin: IndexInfo.Origin(rawValue: try row.decode(forKey: "origin")))
    }
  }

  /// Returns whether no two rows of a table have equal values in these columns, in any order.
  ///
  /// - Throws: `DatabaseError` if there is no such table.
  public func table(_ table: String, hasUniqueKey columns: some Collection<String>) throws -> Bool {
    let known = try self.table(table)
    return known.isUnique(columns.map { known.column(named: $0)?.name ?? $0 })
  }

  /// Returns whether there is a table with a name, ignoring case.
  ///
  /// - Parameters:
  ///   - name: The name of the table.
  ///   - schema: The name of its database; any by default.
  /// - Throws: `DatabaseError`.
  public func tableExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists("table", name, in: schema)
  }

  /// Returns whether there is a view with a name, ignoring case.
  ///
  /// - Throws: `DatabaseError`.
  public func viewExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists("view", name, in: schema)
  }

  /// Returns whether there is a trigger with a name, ignoring case.
  ///
  /// - Throws: `DatabaseError`.
  public func triggerExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists("trigger", name, in: schema)
  }

  /// Returns whether there is an index with a name, ignoring case.
  ///
  /// - Throws: `DatabaseError`.
  public func indexExists(_ name: String, in schema: String? = nil) throws -> Bool {
    try exists("index", name, in: schema)
  }

  private func exists(_ type: String, _ name: String, in schema: String?) throws -> Bool {
    let databases = try schema.map { [$0] } ?? ["main", "temp"] + connection.attachedDatabases
    return try databases.contains { database in
      try Bool.fetchOne(
        self,
        sql: """
          SELECT EXISTS (SELECT * FROM \(SQLText.quoted(database)).sqlite_schema
            WHERE type = ? AND name = ? COLLATE NOCASE)
          """,
        arguments: [type, name]) ?? false
    }
  }
}
