/// The columns of a view of one table, as its stored definition has them: the tree of nodes in `pg_rewrite.ev_action`.
///
///     ({QUERY … :targetList ({TARGETENTRY :expr {VAR …} :resno 1 … :resorigtbl 16384 :resorigcol 2 :resjunk false} …) …})
///
/// `resorigtbl` and `resorigcol` are the table and the number of the column, or 0 for an expression.
struct ViewTargets {
  /// Nil for an expression.
  private(set) var columns: [(relation: Int64, column: Int64)?] = []
  /// Whether the view has a condition: its `:jointree`, the first one of the text, has one in `:quals`.
  let hasCondition: Bool

  /// The number of parentheses and braces around the fields of a column of the view itself, and not of a subquery.
  private static let depth = 4

  init(_ tree: String) {
    let joins = tree.firstRange(of: ":jointree ").map { tree[$0.upperBound...] }
    let condition = joins.flatMap { joins in joins.firstRange(of: ":quals ").map { joins[$0.upperBound...] } }
    hasCondition = !(condition?.hasPrefix("<>") ?? true)
    var fields: [UInt8] = []
    var depth = 0
    var bytes = tree.utf8.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "\\"): _ = bytes.next()
      case UInt8(ascii: "("), UInt8(ascii: "{"):
        // A nested node is one value of its field.
        if depth == Self.depth { fields.append(UInt8(ascii: "_")) }
        depth += 1
        if depth == Self.depth { fields = [] }
      case UInt8(ascii: ")"), UInt8(ascii: "}"):
        if depth == Self.depth { add(String(decoding: fields, as: UTF8.self)) }
        depth -= 1
      default:
        if depth == Self.depth { fields.append(byte) }
      }
    }
  }

  /// Adds the column of a node with these fields, if it is one.
  private mutating func add(_ node: String) {
    let words = node.split(separator: " ")
    guard words.first == "TARGETENTRY" else { return }
    var fields: [Substring: Substring] = [:]
    for place in stride(from: 1, to: words.count - 1, by: 2) { fields[words[place]] = words[place + 1] }
    guard fields[":resjunk"] == "false", let table = fields[":resorigtbl"].flatMap({ Int64($0) }),
      let column = fields[":resorigcol"].flatMap({ Int64($0) })
    else { return }
    columns.append(table == 0 ? nil : (table, column))
  }
}
