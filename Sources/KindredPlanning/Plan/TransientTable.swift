import KindredModel
import KindredSQLSyntax

/// A temporary copy in place of an index that the database lacks, valid for one connection until the database changes.
///
/// Nested statements must find their rows by an index. If the schema has none, one pass over the table makes one, so
/// that the cost stays linear in its rows.
public struct TransientTable: Sendable, Hashable {
  /// The name in the `temp` schema, which describes the content.
  public let name: String
  /// The statement that creates it.
  public let create: String
  /// The statement that fills it.
  public let fill: String
  private let isTimeless: Bool

  /// A column by which records are looked up.
  package struct Key {
    package let column: Column
    /// Whether its values are converted, as for the comparison with another column.
    package let isConverted: Bool
    fileprivate let affinity: Column.Affinity
    fileprivate let collation: String

    /// - Parameter comparison: How the column is compared with the one that it references; nil if without conversion.
    package init(_ column: Column, of table: Table, comparison: KeyComparison?) {
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

  /// The column that numbers the rows of a copy, and so distinguishes equal records without a key.
  static let rowNumber = "kindred:row"

  /// Returns the name of the column with a converted key.
  package static func keyName(_ number: Int) -> String { "kindred:k\(number)" }

  /// - Parameter commonTableExpressions: The `WITH` clause that reading the table requires.
  package init(of table: Table, by keys: [Key], commonTableExpressions: SQL) {
    name = "kindred:\(table.name)(\(keys.map(\.description).joined(separator: ",")))"
    isTimeless = table.isTimeless
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
    if pointers.isEmpty {
      let row: SQL = "\(identifier: Self.rowNumber) INTEGER PRIMARY KEY"
      let indexed = keys.enumerated().map { number, key -> SQL in
        "\(identifier: key.isConverted ? Self.keyName(number) : key.column.name)"
      }
      create =
        ("CREATE TEMP TABLE \(identifier: name) (\((definitions + [row]).joined(separator: ", "))); CREATE INDEX temp.\(identifier: name + " index") ON \(identifier: name) (\(indexed.joined(separator: ", ")))"
        as SQL).rendered().text
    } else {
      create =
        ("CREATE TEMP TABLE \(identifier: name) (\(definitions.joined(separator: ", ")), PRIMARY KEY (\(list))) WITHOUT ROWID"
        as SQL).rendered().text
    }
    // NULL equals nothing, so its rows are never looked up; sorting them first makes insertion append.
    let present = keys.map { "\(identifier: $0.column.name) IS NOT NULL" as SQL }.joined(separator: " AND ")
    let read = columns.map { "\(identifier: $0.copied)" as SQL }.joined(separator: ", ")
    let sorted: SQL = pointers.isEmpty ? SQL() : " ORDER BY \(read)"
    fill =
      ("\(commonTableExpressions)INSERT INTO \(here) (\(list)) SELECT \(read) FROM \(identifier: table.name) WHERE \(present)\(sorted)"
      as SQL).rendered().text
  }

  /// Returns the table for a `FROM` clause.
  func reference(as alias: String) -> SQL {
    let sql = ("temp.\(identifier: name) AS \(identifier: alias)" as SQL).noted(PlanNote.transient(self))
    return isTimeless ? sql : sql.noted(PlanNote.volatile)
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
