import KindredSQLSyntax

/// A table, a view, a virtual table or a common table expression, as the schema declares it.
public struct Table: Sendable, Hashable {
  /// The kinds of tables, as far as requests treat them differently.
  public enum Kind: Sendable, Hashable {
    case table
    case view
    /// A virtual table, a full-text one among them.
    case virtual
    /// A common table expression of the model file; its SQL is a complete `SELECT`.
    case commonTableExpression(sql: String)
    /// A common table expression that one request defines: nothing but its own statements can read it.
    case ofRequest
  }

  /// The name as the schema spells it.
  public let name: String
  /// The schema that it is in, where statements must name that.
  public var schema: String?
  /// What stands behind the name.
  public let kind: Kind
  /// The columns in table order.
  ///
  /// Where no key is declared, the first one is the `rowid`.
  public let columns: [Column]
  /// The columns of the primary key in key order, as positions in `columns`; empty for a view.
  public let primaryKey: [Int]
  /// Every set of columns that no two records share: the primary key and the complete unique indexes.
  public let uniqueKeys: [[Int]]
  /// The indexes that can find records by equality, the primary key among them.
  public let indexes: [Index]
  /// The indexes that give the records in the order of a column.
  public let orderingIndexes: [OrderingIndex]
  /// The foreign keys in the order of their declaration.
  public let foreignKeys: [ForeignKey]
  /// The name that reads the `rowid`; nil for views, common table expressions and WITHOUT ROWID tables.
  public let rowIDName: String?
  /// The column that is the `rowid`: an integer, and the primary key; nil where there is none.
  public let rowIDColumn: String?
  /// The full-text table that indexes this table: itself, or the one whose external content it is.
  public let fullText: FullText?

  /// The changes that triggers make instead, of a view
  /// (<https://www.sqlite.org/lang_createtrigger.html#instead_of_triggers>).
  public let insteadOf: Changes

  /// Whether its rows may be of several SELECTs, whose columns may have other affinities than its own.
  public let isCompound: Bool

  /// What can be done to records.
  public struct Changes: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// The changes of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// They can be added.
    public static let insert = Changes(rawValue: 1)
    /// They can be changed.
    public static let update = Changes(rawValue: 2)
    /// They can be deleted.
    public static let delete = Changes(rawValue: 4)
    /// Everything.
    public static let all: Changes = [.insert, .update, .delete]
  }

  /// A table of these parts; what is left out is not there.
  public init(
    name: String, kind: Kind, columns: [Column], primaryKey: [Int], uniqueKeys: [[Int]] = [],
    indexes: [Index] = [], orderingIndexes: [OrderingIndex] = [], foreignKeys: [ForeignKey] = [],
    rowIDName: String? = nil, rowIDColumn: String? = nil, fullText: FullText? = nil,
    insteadOf: Changes = [], isCompound: Bool = false
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
  }

  /// The same table with another primary key.
  ///
  /// - Parameter key: positions in `columns`, which no two records share.
  package func identified(by key: [Int]) -> Table {
    var table = Table(
      name: name, kind: kind, columns: columns, primaryKey: key,
      uniqueKeys: key.isEmpty || uniqueKeys.contains(key) ? uniqueKeys : [key] + uniqueKeys, indexes: indexes,
      orderingIndexes: orderingIndexes, foreignKeys: foreignKeys, rowIDName: rowIDName,
      rowIDColumn: rowIDColumn, fullText: fullText, insteadOf: insteadOf, isCompound: isCompound)
    table.schema = schema
    return table
  }

  /// The column of this name; SQLite's names know no case (of ASCII letters).
  public func column(named name: String) -> Column? {
    columns.first { $0.name == name } ?? columns.first { $0.name.equalsIgnoringCase(name) }
  }

  /// Whether no two records agree in all of these columns (NULLs apart).
  public func isUnique(_ names: [String]) -> Bool {
    uniqueKeys.contains { key in key.allSatisfy { names.contains(columns[$0].name) } }
  }

  /// Whether an index finds the records with given values in these columns without a scan.
  ///
  /// - Parameter collations: what texts are compared by, column by column; the columns' own where nil.
  public func isIndexed(_ names: [String], collations: [String]? = nil) -> Bool {
    let collations = collations ?? names.map { column(named: $0)?.collation ?? "BINARY" }
    return indexes.contains { index in
      let prefix = Array(zip(index.columns, index.collations).prefix(names.count))
      return prefix.count == names.count
        && prefix.allSatisfy { name, collation in
          guard let name, let position = names.firstIndex(of: name) else { return false }
          let own = collation ?? column(named: name)?.collation ?? "BINARY"
          return own.equalsIgnoringCase(collations[position])
        }
    }
  }
}

/// A column of a table.
public struct Column: Sendable, Hashable {
  /// The name exactly as in the database.
  public let name: String
  /// The declared type, or the empty string.
  public let declaredType: String
  /// The affinity that the declared type gives.
  public let affinity: Affinity
  /// Whether it may hold NULL.
  public let isNullable: Bool
  /// Whether it is computed, and so can't be written.
  public let isGenerated: Bool
  /// Whether an insert may leave it out though it is NOT NULL.
  public let hasDefault: Bool
  /// What it holds where an insert leaves it out: the expression of its `DEFAULT`; nil for NULL.
  public let defaultValue: SQL?
  /// The name of the collation that its texts are compared by.
  public let collation: String

  /// A column; of no type, nullable and without a default unless said otherwise.
  ///
  /// - Parameter affinity: where it isn't that of the declared type.
  public init(
    name: String, declaredType: String = "", affinity: Affinity? = nil, collation: String = "BINARY",
    isNullable: Bool = true, isGenerated: Bool = false, hasDefault: Bool = false, defaultValue: SQL? = nil
  ) {
    self.name = name
    self.declaredType = declaredType
    self.affinity = affinity ?? Self.affinity(of: declaredType)
    self.collation = collation
    self.isNullable = isNullable
    self.isGenerated = isGenerated
    self.hasDefault = hasDefault
    self.defaultValue = defaultValue
  }
}

/// An index that can find records by equality.
public struct Index: Sendable, Hashable {
  /// The names of its columns in index order; nil where it holds an expression.
  public let columns: [String?]
  /// The collation of each; nil where it is the column's own.
  public let collations: [String?]

  /// An index over these columns, by their own collations unless said otherwise.
  public init(columns: [String?], collations: [String?]? = nil) {
    self.columns = columns
    self.collations = collations ?? columns.map { _ in nil }
  }
}

/// An index over one column, ascending: it gives records in the order of its values, and equal ones in that of the rowid.
public struct OrderingIndex: Sendable, Hashable {
  /// The name of the index.
  public let name: String
  /// The name of the column.
  public let column: String

  /// The index of this name.
  public init(name: String, column: String) {
    self.name = name
    self.column = column
  }
}

/// A foreign key constraint, resolved: both sides exist and are of one length.
public struct ForeignKey: Sendable, Hashable {
  /// The names of the columns that refer.
  public let columns: [String]
  /// The name of the table referred to.
  public let destination: String
  /// The names of the columns referred to.
  public let destinationColumns: [String]

  /// A foreign key from `columns` to as many `destinationColumns`.
  public init(columns: [String], destination: String, destinationColumns: [String]) {
    self.columns = columns
    self.destination = destination
    self.destinationColumns = destinationColumns
  }
}

/// A full-text index over a table.
public struct FullText: Sendable, Hashable {
  /// The name of the virtual table.
  public let table: String
  /// The names of the columns that it indexes.
  public let columns: [String]
  /// 3, 4 or 5, as in `fts5`.
  public let version: Int

  /// The name that reads, in the indexed table, the rowid of the virtual one: of an external content, the
  /// `content_rowid` (<https://www.sqlite.org/fts5.html#external_content_tables>).
  public let rowIDName: String

  /// The column of PostgreSQL's type `tsvector` that is the index; nil where a virtual table is.
  public var vector: String?

  /// The index that a column of the type `tsvector` is, in the table itself.
  ///
  /// - Parameter columns: the names of the columns whose words it has, where these are known.
  public init(vector: String, of table: String, columns: [String] = []) {
    self.init(table: table, columns: columns, version: 0)
    self.vector = vector
  }

  /// The index that the virtual table `table` is.
  public init(table: String, columns: [String] = [], version: Int, rowIDName: String = "rowid") {
    self.table = table
    self.columns = columns
    self.version = version
    self.rowIDName = rowIDName
  }
}

extension String {
  /// The name as SQLite compares names: ASCII letters without case.
  package var foldingASCIICase: String {
    String(decoding: utf8.lazy.map(\.foldingASCIICase), as: UTF8.self)
  }

  /// Equality as SQLite compares names: ASCII letters without case.
  package func equalsIgnoringCase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0.foldingASCIICase == $1.foldingASCIICase }
  }
}

extension UInt8 {
  fileprivate var foldingASCIICase: UInt8 { 0x41...0x5A ~= self ? self + 0x20 : self }
}
