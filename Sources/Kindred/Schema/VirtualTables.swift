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
    var options = definition.tokenizer.map { ["tokenize=\($0.option(separator: " "))"] } ?? []
    if let prefixes = definition.prefixOption { options.append("prefix='\(prefixes)'") }
    if let content = definition.source { options.append("content=\(SQLText.quoted(content))") }
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
    let columns = definition.columns.map { SQLText.quoted($0.name) }
    var options =
      definition.tokenizer.map { ["tokenize=\($0.name) \($0.arguments.joined(separator: " "))"] } ?? []
    if let prefixes = definition.prefixOption?.replacing(" ", with: ",") {
      options.append("prefix=\"\(prefixes)\"")
    }
    if let content = definition.source { options.append("content=\(SQLText.quoted(content))") }
    let unindexed = definition.columns.filter { !$0.isIndexed }.map { "notindexed=\($0.name)" }
    return columns + options + unindexed + definition.options
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

/// A full-text table being created.
public final class FullTextTableDefinition {
  /// A column being created.
  public final class Column {
    let name: String
    fileprivate(set) var isIndexed = true

    init(name: String) {
      self.name = name
    }

    /// Leaves the column out of the index.
    @discardableResult
    public func notIndexed() -> Self {
      isIndexed = false
      return self
    }
  }

  fileprivate var columns: [Column] = []
  fileprivate var source: String?
  fileprivate var options: [String] = []
  /// How texts are split into words; SQLite's default if nil.
  public var tokenizer: FullTextTokenizer?
  /// The lengths of prefixes that are indexed too.
  public var prefixes: Set<Int>?

  fileprivate var prefixOption: String? {
    prefixes.map { $0.sorted().map(String.init).joined(separator: " ") }
  }

  /// Adds a column.
  @discardableResult
  public func column(_ name: String) -> Column {
    let column = Column(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table an index of another one, which it follows by triggers.
  public func synchronize(withTable table: String) { source = table }

  /// Adds an option of the module, such as `columnsize=0`.
  public func option(sql: String) { options.append(sql) }
}

/// How texts are split into words.
public struct FullTextTokenizer: Hashable, Sendable {
  let name: String
  let arguments: [String]

  /// Creates a tokenizer from its name and arguments.
  public init(_ name: String, arguments: [String] = []) {
    self.name = name
    self.arguments = arguments
  }

  fileprivate func option(separator: String) -> String {
    "'" + ([name] + arguments).joined(separator: separator).replacing("'", with: "''") + "'"
  }

  /// Splits at characters that are no letters or digits of ASCII.
  public static func ascii() -> FullTextTokenizer { FullTextTokenizer("ascii") }

  /// Splits at ASCII characters that are no letters or digits; of version 4.
  public static var simple: FullTextTokenizer { FullTextTokenizer("simple") }

  /// Removes the endings of English words.
  public static func porter() -> FullTextTokenizer { FullTextTokenizer("porter") }

  /// Splits at characters that are no letters or digits of Unicode, and ignores their case and accents.
  public static func unicode61() -> FullTextTokenizer { FullTextTokenizer("unicode61") }

  /// Splits texts into sequences of three characters.
  public static func trigram() -> FullTextTokenizer { FullTextTokenizer("trigram") }
}

/// A pattern for full-text search; the same for all versions.
public typealias FTS5Pattern = FTS3Pattern

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
    virtualTable name: String, options: VirtualTableOptions = [], using module: Module,
    _ body: (Module.TableDefinition) throws -> Void
  ) throws {
    let definition = module.makeTableDefinition()
    try body(definition)
    let arguments = module.arguments(of: definition).joined(separator: ", ")
    let isNew = try !tableExists(name)
    guard isNew || !options.contains(.ifNotExists) else { return }
    try inSavepoint {
      try create(virtualTable: name, using: "\(module.moduleName)(\(arguments))")
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
}

extension Column {
  /// The rank of a full-text match, of version 5: better ones come first.
  public static let rank = Column("rank")
}

extension SQLOrderingTerm where Self == Column {
  /// The rank of a full-text match, of version 5: better ones come first.
  public static var rank: Column { .rank }
}
