import CKindredSQLite
import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

/// Reads the schema of a database from SQLite's own description of it
/// (<https://www.sqlite.org/schematab.html>, <https://www.sqlite.org/pragma.html>).
///
/// What is wrong with the schema is passed over with a warning: a database is served as far as it works.
public struct SchemaReader {
  /// Which tables are read.
  public enum Selection: Sendable {
    /// Those that are resources: neither Kindred's own, nor SQLite's, nor those behind virtual tables.
    case resources
    /// All but those that Kindred makes for the duration of a statement.
    case all
  }

  let connection: Connection
  /// `main`, `temp`, or the name of an attached database.
  let database: String
  private let selection: Selection

  /// A reader of the main database of `connection`, or of another one that it has.
  public init(_ connection: Connection, database: String = "main", selection: Selection = .resources) {
    self.connection = connection
    self.database = database
    self.selection = selection
  }

  /// The schema as of now, or of the transaction that is open.
  ///
  /// - Throws: `DatabaseError` where the file can't be read.
  public func schema() throws -> Schema {
    connection.isInTransaction ? try read() : try connection.readTransaction(read)
  }

  private func read() throws -> Schema {
    var warnings: [String] = []
    let entries = try entries()
    let triggers = try insteadOfTriggers()
    let compounds = try CompoundSelects(connection, database: database)
    var drafts: [TableDraft] = []
    for entry in entries where selection == .all ? !entry.isTransient : entry.isResource {
      do {
        var draft = try draft(of: entry)
        draft.insteadOf = triggers[entry.name.foldingASCIICase] ?? []
        draft.isCompound = entry.kind == .view && compounds.contains(entry.name)
        drafts.append(draft)
      } catch let error as DatabaseError
        where entry.kind != .table && [SQLITE_ERROR, SQLITE_CORRUPT].contains(error.code)
      {
        // A view of a table that has gone, a virtual table of an unknown module, a damaged full-text index.
        warnings.append("the \(entry.kindName) \(entry.name) is left out: \(error.message)")
      }
    }
    warnings += drop(&drafts, unlessIn: entries)
    warnings += drafts.filter { $0.kind != .view && $0.primaryKey.isEmpty }.map { draft in
      "the table \(draft.name) has no key by which its records could be found"
    }
    resolveFullText(in: &drafts)
    warnings += try resolveForeignKeys(in: &drafts)
    return Schema(tables: drafts.map(\.table), warnings: warnings.map(\.onOneLine))
  }

  /// Leaves out what can't be named or read; gives the warnings.
  private func drop(_ drafts: inout [TableDraft], unlessIn entries: [Entry]) -> [String] {
    var warnings: [String] = []
    let names = Set(entries.map(\.name.foldingASCIICase))
    var seen: Set<String> = []
    drafts.removeAll { draft in
      if let content = draft.externalContent, !names.contains(content.foldingASCIICase) {
        warnings.append("the full-text table \(draft.name) is left out: there is no table \(content)")
      } else if draft.columns.isEmpty {
        warnings.append("the table \(draft.name) is left out: its columns can't be read")
      } else if !seen.insert(draft.name).inserted {
        // To SQLite, names that differ in the composition of their characters are two names.
        warnings.append("the table \(draft.name) is left out: another one has the same name")
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
    let sql: String

    /// Every table and view of the database is a resource; `sqlite_*`, FTS shadow tables and Kindred's own tables
    /// are not.
    var isResource: Bool {
      let name = name.foldingASCIICase
      return !isShadow && !name.hasPrefix("sqlite_") && !BookkeepingTable.names.contains(name)
    }

    /// Whether the engine has made it for itself.
    var isTransient: Bool { name.hasPrefix("kindred:") }

    var kindName: String { kind == .view ? "view" : "virtual table" }
  }

  /// The changes that triggers make in place of views, by the folded names of these.
  private func insteadOfTriggers() throws -> [String: Table.Changes] {
    let triggers = try connection.rows(
      "SELECT tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger'"
    ) { (table: $0.text(0) ?? "", tokens: SQLTokens.all(in: $0.text(1) ?? "")) }
    return triggers.reduce(into: [:]) { changes, trigger in
      let tokens = trigger.tokens
      // A trigger may be called `instead`, in front of the words that count.
      guard
        let place = tokens.indices.first(where: {
          tokens[$0].isKeyword("instead") && $0 + 2 < tokens.count && tokens[$0 + 1].isKeyword("of")
        })
      else { return }
      let kinds: [(keyword: String, change: Table.Changes)] = [
        ("insert", .insert), ("update", .update), ("delete", .delete),
      ]
      for kind in kinds where tokens[place + 2].isKeyword(kind.keyword) {
        changes[trigger.table.foldingASCIICase, default: []].insert(kind.change)
      }
    }
  }

  /// All tables and views in the order of their creation.
  private func entries() throws -> [Entry] {
    let kinds = try connection.rows(
      "SELECT name, type, wr FROM pragma_table_list WHERE schema = ?1", [.text(database)]
    ) {
      (name: $0.text(0) ?? "", type: $0.text(1), isWithoutRowID: $0.int64(2) != 0)
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
        isWithoutRowID: kind?.isWithoutRowID ?? false, sql: row.text(1) ?? "")
    }
  }
}

extension Connection {
  /// What `row` makes of each row of a statement.
  func rows<Row>(
    _ sql: String, _ arguments: [SQLValue] = [], _ row: (Statement) throws -> Row
  ) throws -> [Row] {
    try withStatement(sql) { statement in
      try statement.bind(arguments)
      var rows: [Row] = []
      while try statement.step() { rows.append(try row(statement)) }
      return rows
    }
  }
}

extension String {
  /// The text with its line breaks and other control characters as spaces, so that it can stand in a log.
  fileprivate var onOneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
