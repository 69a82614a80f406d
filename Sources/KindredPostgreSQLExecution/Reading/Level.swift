import KindredAssociations
import KindredPostgreSQL
import KindredSQLSyntax

/// The rows of a node for many records above at once, and those of the nodes below.
///
/// Each record above has its rows at places of its own, though two records may share rows.
final class Level {
  /// The rows below a level that belong to one node.
  struct Child {
    let level: Level
    /// By place in the level above, which of the records above this level it is.
    let ordinals: [Int32]
  }

  let node: Int
  /// How often the node repeats above, where it does.
  let recursionLevel: Int
  let rows: Rows
  /// The records above.
  let above: Ordinals
  /// The level above; nil of the root.
  private(set) unowned var parent: Level?
  /// By place, the number of the row; nil where all rows are at their own places.
  private var order: [Int32]?
  /// By record above, where its places begin; the end is last.
  private var starts: [Int32] = []
  /// By number of the node.
  private(set) var children: [Child?]

  /// The rows of a node.
  ///
  /// - Parameters:
  ///   - link: how a row tells which records it belongs to.
  ///   - nodeCount: how many nodes the plan has.
  init(
    node: Int, recursionLevel: Int = 0, rows: Rows, link: Plan.Link, above: Ordinals, parent: Level?,
    nodeCount: Int
  ) {
    self.node = node
    self.recursionLevel = recursionLevel
    self.rows = rows
    self.above = above
    self.parent = parent
    children = Array(repeating: nil, count: nodeCount)
    starts.reserveCapacity(above.count + 1)
    switch link {
    case .number: numberRows()
    case .key(let column): groupRows(by: column)
    }
  }

  /// The rows of the root, the first `limit` of which count.
  init(root rows: Rows, path: Ordinals, limit: Int, nodeCount: Int) {
    node = 0
    recursionLevel = 0
    self.rows = rows
    above = path
    parent = nil
    starts = [0, Int32(min(rows.count, limit))]
    children = Array(repeating: nil, count: nodeCount)
  }

  /// The number of the record above is in the last column, from 1 and in ascending order.
  private func numberRows() {
    let last = rows.result.columnCount - 1
    for row in 0..<rows.count {
      let ordinal = Int(rows.result.integer(row, last) ?? 0) - 1
      while starts.count <= ordinal { starts.append(Int32(row)) }
    }
    while starts.count <= above.count { starts.append(Int32(rows.count)) }
  }

  /// Rows of one key follow one another.
  private func groupRows(by column: Int) {
    var groups: [[UInt8]: Range<Int32>] = [:]
    var row = 0
    while row < rows.count {
      let start = row
      repeat { row += 1 } while row < rows.count && rows.hasSame(row, column, as: rows, start, column)
      groups[Array(rows.result.bytes(start, column))] = Int32(start)..<Int32(row)
    }
    var order: [Int32] = []
    order.reserveCapacity(rows.count)
    for ordinal in 0..<above.count {
      starts.append(Int32(order.count))
      if let group = above.value(0, of: ordinal).flatMap({ groups[$0] }) { order += group }
    }
    starts.append(Int32(order.count))
    self.order = order
  }

  /// How many places there are.
  var count: Int { Int(starts.last ?? 0) }

  /// The places of a record above.
  @inline(__always)
  func range(of ordinal: Int) -> Range<Int> { Int(starts[ordinal])..<Int(starts[ordinal + 1]) }

  /// The number of the row at a place.
  @inline(__always)
  func row(at place: Int) -> Int { order.map { Int($0[place]) } ?? place }

  /// The record above whose place it is.
  func ordinal(of place: Int) -> Int {
    // The last that begins there or before.
    var (low, high) = (0, above.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if Int(starts[middle]) <= place { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Keeps only some places of each record above.
  ///
  /// - Parameter choose: gives those of a record, of all that it has.
  func keep(_ choose: (_ ordinal: Int, _ places: Range<Int>) -> [Int]) {
    var order: [Int32] = []
    var starts: [Int32] = []
    for ordinal in 0..<above.count {
      starts.append(Int32(order.count))
      order += choose(ordinal, range(of: ordinal)).map { Int32(row(at: $0)) }
    }
    starts.append(Int32(order.count))
    (self.order, self.starts) = (order, starts)
  }

  func set(_ child: Child, of node: Int) { children[node] = child }
}

/// Records above a level, told apart by what is read of them.
struct Ordinals {
  /// What is read of each record, as the statements below call it.
  let inputs: [SQL.Binding]
  /// For each record, the values of the inputs.
  private var values: [[UInt8]?] = []
  private(set) var count = 0
  /// For each record, its place above; only where no two places are the same record.
  private(set) var origins: [Int32] = []
  private var numbers: [[UInt8]: Int32] = [:]

  init(inputs: [SQL.Binding]) {
    self.inputs = inputs
  }

  /// The value of an input.
  func value(_ input: Int, of ordinal: Int) -> [UInt8]? { values[ordinal * inputs.count + input] }

  /// The number of a record with these values.
  ///
  /// - Parameter origin: its place, where records are never taken for the same; nil where equal ones are.
  mutating func number(of values: [[UInt8]?], origin: Int?) -> Int32 {
    let number = Int32(count)
    if let origin {
      origins.append(Int32(origin))
    } else {
      // Each value by whether it is there, its length and its bytes.
      var key: [UInt8] = []
      for value in values {
        key.append(value == nil ? 0 : 1)
        guard let value else { continue }
        withUnsafeBytes(of: value.count) { key += $0 }
        key += value
      }
      if let known = numbers[key] { return known }
      numbers[key] = number
    }
    self.values += values
    count += 1
    return number
  }

  /// The array of the values of an input.
  func array(of input: Int) -> [UInt8] {
    ArrayText((0..<count).map { value(input, of: $0) }).bytes
  }
}
