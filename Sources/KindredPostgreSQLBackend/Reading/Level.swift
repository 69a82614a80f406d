import KindredPlanning
import KindredPostgreSQL

/// The rows of a node for a whole batch of parent records, with the levels of its child nodes.
///
/// Each parent record has its own range of places. Two parents may share rows, so a place maps to a row.
final class Level {
  /// The level of a child node, below some places of the parent level.
  struct Child {
    /// The level; nil if nothing has been read yet.
    var level: Level?
    /// The first of the places.
    var first = 0
    /// For each of the places, the number of its parent record.
    var ordinals: [Int32] = []

    /// A child that is read when it is written.
    static var later: Child { Child() }

    /// Returns the level and the number of the parent record of a place; nil if they have to be read.
    @inline(__always)
    func level(at place: Int) -> (level: Level, ordinal: Int)? {
      let index = place - first
      guard let level, index >= 0, index < ordinals.count else { return nil }
      return (level, Int(ordinals[index]))
    }
  }

  let node: Int
  /// The level of recursion; 0 if the node is not recursive.
  let recursionLevel: Int
  let rows: Rows
  /// The parent records.
  let above: Ordinals
  /// The parent level; nil for the root.
  private(set) unowned var parent: Level?
  /// For each place the number of its row; nil if they are the same.
  private var order: [Int32]?
  /// For each parent record the start of its range of places, followed by the end of the last range.
  private var starts: [Int32] = []
  /// The levels of the child nodes, by the number of the node.
  private(set) var children: [Child?]
  /// The cursor that returns more rows of the only parent record; nil if all have been read.
  var rest: LevelCursor?

  /// Creates the level of a node.
  ///
  /// - Parameters:
  ///   - link: How a row identifies its parent records.
  ///   - nodeCount: The number of nodes in the plan.
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

  /// Creates the level of the root with its first `limit` rows.
  init(root rows: Rows, path: Ordinals, limit: Int, nodeCount: Int) {
    node = 0
    recursionLevel = 0
    self.rows = rows
    above = path
    parent = nil
    starts = [0, Int32(min(rows.count, limit))]
    children = Array(repeating: nil, count: nodeCount)
  }

  /// Assigns rows by the last column, which has the number of the parent record, from 1 in ascending order.
  private func numberRows() {
    let last = rows.result.columnCount - 1
    for row in 0..<rows.count {
      let ordinal = min(max(Int(rows.result.integer(row, last) ?? 0), 1), above.count) - 1
      while starts.count <= ordinal { starts.append(Int32(row)) }
    }
    while starts.count <= above.count { starts.append(Int32(rows.count)) }
  }

  /// Assigns rows by a key column; rows with the same key are adjacent.
  private func groupRows(by column: Int) {
    let result = rows.result
    var groups: [Range<Int32>] = []
    var numbers = KeyTable(capacity: min(above.count, rows.count))
    func number(of key: UnsafeRawBufferPointer, _ hash: UInt64) -> Int? {
      numbers.number(of: hash) { key.hasSameBytes(as: result.bytes(Int(groups[$0].lowerBound), column)) }
    }
    var row = 0
    while row < rows.count {
      let start = row
      let key = result.bytes(start, column)
      repeat { row += 1 } while row < rows.count && key.hasSameBytes(as: result.bytes(row, column))
      let hash = KeyTable.hash(key)
      guard number(of: key, hash) == nil else { continue }
      numbers.add(hash)
      groups.append(Int32(start)..<Int32(row))
    }
    var (order, starts): ([Int32], [Int32]) = ([], [])
    order.reserveCapacity(rows.count)
    starts.reserveCapacity(above.count + 1)
    for ordinal in 0..<above.count {
      starts.append(Int32(order.count))
      let group = above.withValue(0, of: ordinal) { key in
        key.flatMap { number(of: $0, KeyTable.hash($0)) }.map { groups[$0] }
      }
      if let group { order += group }
    }
    starts.append(Int32(order.count))
    (self.order, self.starts) = (order, starts)
  }

  /// The number of places.
  var count: Int { Int(starts.last ?? 0) }

  /// Returns the places of a parent record.
  @inline(__always)
  func range(of ordinal: Int) -> Range<Int> { Int(starts[ordinal])..<Int(starts[ordinal + 1]) }

  /// Returns the number of the row at a place.
  @inline(__always)
  func row(at place: Int) -> Int { order.map { Int($0[place]) } ?? place }

  /// Returns the number of the parent record that a place belongs to.
  func ordinal(of place: Int) -> Int {
    // Binary search for the last range that starts at or before the place.
    var (low, high) = (0, above.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if Int(starts[middle]) <= place { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Keeps only some places of each parent record.
  ///
  /// - Parameter choose: Returns the places to keep of a parent record.
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
