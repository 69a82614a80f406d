import KindredSQLSyntax

/// The name of ``Table`` for modules with another type of that name.
public typealias TableSchema = Table

/// A table, a view, a virtual table or a common table expression, as the schema declares it.
public struct Table: Sendable, Hashable {
  /// The kinds of tables, as far as requests treat them differently.
  public enum Kind: Sendable, Hashable {
    case table
    case view
    /// A virtual table, such as a full-text table.
    case virtual
    /// A common table expression of the model file; its SQL is a complete `SELECT`.
    ///
    /// Where it has parameters, ``Table/query`` is what statements read, and this only shows its columns and tables.
    case commonTableExpression(sql: String)
    /// A common table expression that one request defines, visible only to the statements of that request.
    case ofRequest
  }

  /// The name as spelled in the database.
  public let name: String
  /// The name of its schema, where statements must give it.
  public var schema: String?
  /// The name in its schema, where ``name`` begins with the schema because another table has that name.
  public var relation: String?
  /// What the database says about it; nil without a comment.
  public var comment: String?
  /// Whether names of columns are case-sensitive.
  public var isCaseSensitive = false
  /// The kind of table.
  public let kind: Kind
  /// The columns in table order.
  ///
  /// If no primary key is declared, the first one is the `rowid`.
  public package(set) var columns: [Column]
  /// The columns of the primary key in key order, as positions in `columns`; empty for a view.
  public package(set) var primaryKey: [Int]
  /// Whether any number of records may have NULL in the primary key, which finds the others but doesn't identify them.
  public var isKeyPartial = false
  /// Whether it is a table whose schema declares no primary key; one may be chosen, or given by the model file.
  public package(set) var isKeyless = false
  /// Whether the model file gives the primary key, and nothing checks that it is unique.
  public package(set) var isKeyUnchecked = false
  /// The sets of columns whose values are unique: the primary key and the unique indexes that aren't partial.
  public package(set) var uniqueKeys: [[Int]]
  /// The indexes that can find records by equality, including the primary key.
  public package(set) var indexes: [Index]
  /// The indexes of the records that meet tests for NULL.
  public package(set) var partialIndexes: [Index] = []
  /// The indexes by which records can be read in the order of a column.
  public package(set) var orderingIndexes: [OrderingIndex]
  /// The foreign keys in the order of their declaration.
  public package(set) var foreignKeys: [ForeignKey]
  /// The foreign keys with a period, which several records together may satisfy.
  public var temporalForeignKeys: [ForeignKey] = []
  /// The foreign keys of the table that a plain view shows, with those of their columns that the view shows, if not all.
  public package(set) var partlyShownForeignKeys: [ForeignKey] = []
  /// The foreign keys that only the model file defines, and the database doesn't enforce.
  public package(set) var undeclaredForeignKeys: [UndeclaredForeignKey] = []
  /// The name under which the `rowid` can be read; nil for views, common table expressions and WITHOUT ROWID tables.
  public package(set) var rowIDName: String?
  /// The name of the `INTEGER PRIMARY KEY` column, which is an alias of the `rowid`; nil if there is none.
  public package(set) var rowIDColumn: String?
  /// The full-text index: the table itself, or the full-text table that has it as external content.
  public package(set) var fullText: FullText?

  /// The changes for which a view has `INSTEAD OF` triggers
  /// (<https://www.sqlite.org/lang_createtrigger.html#instead_of_triggers>).
  public package(set) var insteadOf: Changes

  /// Whether a view may be a compound `SELECT`, whose parts can give a column different affinities.
  public package(set) var isCompound: Bool

  /// Whether the rows of a view may depend on the clock, or on random numbers.
  public package(set) var readsClock: Bool

  /// Whether the rows depend only on the database, so that they stay the same until the next commit.
  ///
  /// Unlike ``readsClock``, which determines how pages are found, this is false if in doubt.
  public var isTimeless = true

  /// The query of a common table expression with parameters; nil for any other table.
  public var query: ParameterizedQuery?

  /// The parameters of its query; empty if it has none.
  public var parameters: [QueryParameter] { query?.parameters ?? [] }

  /// Whether a constraint may have `ON CONFLICT REPLACE`, which deletes the records that conflict with a change
  /// (<https://www.sqlite.org/lang_conflict.html>).
  public var replacesOnConflict = false

  /// Whether it has triggers, one of which may leave out a deletion and change the record instead.
  public var hasTriggers = false

  /// How its rows are spread over shards; nil where they are not.
  public var distribution: Distribution?

  /// What keeps clients from changes that its kind allows.
  public var obstacles: [WriteObstacle] = []

  /// Whether the database can read a stored value of its records in part.
  public var readsParts = false

  /// The subquery that statements read in its place; nil if they read the table itself.
  ///
  /// It gives columns of a collation that this server lacks another one.
  public var substitute: SQL?

  /// Whether a statement that deletes records can say which: not where one of the columns can't be computed.
  public var returnsColumns = true

  /// What the view shows, if its rows are those of one table; nil for tables and other views.
  public package(set) var plainView: PlainView?

  /// The name of the table whose columns a full-text table indexes as its external content; nil for other tables.
  public package(set) var content: String?

  /// Whether its rows are also those of other tables, from which it inherits or which inherit from it.
  public var sharesRows = false

  /// The names of the tables whose triggers write to it.
  public package(set) var writers: NameSet = []

  /// The sets of its columns that refer to tables which aren't served, so that no client can read what they refer to.
  public var unservedReferences: [[String]] = []

  /// A set of kinds of changes to records.
  public struct Changes: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Creates the set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Records can be added.
    public static let insert = Changes(rawValue: 1)
    /// Records can be changed.
    public static let update = Changes(rawValue: 2)
    /// Records can be deleted.
    public static let delete = Changes(rawValue: 4)
    /// All kinds of changes.
    public static let all: Changes = [.insert, .update, .delete]
  }

  /// Creates a table; by default it has no keys, indexes, triggers or rowid.
  public init(
    name: String, kind: Kind, columns: [Column], primaryKey: [Int], uniqueKeys: [[Int]] = [],
    indexes: [Index] = [], orderingIndexes: [OrderingIndex] = [], foreignKeys: [ForeignKey] = [],
    rowIDName: String? = nil, rowIDColumn: String? = nil, fullText: FullText? = nil,
    insteadOf: Changes = [], isCompound: Bool = false, readsClock: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.columns = columns
    self.primaryKey = primaryKey
    self.uniqueKeys = uniqueKeys
    self.indexes = indexes
    self.orderingIndexes = orderingIndexes
    self.foreignKeys = foreignKeys
    self.rowIDName = rowIDName
    self.rowIDColumn = rowIDColumn
    self.fullText = fullText
    self.insteadOf = insteadOf
    self.isCompound = isCompound
    self.readsClock = readsClock
  }

  /// The name as statements give it: in double quotes, and after its schema where it has one.
  package var qualifiedName: String {
    (schema.map { SQL.quoted($0) + "." } ?? "") + SQL.quoted(nameInSchema)
  }

  /// The name in its schema.
  package var nameInSchema: String { relation ?? name }

  /// The name as the SQL of statements gives it.
  package var reference: SQL { SQL(trusted: qualifiedName) }

  /// What statements read: the table, or its substitute.
  package var rows: SQL { substitute ?? reference }

  /// Returns the table with another primary key.
  ///
  /// - Parameter key: Positions in `columns` of columns whose values together are unique.
  package func identified(by key: [Int]) -> Table {
    guard key != primaryKey else { return self }
    var table = self
    (table.primaryKey, table.isKeyPartial) = (key, false)
    if !key.isEmpty, !uniqueKeys.contains(key) { table.uniqueKeys.insert(key, at: 0) }
    return table
  }

  /// Returns the column of this name: an exact match, else, unless names are case-sensitive, one that differs in the
  /// case of ASCII letters only.
  public func column(named name: String) -> Column? {
    if let exact = columns.first(named: name) { return exact }
    return isCaseSensitive ? nil : columns.first { $0.name.equalsIgnoringCase(name) }
  }

  /// Returns the names of the columns that are hidden where these are: a `tsvector` shows the words of the columns that
  /// it indexes.
  package func hiding(_ columns: NameSet) -> NameSet {
    var hidden = columns
    for column in self.columns where column.indexedColumns?.contains(where: columns.contains) ?? false {
      hidden.insert(column.name)
    }
    return hidden
  }

  /// Whether no two records have equal values in all of these columns, NULLs aside.
  public func isUnique(_ names: [String]) -> Bool {
    uniqueKeys.contains { key in key.allSatisfy { names.containsExactly(columns[$0].name) } }
  }

  /// Returns the orders in which indexes give the values of a column, among the records with given values in others.
  ///
  /// - Parameter fixed: Those others.
  public func orders(of name: String, besides fixed: [String]) -> [Index.Order] {
    indexes.compactMap { index in
      guard let orders = index.orders,
        let place = index.columns.firstIndex(where: { $0.map { !fixed.containsExactly($0) } ?? true }),
        index.columns[place]?.hasBytes(of: name) ?? false,
        index.collations[...place].allSatisfy({ $0 == nil })
      else { return nil }
      return orders[place]
    }
  }

  /// The names of the columns of which an index finds the records with a value, which may be several.
  public var columnsThatFindSeveral: [String] {
    indexes.compactMap { $0.columns.first ?? nil }.filter { !isUnique([$0]) }
  }

  /// Returns the indexes of all records, and those of the records that meet tests.
  ///
  /// - Parameter isMet: Whether all the records that are searched meet a test.
  package func indexes(where isMet: ((Index.NullTest) -> Bool)?) -> [Index] {
    guard let isMet, !partialIndexes.isEmpty else { return indexes }
    return indexes + partialIndexes.filter { $0.tests.allSatisfy(isMet) }
  }

  /// Whether an index finds the records with given values in these columns without a scan.
  ///
  /// - Parameters:
  ///   - collations: The collation of the comparison with each column; nil for the columns' own collations.
  ///   - isMet: Whether all the records that are searched meet a test.
  public func isIndexed(
    _ names: [String], collations: [String]? = nil, where isMet: ((Index.NullTest) -> Bool)? = nil
  ) -> Bool {
    let collations = collations ?? names.map { column(named: $0)?.collation ?? "BINARY" }
    return indexes(where: isMet).contains { index in
      let prefix = Array(zip(index.columns, index.collations).prefix(names.count))
      return prefix.count == names.count
        && prefix.allSatisfy { name, collation in
          guard let name, let position = names.firstIndex(ofExactly: name) else { return false }
          let own = collation ?? column(named: name)?.collation ?? "BINARY"
          return own.equalsIgnoringCase(collations[position])
        }
    }
  }
}

/// A type whose values are records.
public struct CompositeType: Sendable, Hashable {
  /// The fields; each with its type, or that of the elements of its arrays, if that is composite too, else nil.
  public let fields: [ExactName: CompositeType?]

  /// Creates a type with these fields.
  public init(fields: [ExactName: CompositeType?]) { self.fields = fields }
}

/// An ascending index over one column, by which records can be read in the order of the column and then the rowid.
public struct OrderingIndex: Sendable, Hashable {
  /// The name of the index.
  public let name: String
  /// The name of the column.
  public let column: String

  /// Creates an index of this name over a column.
  public init(name: String, column: String) {
    self.name = name
    self.column = column
  }
}

/// A full-text index over a table.
public struct FullText: Sendable, Hashable {
  /// The name of the virtual table.
  public let table: String
  /// The names of the columns that it indexes.
  public let columns: [String]
  /// The version of FTS: 3, 4 or 5; 0 for a `tsvector`.
  public let version: Int

  /// The name of the column of the indexed table that equals the rowid of the full-text table: for external content,
  /// its `content_rowid` (<https://www.sqlite.org/fts5.html#external_content_tables>).
  public let rowIDName: String

  /// Whether a pattern can be restricted to some of the columns
  /// (<https://www.sqlite.org/fts5.html#fts5_column_filters>).
  public let hasColumnFilters: Bool

  /// Whether its records can be found by a search alone, because it stores neither their content nor their sizes
  /// (<https://www.sqlite.org/fts5.html#the_columnsize_option>).
  public var isSearchOnly = false

  /// The name of the `tsvector` column that PostgreSQL searches; nil for a full-text table of SQLite.
  public var vector: String?

  /// The name of the text search configuration of the `tsvector` column; nil if it isn't known.
  public var configuration: String?

  /// Creates the index that a `tsvector` column of the table itself is.
  ///
  /// - Parameter columns: The names of the columns whose words it may contain.
  public init(vector: String, of table: String, columns: [String] = []) {
    self.init(table: table, columns: columns, version: 0)
    self.vector = vector
  }

  /// Creates the index that a full-text table is.
  public init(
    table: String, columns: [String] = [], version: Int, rowIDName: String = "rowid",
    hasColumnFilters: Bool = false
  ) {
    self.table = table
    self.columns = columns
    self.version = version
    self.hasColumnFilters = hasColumnFilters
    self.rowIDName = rowIDName
  }
}

extension Table {
  /// Returns the full-text index that a `tsvector` column is; nil for another column.
  package func fullText(of vector: Column) -> FullText? {
    guard let columns = vector.indexedColumns else { return nil }
    var index = FullText(vector: vector.name, of: name, columns: columns)
    index.configuration = vector.searchConfiguration
    return index
  }
}

extension String {
  /// The name with ASCII letters in lower case: names that SQLite considers equal become equal.
  package var foldingASCIICase: String {
    String(decoding: utf8.lazy.map(\.foldingASCIICase), as: UTF8.self)
  }

  /// Whether two names are equal to SQLite, which ignores the case of ASCII letters.
  package func equalsIgnoringCase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0.foldingASCIICase == $1.foldingASCIICase }
  }
}

extension UInt8 {
  fileprivate var foldingASCIICase: UInt8 { 0x41...0x5A ~= self ? self + 0x20 : self }
}

/// What keeps clients from changing records of a table: its schema needs something that this server lacks.
public struct WriteObstacle: Sendable, Hashable {
  /// The kinds of changes that need it.
  public let changes: Table.Changes
  /// What needs what, such as "the trigger note_sort calls the function title_sort, which this server doesn't have".
  public let reason: String

  /// Creates an obstacle to these changes.
  public init(_ changes: Table.Changes, _ reason: String) {
    (self.changes, self.reason) = (changes, reason)
  }
}

extension Table {
  /// Returns the first obstacle to any of these changes.
  public func obstacle(to changes: Changes) -> WriteObstacle? {
    obstacles.first { !$0.changes.isDisjoint(with: changes) }
  }
}
