import KindredSQLSyntax

/// A kind of virtual table (<https://www.sqlite.org/vtab.html>).
///
///     try db.create(virtualTable: "book_text", using: FTS5()) { t in
///       t.synchronize(withTable: "book")
///       t.tokenizer = .porter()
///       t.column("title")
///     }
public protocol VirtualTableModule<TableDefinition> {
  /// What defines a table of this kind.
  associatedtype TableDefinition
  /// The name of the module in SQL.
  var moduleName: String { get }
  /// Returns an empty definition.
  func makeTableDefinition() -> TableDefinition
  /// Returns the arguments of the module.
  func arguments(of definition: TableDefinition) -> [String]
  /// Runs what follows the creation of the table.
  func database(_ db: Database, didCreate table: String, using definition: TableDefinition) throws
}

extension VirtualTableModule {
  /// Does nothing.
  public func database(_ db: Database, didCreate table: String, using definition: TableDefinition) throws {}
}

/// A full-text table of version 5 (<https://www.sqlite.org/fts5.html>).
public struct FTS5: VirtualTableModule {
  /// Creates the module.
  public init() {}

  /// `fts5`.
  public var moduleName: String { "fts5" }

  /// Returns an empty definition.
  public func makeTableDefinition() -> FullTextTableDefinition { FullTextTableDefinition() }

  /// Returns the columns and options.
  public func arguments(of definition: FullTextTableDefinition) -> [String] {
    let columns = definition.columns.map { column in
      SQLText.quoted(column.name) + (column.isIndexed ? "" : " UNINDEXED")
    }
    var options = definition.tokenizer.map { ["tokenize=\($0.sqlText)"] } ?? []
    if let prefixes = definition.prefixOption(separator: " ") { options.append("prefix='\(prefixes)'") }
    if let content = definition.contentTable { options.append("content=\(SQLText.quoted(content))") }
    if let rowID = definition.contentRowID { options.append("content_rowid=\(SQLText.quoted(rowID))") }
    if let size = definition.columnSize { options.append("columnsize=\(size)") }
    if let detail = definition.detail { options.append("detail=\(SQLText.quoted(detail))") }
    return columns + options + definition.options
  }

  /// Fills the table from the one that it is synchronized with, and keeps it so by triggers.
  public func database(
    _ db: Database, didCreate table: String, using definition: FullTextTableDefinition
  ) throws {
    guard let source = definition.source else { return }
    let columns = definition.columns.map(\.name)
    func values(_ row: String) -> String {
      (["rowid"] + columns).map { "\(row).\(SQLText.quoted($0))" }.joined(separator: ", ")
    }
    let (index, content) = (SQLText.quoted(table), SQLText.quoted(source))
    let list = (["rowid"] + columns.map { SQLText.quoted($0) }).joined(separator: ", ")
    let add = "INSERT INTO \(index)(\(list)) VALUES (\(values("new")));"
    let remove = "INSERT INTO \(index)(\(index), \(list)) VALUES ('delete', \(values("old")));"
    func trigger(_ suffix: String, _ event: String, _ body: String) -> String {
      "CREATE TRIGGER \(SQLText.quoted("__\(table)_\(suffix)")) AFTER \(event) ON \(content) BEGIN \(body) END;"
    }
    try db.execute(
      sql: trigger("ai", "INSERT", add) + trigger("ad", "DELETE", remove)
        + trigger("au", "UPDATE", remove + " " + add)
        + "INSERT INTO \(index)(\(index)) VALUES ('rebuild')")
  }
}

/// A full-text table of version 3 (<https://www.sqlite.org/fts3.html>), which has fewer options than the others.
public struct FTS3: VirtualTableModule {
  /// Creates the module.
  public init() {}

  /// `fts3`.
  public var moduleName: String { "fts3" }

  /// Returns an empty definition.
  public func makeTableDefinition() -> FullTextTableDefinition { FullTextTableDefinition() }

  /// Returns the columns and the tokenizer.
  public func arguments(of definition: FullTextTableDefinition) -> [String] {
    definition.columns.map { SQLText.quoted($0.name) }
      + (definition.tokenizer.map { ["tokenize=\($0.legacySQLText)"] } ?? []) + definition.options
  }
}

/// A full-text table of version 4 (<https://www.sqlite.org/fts3.html>).
public struct FTS4: VirtualTableModule {
  /// Creates the module.
  public init() {}

  /// `fts4`.
  public var moduleName: String { "fts4" }

  /// Returns an empty definition.
  public func makeTableDefinition() -> FullTextTableDefinition { FullTextTableDefinition() }

  /// Returns the columns and options.
  public func arguments(of definition: FullTextTableDefinition) -> [String] {
    let columns = definition.columns.filter { !$0.isLanguageID }.map { SQLText.quoted($0.name) }
    var options = definition.tokenizer.map { ["tokenize=\($0.legacySQLText)"] } ?? []
    if let prefixes = definition.prefixOption(separator: ",") { options.append("prefix=\"\(prefixes)\"") }
    if let content = definition.contentTable { options.append("content=\(SQLText.quoted(content))") }
    if let compress = definition.compress { options.append("compress=\(SQLText.quoted(compress))") }
    if let uncompress = definition.uncompress { options.append("uncompress=\(SQLText.quoted(uncompress))") }
    if let matchinfo = definition.matchinfo { options.append("matchinfo=\(SQLText.quoted(matchinfo))") }
    let marks = definition.columns.flatMap { column in
      (column.isIndexed ? [] : ["notindexed=\(column.name)"])
        + (column.isLanguageID ? ["languageid=\(SQLText.quoted(column.name))"] : [])
    }
    return columns + options + marks + definition.options
  }

  /// Fills the table from the one that it is synchronized with, and keeps it so by triggers.
  public func database(
    _ db: Database, didCreate table: String, using definition: FullTextTableDefinition
  ) throws {
    guard let source = definition.source else { return }
    let columns = definition.columns.map { SQLText.quoted($0.name) }
    let (index, content) = (SQLText.quoted(table), SQLText.quoted(source))
    let list = (["docid"] + columns).joined(separator: ", ")
    let new = (["rowid"] + columns).map { "new.\($0)" }.joined(separator: ", ")
    let add = "INSERT INTO \(index)(\(list)) VALUES (\(new));"
    let remove = "DELETE FROM \(index) WHERE docid = old.rowid;"
    func trigger(_ suffix: String, _ event: String, _ body: String) -> String {
      "CREATE TRIGGER \(SQLText.quoted("__\(table)_\(suffix)")) \(event) ON \(content) BEGIN \(body) END;"
    }
    // An external table is read when a row is removed, so that it must still be there.
    try db.execute(
      sql: trigger("bu", "BEFORE UPDATE", remove) + trigger("bd", "BEFORE DELETE", remove)
        + trigger("au", "AFTER UPDATE", add) + trigger("ai", "AFTER INSERT", add)
        + "INSERT INTO \(index)(\(index)) VALUES ('rebuild')")
  }
}

extension Database {
  /// Creates a virtual table without arguments.
  ///
  /// - Throws: `DatabaseError`.
  public func create(virtualTable name: String, ifNotExists: Bool = false, using module: String) throws {
    let head: SQLText = ifNotExists ? "CREATE VIRTUAL TABLE IF NOT EXISTS " : "CREATE VIRTUAL TABLE "
    try execute(head + "\(identifier: name) USING " + SQLText(trusted: module))
  }

  /// Creates a virtual table.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`.
  public func create<Module: VirtualTableModule>(
    virtualTable name: String, ifNotExists: Bool, using module: Module,
    _ body: (Module.TableDefinition) throws -> Void = { _ in }
  ) throws {
    try create(virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module, body)
  }

  /// Creates a virtual table.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError`.
  public func create<Module: VirtualTableModule>(
    virtualTable name: String, options: VirtualTableOptions = [], using module: Module,
    _ body: (Module.TableDefinition) throws -> Void = { _ in }
  ) throws {
    let definition = module.makeTableDefinition()
    try body(definition)
    let arguments = module.arguments(of: definition).joined(separator: ", ")
    let isNew = try !tableExists(name)
    guard isNew || !options.contains(.ifNotExists) else { return }
    try inSavepoint {
      let table: SQLText = options.contains(.temporary) ? "temp.\(identifier: name)" : "\(identifier: name)"
      try execute(
        "CREATE VIRTUAL TABLE " + table + " USING " + SQLText(trusted: "\(module.moduleName)(\(arguments))"))
      try module.database(self, didCreate: name, using: definition)
    }
  }

  /// Removes the triggers by which a full-text table follows another one.
  ///
  /// - Throws: `DatabaseError`.
  public func dropFTS5SynchronizationTriggers(forTable table: String) throws {
    for suffix in ["ai", "ad", "au"] {
      try execute("DROP TRIGGER IF EXISTS \(identifier: "__\(table)_\(suffix)")")
    }
  }

  /// Removes the triggers by which a full-text table follows another one.
  ///
  /// - Throws: `DatabaseError`.
  public func dropFTS4SynchronizationTriggers(forTable table: String) throws {
    for suffix in ["bu", "bd", "au", "ai"] {
      try execute("DROP TRIGGER IF EXISTS \(identifier: "__\(table)_\(suffix)")")
    }
  }
}

/// Options of `CREATE VIRTUAL TABLE`.
public struct VirtualTableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int

  /// Creates options from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Does nothing if there is a table with that name.
  public static let ifNotExists = VirtualTableOptions(rawValue: 1)
  /// Creates a table that only this connection has.
  public static let temporary = VirtualTableOptions(rawValue: 2)
}

extension Column {
  /// The rank of a full-text match, of version 5: better ones come first.
  public static let rank = Column("rank")
}

extension SQLOrderingTerm where Self == Column {
  /// The rank of a full-text match, of version 5: better ones come first.
  public static var rank: Column { .rank }
}
