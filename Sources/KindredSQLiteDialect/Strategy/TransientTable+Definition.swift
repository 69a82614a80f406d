import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The copies of tables in place of the indexes that they lack.
extension TransientTable {
  /// A column by which records are looked up.
  struct Key {
    let column: Column
    /// Whether its values are converted, as for the comparison with another column.
    let isConverted: Bool
    fileprivate let affinity: Column.Affinity
    fileprivate let collation: String

    /// - Parameter comparison: How the column is compared with the one that it references; nil if without conversion.
    init(_ column: Column, of table: Table, comparison: KeyComparison?) {
      self.column = column
      isConverted = table.isCompound || !(comparison?.isPlain ?? true)
      affinity = comparison?.affinityOfCopy ?? column.affinity
      collation = comparison?.referred.collation ?? column.collation
    }

    /// The key in the name of the table.
    fileprivate var description: String {
      isConverted ? "\(column.name) \(affinity) \(collation)" : column.name
    }
  }

  /// Returns the name of the column with a converted key.
  static func keyName(_ number: Int) -> String { "kindred:k\(number)" }

  /// Creates the copy of a table that is found by keys.
  ///
  /// - Parameters:
  ///   - parents: The columns of the root's statement with the only keys that are looked up; nil if there may be others.
  ///   - commonTableExpressions: The `WITH` clause that reading the table requires.
  init(of table: Table, by keys: [Key], from parents: [Int]?, commonTableExpressions: SQL) {
    let name = "kindred:\(table.name)(\(keys.map(\.description).joined(separator: ",")))"
    let pointers = table.pointerColumns
    let columns =
      pointers.isEmpty
      ? Self.copies(of: table, by: keys)
      : keys.enumerated().map { Definition(name: "k\($0)", key: $1) }
        + pointers.enumerated().map { number, pointer in
          Definition(name: "p\(number)", pointer: table.column(named: pointer) ?? Column(name: pointer))
        }
    let definitions = columns.map(\.sql)
    let here: SQL = "temp.\(identifier: name)"
    let list = columns.map { "\(identifier: $0.name)" as SQL }.joined(separator: ", ")
    let create: SQL
    if pointers.isEmpty {
      let row: SQL = "\(identifier: StatementRecord.rowNumber) INTEGER PRIMARY KEY"
      let indexed = keys.enumerated().map { number, key -> SQL in
        "\(identifier: key.isConverted ? Self.keyName(number) : key.column.name)"
      }
      create =
        "CREATE TEMP TABLE \(identifier: name) (\((definitions + [row]).joined(separator: ", "))); CREATE INDEX temp.\(identifier: name + " index") ON \(identifier: name) (\(indexed.joined(separator: ", ")))"
    } else {
      create =
        "CREATE TEMP TABLE \(identifier: name) (\(definitions.joined(separator: ", ")), PRIMARY KEY (\(list))) WITHOUT ROWID"
    }
    // NULL equals nothing, so its rows are never looked up; sorting them first makes insertion append.
    let present = keys.map { "\(identifier: $0.column.name) IS NOT NULL" as SQL }.joined(separator: " AND ")
    let read = columns.map { "\(identifier: $0.copied)" as SQL }.joined(separator: ", ")
    let sorted: SQL = pointers.isEmpty ? SQL() : " ORDER BY \(read)"
    let fill: SQL =
      "\(commonTableExpressions)INSERT INTO \(here) (\(list)) SELECT \(read) FROM \(identifier: table.name) WHERE \(present)\(sorted)"
    self.init(
      name: name, create: create.rendered().text, fill: fill.rendered().text,
      fillForParents: pointers.isEmpty || keys.contains(where: \.isConverted)
        ? nil
        : Self.fillForParents(here, list, read, of: table, by: keys, commonTableExpressions).rendered().text,
      parents: parents, isTimeless: table.isTimeless)
  }

  /// One scan of the table, which finds the rows of some parents much faster than all rows are sorted.
  private static func fillForParents(
    _ here: SQL, _ list: SQL, _ read: SQL, of table: Table, by keys: [Key], _ commonTableExpressions: SQL
  ) -> SQL {
    let columns = keys.map { "\(identifier: $0.column.name)" as SQL }.joined(separator: ", ")
    let found: SQL = keys.count == 1 ? columns : "(\(columns))"
    let wanted = keys.indices.map { "\(identifier: "k\($0)")" as SQL }.joined(separator: ", ")
    return
      "\(commonTableExpressions)INSERT INTO \(here) (\(list)) SELECT \(read) FROM \(identifier: table.name) WHERE \(found) IN (SELECT \(wanted) FROM temp.\(identifier: parentKeys))"
  }

  /// A column of the transient table.
  private struct Definition {
    let name: String
    /// The name of the column that it copies.
    let copied: String
    /// Nil keeps all values as they are.
    let affinity: Column.Affinity?
    let collation: String

    init(name: String, key: Key) {
      (self.name, copied, affinity, collation) = (name, key.column.name, key.affinity, key.collation)
    }

    init(name: String, of column: Column, isConverted: Bool = true, collation: String? = nil) {
      (self.name, copied, self.collation) = (name, column.name, collation ?? column.collation)
      affinity = isConverted ? column.affinity : nil
    }

    /// A column of the key of the table that is copied.
    init(name: String, pointer: Column) {
      self.init(name: name, of: pointer, collation: pointer.keyCollation)
    }

    var sql: SQL {
      let plain: SQL = "\(identifier: name)\(affinity.map { " \($0.sql)" } ?? SQL())"
      return collation.equalsIgnoringCase("BINARY") ? plain : "\(plain) COLLATE \(identifier: collation)"
    }
  }

  /// Returns all columns of a table without a key, and its converted keys.
  ///
  /// The parts of a compound SELECT may give a column values of any type, which the affinity of the column would convert.
  private static func copies(of table: Table, by keys: [Key]) -> [Definition] {
    table.columns.map { Definition(name: $0.name, of: $0, isConverted: !table.isCompound) }
      + keys.enumerated().compactMap { number, key in
        key.isConverted ? Definition(name: keyName(number), key: key) : nil
      }
  }
}
