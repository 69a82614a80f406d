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

  /// - Parameter commonTableExpressions: the `WITH` clause that the table needs.
  init(name: String, of table: Table, by columns: [String], commonTableExpressions: SQL) {
    self.name = name
    let pointers = table.pointerColumns
    let copied = pointers.isEmpty ? table.columns.map(\.name) : columns + pointers
    let names: [String] =
      pointers.isEmpty
      ? copied : columns.indices.map { "k\($0)" } + pointers.indices.map { "p\($0)" }
    let definitions: [SQL] = zip(names, copied).map { name, column in
      "\(identifier: name) \(table.column(named: column)?.affinity.sql ?? "BLOB")"
    }
    let read: [SQL] = copied.map { "\(identifier: $0)" }
    let keys: [SQL] = columns.map { "\(identifier: $0)" }
    let list = definitions.joined(separator: ", ")
    let here: SQL = "temp.\(identifier: name)"
    if pointers.isEmpty {
      let indexed = keys.joined(separator: ", ")
      create =
        ("CREATE TEMP TABLE \(identifier: name) (\(list)); CREATE INDEX temp.\(identifier: name + " index") ON \(identifier: name) (\(indexed))"
        as SQL).rendered().text
    } else {
      let key = names.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
      create =
        ("CREATE TEMP TABLE \(identifier: name) (\(list), PRIMARY KEY (\(key))) WITHOUT ROWID" as SQL)
        .rendered().text
    }
    // NULL equals nothing, so its rows are never looked for; sorted, they are appended and not inserted.
    let present = keys.map { "\($0) IS NOT NULL" as SQL }.joined(separator: " AND ")
    let order = read.prefix(pointers.isEmpty ? 0 : read.count).joined(separator: ", ")
    let sorted: SQL = order.isEmpty ? SQL() : " ORDER BY \(order)"
    fill =
      ("\(commonTableExpressions)INSERT INTO \(here) SELECT \(read.joined(separator: ", ")) FROM \(identifier: table.name) WHERE \(present)\(sorted)"
      as SQL).rendered().text
  }
}

extension Table {
  /// The columns that find a record again; empty for views and common table expressions.
  public var pointerColumns: [String] {
    switch kind {
    case .view, .commonTableExpression, .ofRequest: []
    case .table, .virtual: rowIDName.map { [$0] } ?? primaryKey.map { columns[$0].name }
    }
  }
}

extension Column {
  /// What a column prefers to hold (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
  public enum Affinity: Sendable {
    case integer, text, blob, real, numeric

    /// Whether it turns texts that look like numbers into numbers.
    var isNumeric: Bool { self != .text && self != .blob }

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
  static func affinity(of declaredType: String) -> Affinity {
    let type = declaredType.uppercased()
    if type.contains("INT") { return .integer }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
    if type.isEmpty || type.contains("BLOB") { return .blob }
    if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return .real }
    return .numeric
  }
}
