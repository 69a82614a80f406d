import OracleValues

/// The values of an expression that is left to SQLite.
struct Operands {
  /// A column of a table that SQLite makes for columns of its type and collation.
  struct Column {
    var type: String
    var collation: String
    var value: Value

    var table: String { "\(type) \(collation)" }
  }

  private(set) var arguments: [Value] = []
  private(set) var columns: [Column] = []
  /// Whether columns are columns to SQLite too, which decides about their comparisons.
  var areColumns = false
  /// Whether there is a column of which a parameter wouldn't do.
  private(set) var readsOddColumns = false

  init(areColumns: Bool = false) { self.areColumns = areColumns }

  mutating func parameter(_ value: Value) -> String {
    arguments.append(value)
    return "?\(arguments.count)"
  }

  mutating func column(_ column: ColumnSchema?, _ value: Value) -> String {
    guard let column else { return parameter(value) }
    if areColumns {
      let operand = Column(
        type: column.declared ?? column.kind.rawValue, collation: column.collation.rawValue, value: value)
      columns.append(operand)
      return "\(quoted(operand.table)).c\(columns.count { $0.table == operand.table })"
    }
    if column.isOdd {
      readsOddColumns = true
      return parameter(value)
    }
    let parameter = parameter(value)
    return value.isNull
      ? parameter : "CAST(\(parameter) AS \(column.kind == .boolean ? "NUMERIC" : column.kind.rawValue))"
  }
}
