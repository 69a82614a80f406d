import KindredSQLSyntax

/// A copy of what the database lacks an index for, made for a connection and valid until the database changes.
///
/// Nested statements are right only where each finds its rows by an index. Where the schema has none, one pass over
/// the table makes one, so that the cost stays linear in its rows.
public struct TransientTable: Sendable, Hashable {
  /// Its name in the `temp` schema: says what it holds.
  public let name: String
  /// Makes it, empty.
  public let create: String
  /// Reads the database into it.
  public let fill: String

  /// A column by which records are found.
  struct Key {
    let column: Column
    /// Whether it holds values as another column compares them.
    let isConverted: Bool
    fileprivate let affinity: Column.Affinity
    fileprivate let collation: String

    /// - Parameter comparison: how the column is compared with the one that it refers to; nil where as it is.
    init(_ column: Column, comparison: KeyComparison?) {
      self.column = column
      isConverted = !(comparison?.isPlain ?? true)
      affinity = comparison?.affinityOfCopy ?? column.affinity
      collation = comparison?.referred.collation ?? column.collation
    }

    /// In the name of the table.
    fileprivate var description: String {
      isConverted ? "\(column.name) \(affinity) \(collation)" : column.name
    }
  }

  /// The column of a copy that numbers its rows: what tells equal records apart that have no key.
  static let rowNumber = "kindred:row"

  /// The column of a copy that holds a key as another column compares it.
  static func keyName(_ number: Int) -> String { "kindred:k\(number)" }

  /// - Parameter commonTableExpressions: the `WITH` clause that the table needs.
  init(of table: Table, by keys: [Key], commonTableExpressions: SQL) {
    name = "kindred:\(table.name)(\(keys.map(\.description).joined(separator: ",")))"
    let pointers = table.pointerColumns
    let columns =
      pointers.isEmpty
      ? Self.copies(of: table, by: keys)
      : keys.enumerated().map { Definition(name: "k\($0)", key: $1) }
        + pointers.enumerated().map { number, pointer in
          Definition(name: "p\(number)", of: table.column(named: pointer) ?? Column(name: pointer))
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
    // NULL equals nothing, so its rows are never looked for; sorted, they are appended and not inserted.
    let present = keys.map { "\(identifier: $0.column.name) IS NOT NULL" as SQL }.joined(separator: " AND ")
    let read = columns.map { "\(identifier: $0.copied)" as SQL }.joined(separator: ", ")
    let sorted: SQL = pointers.isEmpty ? SQL() : " ORDER BY \(read)"
    fill =
      ("\(commonTableExpressions)INSERT INTO \(here) (\(list)) SELECT \(read) FROM \(identifier: table.name) WHERE \(present)\(sorted)"
      as SQL).rendered().text
  }

  /// The table in a `FROM` clause.
  func reference(as alias: String) -> SQL { "temp.\(identifier: name) AS \(identifier: alias)" }

  /// A column of it.
  private struct Definition {
    let name: String
    /// The name of the column that it copies.
    let copied: String
    let affinity: Column.Affinity
    let collation: String

    init(name: String, key: Key) {
      (self.name, copied, affinity, collation) = (name, key.column.name, key.affinity, key.collation)
    }

    init(name: String, of column: Column) {
      (self.name, copied, affinity, collation) = (name, column.name, column.affinity, column.collation)
    }

    var sql: SQL {
      let plain: SQL = "\(identifier: name) \(affinity.sql)"
      return collation.equalsIgnoringCase("BINARY") ? plain : "\(plain) COLLATE \(identifier: collation)"
    }
  }

  /// All columns of a table without a key, and those that it is found by where these compare values otherwise.
  private static func copies(of table: Table, by keys: [Key]) -> [Definition] {
    table.columns.map { Definition(name: $0.name, of: $0) }
      + keys.enumerated().compactMap { number, key in
        key.isConverted ? Definition(name: keyName(number), key: key) : nil
      }
  }
}

extension Column {
  /// What a column prefers to hold (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
  public enum Affinity: Sendable {
    case integer, text, blob, real, numeric

    /// Whether it turns texts that look like numbers into numbers.
    package var isNumeric: Bool { self != .text && self != .blob }

    var sql: SQL {
      switch self {
      case .integer: "INTEGER"
      case .text: "TEXT"
      case .blob: "BLOB"
      case .real: "REAL"
      case .numeric: "NUMERIC"
      }
    }
  }

  /// The affinity that a declared type gives.
  package static func affinity(of declaredType: String) -> Affinity {
    let type = declaredType.uppercased()
    if type.contains("INT") { return .integer }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
    if type.isEmpty || type.contains("BLOB") { return .blob }
    if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return .real }
    return .numeric
  }
}
