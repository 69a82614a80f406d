import CKindredSQLite
import KindredModel
import KindredSQLSyntax
import KindredSQLite

/// Reads the schema of a database from SQLite's own description of it
/// (<https://www.sqlite.org/schematab.html>, <https://www.sqlite.org/pragma.html>).
///
/// Tables and foreign keys that are broken are omitted with a warning, so that the rest of the database can be
/// served.
public struct SchemaReader {
  /// The tables that are read.
  public enum Selection: Sendable {
    /// Tables that can be resources: neither Kindred's own, nor SQLite's, nor the shadow tables of virtual tables.
    case resources
    /// All tables except Kindred's transient ones.
    case all
  }

  let connection: Connection
  /// `main`, `temp`, or the name of an attached database.
  let database: String
  private let selection: Selection

  /// Creates a reader of the main database of `connection`, or of another one that it has.
  public init(_ connection: Connection, database: String = "main", selection: Selection = .resources) {
    self.connection = connection
    self.database = database
    self.selection = selection
  }

  /// Returns the current schema, or that of the open transaction.
  ///
  /// - Throws: `DatabaseError` if the file can't be read.
  public func schema() throws -> Schema {
    connection.isInTransaction ? try read() : try connection.readTransaction(read)
  }

  private func read() throws -> Schema {
    guard selection == .resources else { return try read(nil) }
    let needs = try SchemaNeeds(connection)
    // Views may use collations that are missing.
    return try connection.withCollationStandIns(true) { try read(needs) }
  }

  /// - Parameter needs: Finds what the schema needs; nil if the program that reads it has that.
  private func read(_ needs: SchemaNeeds?) throws -> Schema {
    var needs = needs
    var warnings: [String] = []
    let entries = try entries()
    let triggers = try triggers()
    let (insteadOf, writers) = (insteadOf(triggers), writers(triggers))
    let triggered = Set(triggers.map(\.table.foldingASCIICase))
    let words = try DefinitionWords(connection, database: database)
    let compounds = words.names(with: DefinitionWords.compound)
    let moving = words.names(with: DefinitionWords.clock)
    let volatile = words.names(with: DefinitionWords.volatile)
    var drafts: [TableDraft] = []
    for entry in entries where selection == .all ? !entry.isTransient : entry.isResource {
      do {
        var draft = try draft(of: entry, &needs)
        if selection == .resources, BookkeepingTable.isOwn(entry.name, columns: draft.columns.map(\.name)) {
          continue
        }
        draft.insteadOf = insteadOf[entry.name.foldingASCIICase] ?? []
        draft.writers = writers[entry.name.foldingASCIICase] ?? []
        draft.hasTriggers = triggered.contains(entry.name.foldingASCIICase)
        draft.isTimeless = !volatile.contains(entry.name.foldingASCIICase)
        if entry.kind == .view {
          draft.isCompound = compounds.contains(entry.name.foldingASCIICase)
          // SQLite knows the origin of the columns of the first part only.
          if draft.isCompound { for index in draft.columns.indices { draft.columns[index].isStored = false } }
          draft.readsClock = moving.contains(entry.name.foldingASCIICase)
        }
        drafts.append(draft)
      } catch let error as DatabaseError
        where error.code == SQLITE_ERROR || entry.kind != .table && error.code == SQLITE_CORRUPT
      {
        // For example, a view of a table that was dropped, a virtual table of an unknown module, a damaged full-text
        // index.
        warnings.append("the \(entry.kindName) \(entry.name) is not served: \(error.text)")
      } catch let reason as Unserved {
        warnings.append("the \(entry.kindName) \(entry.name) is not served: \(reason.message)")
      }
    }
    warnings += drop(&drafts, unlessIn: entries)
    try findPartialReads(of: &drafts, entries)
    warnings += drafts.filter { $0.kind != .view && $0.primaryKey.isEmpty }.map { draft in
      "the table \(draft.name) has no key that identifies its records"
    }
    resolveFullText(in: &drafts)
    warnings += try ForeignKeyReader(connection: connection, database: database).readKeys(of: &drafts)
    warnings += drafts.filter { $0.fullText?.isSearchOnly ?? false }.map { draft in
      "the full-text table \(draft.name) can be searched, but not listed: it stores neither its content nor the sizes"
    }
    try needs?.findObstacles(
      in: &drafts,
      Dictionary(
        entries.filter { $0.kind == .table }.map { ($0.name, $0.sql) },
        uniquingKeysWith: { first, _ in first }))
    warnings += needs?.lines ?? []
    let definitions = Dictionary(
      entries.filter { $0.kind == .view }.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })
    let tables = try PlainViewReader(connection: connection, database: database)
      .read(drafts.map(\.table), definitions)
    return Schema(tables: tables, warnings: warnings.map(\.onOneLine))
  }

  /// Determines of which tables a stored value can be read in part (<https://www.sqlite.org/c3ref/blob_open.html>).
  private func findPartialReads(of drafts: inout [TableDraft], _ entries: [Entry]) throws {
    // It gives bytes in the encoding of the file.
    guard database == "main", try connection.texts("PRAGMA encoding").first == "UTF-8" else { return }
    let generating = Set(
      entries.filter { $0.sql.contains("(") && !SQLTokens.generations(in: $0.sql).isEmpty }.map(\.name))
    for place in drafts.indices {
      let table = drafts[place].table
      drafts[place].readsParts =
        table.kind == .table && table.rowIDName != nil && table.substitute == nil
        && !generating.contains(table.name)
    }
  }

  /// Removes tables that can't be named or read, and returns a warning for each.
  private func drop(_ drafts: inout [TableDraft], unlessIn entries: [Entry]) -> [String] {
    var warnings: [String] = []
    let names = Set(entries.map(\.name.foldingASCIICase))
    var seen: Set<String> = []
    drafts.removeAll { draft in
      if let content = draft.externalContent, !names.contains(content.foldingASCIICase) {
        warnings.append("the full-text table \(draft.name) is not served: there is no table \(content)")
      } else if draft.columns.isEmpty || draft.isUnreadable {
        warnings.append("the table \(draft.name) is not served: its columns can't be read")
      } else if !seen.insert(draft.name).inserted {
        // For SQLite, names that differ only in Unicode normalization are different.
        warnings.append("the table \(draft.name) is not served: another one has the same name")
      } else {
        return false
      }
      return true
    }
    return warnings
  }
}

// MARK: - Entries

extension SchemaReader {
  /// A row of the schema table.
  struct Entry {
    let name: String
    let kind: Table.Kind
    let isShadow: Bool
    let isWithoutRowID: Bool
    let isStrict: Bool
    let sql: String

    /// Whether it can be a resource: any table or view except `sqlite_*` and shadow tables.
    var isResource: Bool { !isShadow && !name.foldingASCIICase.hasPrefix("sqlite_") }

    /// Whether it is a transient table of the engine.
    var isTransient: Bool { name.hasPrefix("kindred:") }

    var kindName: String {
      switch kind {
      case .view: "view"
      case .virtual: "virtual table"
      case .table, .commonTableExpression, .ofRequest: "table"
      }
    }
  }

  /// Returns all tables and views in the order of their creation.
  private func entries() throws -> [Entry] {
    let kinds = try connection.rows(
      "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = ?1", [.text(database)]
    ) {
      (
        name: $0.text(0) ?? "", type: $0.text(1), isWithoutRowID: $0.int64(2) != 0,
        isStrict: $0.int64(3) != 0
      )
    }
    let kindsByName = Dictionary(kinds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return try connection.rows(
      "SELECT name, sql FROM \(SQL.quoted(database)).sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid"
    ) { row in
      let name = row.text(0) ?? ""
      let kind = kindsByName[name]
      let tableKind: Table.Kind =
        switch kind?.type {
        case "view": .view
        case "virtual": .virtual
        default: .table
        }
      return Entry(
        name: name, kind: tableKind, isShadow: kind?.type == "shadow",
        isWithoutRowID: kind?.isWithoutRowID ?? false, isStrict: kind?.isStrict ?? false,
        sql: row.text(1) ?? "")
    }
  }
}

extension Connection {
  /// Returns the texts in the first column of a statement's rows.
  func texts(_ sql: String, _ arguments: [SQLValue] = []) throws -> [String] {
    try rows(sql, arguments) { $0.text(0) ?? "" }
  }
}

extension String {
  /// The text with control characters replaced by spaces, so that it takes one line in a log.
  fileprivate var onOneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
