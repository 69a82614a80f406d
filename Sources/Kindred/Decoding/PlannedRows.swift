import KindredSQLSyntax
import KindredSQLite

/// The rows that a statement of a plan has returned, each of which belongs to a row of the statement above.
final class PlannedRows {
  let node: PlannedShape.Node
  private(set) var count = 0
  // Rows move from here into their lists, which is cheaper than a copy that counts references.
  private var rows: UnsafeMutableBufferPointer<Row>
  private let ownsMemory: Bool
  private var storage: RowStorage?
  private let above: PlannedRows?
  /// For each row, the index of the row above.
  private var owners: [Int] = []
  /// Whether the owners are in ascending order.
  private var isOrdered = true

  /// Creates an empty list of the rows of a node.
  init(of node: PlannedShape.Node, below above: PlannedRows) {
    self.node = node
    self.above = above
    rows = .allocate(capacity: 16)
    ownsMemory = true
  }

  /// Borrows the rows of the root.
  init(_ root: UnsafeMutableBufferPointer<Row>, of node: PlannedShape.Node) {
    self.node = node
    above = nil
    rows = root
    count = root.count
    ownsMemory = false
  }

  deinit {
    guard ownsMemory else { return }
    rows[..<count].deinitialize()
    rows.deallocate()
  }

  /// Appends the current row of a statement.
  ///
  /// - Parameters:
  ///   - columnCount: The number of columns that are values of the row.
  ///   - owner: The index of the row above.
  /// - Throws: `RowDecodingError` if a key is not valid UTF-8.
  func append(
    _ statement: DriverStatement, _ columnCount: Int32, _ owner: Int, _ failures: DecodingFailures
  ) throws {
    var storage = storage ?? RowStorage(width: Int(columnCount), besides: 0, failures: failures)
    if storage.isFull { storage = RowStorage(width: Int(columnCount), besides: count, failures: failures) }
    self.storage = storage
    let row = Row(layout: node.layout, storage: storage, start: storage.append(statement))
    try statement.checkKeys(node.keyColumns, of: row)
    if count == rows.count { grow() }
    rows.initializeElement(at: count, to: row)
    count += 1
    if let last = owners.last, last > owner { isOrdered = false }
    owners.append(owner)
  }

  private func grow() {
    let larger = UnsafeMutableBufferPointer<Row>.allocate(capacity: rows.count * 2)
    _ = larger.moveInitialize(fromContentsOf: rows)
    rows.deallocate()
    rows = larger
  }

  /// Sets the collection of each row.
  func set(_ lists: [[Row]], forKey key: String, in path: [String]) {
    for index in 0..<count { rows[index].prefetchedRows.set(lists[index], forKey: key, in: path) }
  }

  /// Returns the value of a column of a row, or of the row that it belongs to some levels above; nil if there is none.
  func value(_ column: Int, above levels: Int, _ index: Int) -> SQLValue? {
    var (level, index) = (self, index)
    for _ in 0..<levels {
      guard let above = level.above else { return nil }
      (level, index) = (above, level.owners[index])
    }
    return level.rows[index].value(ofColumn: column)
  }

  /// Returns the rows of each row above, and leaves none.
  func takeLists() -> [[Row]] {
    var lists = [[Row]](repeating: [], count: above?.count ?? 0)
    if isOrdered {
      var start = 0
      while start < count {
        let owner = owners[start]
        var end = start + 1
        while end < count, owners[end] == owner { end += 1 }
        lists[owner] = moved(start..<end)
        start = end
      }
    } else {
      for index in 0..<count { lists[owners[index]].append(rows.moveElement(from: index)) }
    }
    count = 0
    return lists
  }

  private func moved(_ range: Range<Int>) -> [Row] {
    [Row](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      initialized = buffer.moveInitialize(fromContentsOf: rows[range])
    }
  }
}

extension DriverStatement {
  /// Throws if one of these columns of the current row holds a text that is not UTF-8.
  ///
  /// In the row's values, U+FFFD replaces the invalid bytes, so the text would equal no key of the rows below.
  func checkKeys(_ columns: [Int], of row: Row) throws {
    for column in columns {
      // U+FFFD begins with the byte EF, which few keys contain.
      guard case .text(let text)? = row.value(ofColumn: column), text.utf8.contains(0xEF) else { continue }
      let index = Int32(truncatingIfNeeded: column)
      guard !text.utf8.elementsEqual(bytes(index)) else { continue }
      throw RowDecodingError(
        .mismatch(found: "a text that is not valid UTF-8"), key: columnName(index), type: String.self)
    }
  }
}
