import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// Reads the indexes of tables, and the keys that follow from them
/// (<https://www.sqlite.org/pragma.html#pragma_index_list>).
struct IndexReader {
  let connection: Connection
  /// `main`, `temp`, or the name of an attached database.
  let database: String

  /// Adds the indexes and the unique keys of a table whose columns and primary key are known.
  func readIndexes(of draft: inout TableDraft) throws {
    let indexes = try connection.rows(
      """
      SELECT name, "unique", origin FROM pragma_index_list(?, ?) WHERE NOT partial ORDER BY seq DESC
      """, [.text(draft.name), .text(database)]
    ) { (name: $0.text(0) ?? "", isUnique: $0.int64(1) != 0, isPrimaryKey: $0.text(2) == "pk") }

    if draft.primaryKey.count == 1, !indexes.contains(where: \.isPrimaryKey), draft.uniqueKeys.isEmpty {
      // INTEGER PRIMARY KEY: the table itself is the index, and inserting NULL generates the next number.
      let key = draft.primaryKey[0]
      let column = draft.columns[key]
      draft.columns[key] = Column(
        name: column.name, declaredType: column.declaredType, collation: column.collation, isNullable: false,
        isGenerated: column.isGenerated, hasDefault: true)
      draft.addKey([key])
    } else if draft.uniqueKeys.isEmpty, !draft.primaryKey.isEmpty {
      let key =
        try indexes.first(where: \.isPrimaryKey).map { try indexEntries(of: $0.name, in: draft) } ?? []
      for entry in key where !entry.isUniquelyCompared {
        if let position = entry.position { draft.columns[position].keyCollation = entry.collation }
      }
      // Values that the index tells apart may be equal to the columns.
      if key.allSatisfy(\.isUniquelyCompared) { draft.uniqueKeys.append(draft.primaryKey) }
    }
    try readPartialIndexes(of: &draft)
    for index in indexes {
      let entries = try indexEntries(of: index.name, in: draft)
      if let first = entries.first, let column = first.position, entries.count == 1, first.collation == nil,
        !first.isDescending
      {
        draft.orderingIndexes.append(OrderingIndex(name: index.name, column: draft.columns[column].name))
      }
      draft.indexes.append(
        Index(
          columns: entries.map { $0.position.map { draft.columns[$0].name } },
          collations: entries.map(\.collation), isUnique: index.isUnique, orders: entries.map(\.order)))
      guard index.isUnique, !index.isPrimaryKey else { continue }
      let key = entries.filter(\.isUniquelyCompared).compactMap(\.position)
      if key.count == entries.count { draft.uniqueKeys.append(key) }
    }
  }

  /// Adds the indexes of the records that meet tests for NULL.
  private func readPartialIndexes(of draft: inout TableDraft) throws {
    let definitions = try connection.rows(
      """
      SELECT name, sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type = 'index' AND name IN \
      (SELECT name FROM pragma_index_list(?, ?) WHERE partial)
      """, [.text(draft.name), .text(database)]
    ) { (name: $0.text(0) ?? "", sql: $0.text(1) ?? "") }
    for definition in definitions {
      let condition = SQLTokens.all(in: definition.sql).drop { !$0.isKeyword("where") }.dropFirst()
      guard let tests = Index.NullTest.all(in: condition, column: draft.columnName) else { continue }
      let entries = try indexEntries(of: definition.name, in: draft)
      draft.partialIndexes.append(
        Index(
          columns: entries.map { $0.position.map { draft.columns[$0].name } },
          collations: entries.map(\.collation), orders: entries.map(\.order), tests: tests))
    }
  }

  /// A column or an expression of an index.
  private struct IndexEntry {
    /// The position among the columns of the table; nil for an expression.
    let position: Int?
    /// The collation of the index; nil if it is that of the column.
    let collation: String?
    /// Whether values that the column's collation considers equal are also equal in the index.
    let isUniquelyCompared: Bool
    let isDescending: Bool

    /// The order of its values, of which NULLs are the least.
    var order: Index.Order { Index.Order(isDescending: isDescending, nullsComeFirst: !isDescending) }
  }

  private func indexEntries(of index: String, in draft: TableDraft) throws -> [IndexEntry] {
    try connection.rows(
      "SELECT name, coll, \"desc\" FROM pragma_index_xinfo(?, ?) WHERE key ORDER BY seqno",
      [.text(index), .text(database)]
    ) { row in
      guard let name = row.text(0), let position = draft.columns.firstIndex(where: { $0.name == name }) else {
        return IndexEntry(position: nil, collation: nil, isUniquelyCompared: false, isDescending: false)
      }
      let own = draft.columns[position].collation
      let collation = row.text(1) ?? "BINARY"
      let isOwn = own.equalsIgnoringCase(collation)
      return IndexEntry(
        position: position, collation: isOwn ? nil : collation,
        // Values that are equal byte by byte are equal in every collation.
        isUniquelyCompared: isOwn || own.equalsIgnoringCase("BINARY"), isDescending: row.int64(2) != 0)
    }
  }
}

extension TableDraft {
  /// Adds a primary key that aliases the rowid.
  mutating func addKey(_ key: [Int]) {
    table.primaryKey = key
    table.rowIDColumn = key.first.map { table.columns[$0].name }
    table.uniqueKeys.append(key)
    table.indexes.append(
      Index(
        columns: key.map { table.columns[$0].name }, isUnique: true,
        orders: key.map { _ in Index.Order(isDescending: false, nullsComeFirst: true) }))
  }
}
