import CKindredSQLite
import KindredModel
import KindredSQLSyntax
import KindredSQLite

extension SchemaReader {
  /// Returns the columns, keys and indexes of a table.
  ///
  /// Foreign keys are added later, since they need the other tables.
  ///
  /// - Parameter needs: Notes what the table or the view needs that this server lacks.
  func draft(of entry: Entry, _ needs: inout SchemaNeeds?) throws -> TableDraft {
    var draft = TableDraft(name: entry.name, kind: entry.kind)
    let columns = try columns(of: entry, missingCollations: needs?.missingCollations ?? [])
    draft.columns = columns.filter { !$0.isHidden }.map(\.column)
    try removeUnreadable(from: &draft, &needs)
    if entry.kind == .table { needs?.examineDefaults(of: &draft) }
    if entry.kind == .table, draft.columns.contains(where: \.isGenerated) {
      let generations = SQLTokens.generations(in: entry.sql)
      for index in draft.columns.indices where draft.columns[index].isGenerated {
        draft.columns[index].generation = generations[draft.columns[index].name.foldingASCIICase]
          .map { SQL(trusted: $0) }
      }
    }
    if entry.kind != .view, !draft.columns.isEmpty { try readKeys(of: &draft, entry, columns) }
    needs?.substitute(
      &draft,
      Dictionary(
        columns.compactMap { column in column.missingCollation.map { (column.column.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
    return draft
  }

  /// Reads the keys and indexes of a table.
  private func readKeys(of draft: inout TableDraft, _ entry: Entry, _ columns: [ColumnEntry]) throws {
    let keyColumns = columns.filter { $0.keyPosition > 0 && !$0.isHidden }
      .sorted { $0.keyPosition < $1.keyPosition }
    if entry.kind == .virtual { draft.declaration = VirtualTableDeclaration(entry.sql) }
    if !entry.isWithoutRowID {
      draft.rowIDName = try rowIDName(of: entry, columns: columns.map(\.column.name))
    }
    if keyColumns.isEmpty, let rowID = draft.rowIDName {
      // If no key is declared, the rowid becomes the key and the first column.
      draft.columns.insert(
        Column(name: rowID, declaredType: "INTEGER", isNullable: false, hasDefault: true), at: 0)
      draft.addKey([0])
      draft.isKeyless = entry.kind == .table
    } else {
      draft.primaryKey = keyColumns.compactMap { key in
        draft.columns.firstIndex { $0.name == key.column.name }
      }
    }
    if entry.kind == .table {
      draft.replacesOnConflict = SQLTokens.all(in: entry.sql).replacesOnConflict
      try IndexReader(connection: connection, database: database).readIndexes(of: &draft)
    } else if !draft.primaryKey.isEmpty {
      draft.uniqueKeys = [draft.primaryKey]
    }
  }

  /// A row of `PRAGMA table_xinfo` (<https://www.sqlite.org/pragma.html#pragma_table_xinfo>).
  private struct ColumnEntry {
    let column: Column
    /// The position in the primary key, from 1; 0 for a column outside it.
    let keyPosition: Int64
    /// Whether it is a hidden column of a virtual table, which `*` does not select.
    let isHidden: Bool
    /// The declared collation, if this server lacks it.
    let missingCollation: String?
  }

  private func removeUnreadable(from draft: inout TableDraft, _ needs: inout SchemaNeeds?) throws {
    if let missing = try needs?.removeUnreadableColumns(of: &draft) {
      throw Unserved(message: "it needs \(missing.name), which this server doesn't have")
    }
    if draft.kind == .view, let index = try needs?.indexMisread(by: draft) {
      throw Unserved(message: "it searches \(index), an index of a collation that this server doesn't have")
    }
  }

  private func columns(of entry: Entry, missingCollations: Set<String>) throws -> [ColumnEntry] {
    let probe = ColumnProbe(connection: connection)
    let comparisons = entry.kind == .view ? try probe.comparisons(of: entry.name) : nil
    let stored = entry.kind == .view ? try probe.storedColumns(of: entry.name) : nil
    return try connection.rows(
      """
      SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?, ?)
      ORDER BY cid
      """, [.text(entry.name), .text(database)]
    ) { row in
      let hidden = row.int64(5)
      let defaultText = row.text(3)
      let name = row.text(0) ?? ""
      let type = row.text(1) ?? ""
      let compared = comparisons?[name]
      let declared = compared?.collation ?? collation(of: name, in: entry.name)
      let isMissing = missingCollations.contains(declared.foldingASCIICase)
      var column = Column(
        name: name, declaredType: type,
        // A `STRICT` table converts no value of such a column (<https://www.sqlite.org/stricttables.html>).
        affinity: entry.isStrict && type.equalsIgnoringCase("ANY")
          ? .blob : compared?.affinity(ofType: type),
        collation: isMissing ? "BINARY" : declared,
        isNullable: row.int64(2) == 0,
        // 2 means a virtual generated column, 3 a stored one.
        isGenerated: hidden == 2 || hidden == 3, hasDefault: defaultText != nil,
        defaultValue: defaultText.map(Self.defaultValue))
      column.isStored = hidden != 2 && stored?.contains(name) ?? true
      return ColumnEntry(
        column: column, keyPosition: row.int64(4), isHidden: hidden == 1,
        missingCollation: isMissing ? declared : nil)
    }
  }

  /// Returns the value of a `DEFAULT` clause from its text.
  ///
  /// Unlike elsewhere, a single name is a string there and not a column, whatever its quotes
  /// (<https://www.sqlite.org/lang_createtable.html#the_default_clause>).
  private static func defaultValue(_ text: String) -> SQL {
    let tokens = SQLTokens.all(in: text)
    switch tokens.first {
    case .quoted(let text) where tokens.count == 1, .string(let text) where tokens.count == 1:
      return "\(.value(.text(text)))"
    case .word(let word) where tokens.count == 1 && !isValue(word):
      return "\(.value(.text(word)))"
    default:
      return "(\(SQL(trusted: text)))"
    }
  }

  /// Returns whether a word is a number, or a keyword that stands for a value.
  private static func isValue(_ word: String) -> Bool {
    let keywords = ["null", "true", "false", "current_date", "current_time", "current_timestamp"]
    return word.utf8.first.map { (0x30...0x39).contains($0) } ?? false
      || keywords.contains(word.foldingASCIICase)
  }

  /// Returns the first name of the rowid that no column has (<https://www.sqlite.org/rowidtable.html>).
  private func rowIDName(of entry: Entry, columns: [String]) throws -> String? {
    let free = ["rowid", "_rowid_", "oid"].first { name in
      !columns.contains { $0.equalsIgnoringCase(name) }
    }
    guard let free, entry.kind == .virtual else { return free }
    // The module decides whether a virtual table has a rowid.
    let sql: SQL = "SELECT \(identifier: free) FROM \(identifier: database).\(identifier: entry.name) LIMIT 0"
    do {
      _ = try connection.prepare(sql.rendered().text)
      return free
    } catch let error as DatabaseError where error.code == SQLITE_ERROR {
      return nil
    }
  }

  /// Why a view isn't served.
  struct Unserved: Error {
    let message: String
  }

  private func collation(of column: String, in table: String) -> String {
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      connection.handle, database, table, column, nil, &name, nil, nil, nil)
    return code == SQLITE_OK ? name.map { String(cString: $0) } ?? "BINARY" : "BINARY"
  }
}
