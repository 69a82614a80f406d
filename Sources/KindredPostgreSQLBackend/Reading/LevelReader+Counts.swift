import KindredPlanning
import KindredOutput
import KindredPostgreSQL

/// Records that show how many records are associated with them, all of which are read.
extension LevelReader {
  /// Shows the number of rows of each parent record, all of which are in a level, if the records show it.
  func showCounts(of level: Level, in read: Read) throws {
    guard let column = plan.plan.nodes[read.node].batch?.count?.column else { return }
    try read.show(in: column) { level.range(of: $0).count }
  }

  /// Shows the number of rows of each record of a level, for children that are not read for all of them at once.
  func showCounts(of children: [(child: Int, level: Level)], _ run: Run) throws {
    var reads: [(read: Read, column: Int)] = []
    var queries: [Query] = []
    for (child, level) in children {
      guard let count = plan.plan.nodes[child].batch?.count else { continue }
      let read = try read(of: child, below: level, places: 0..<level.count)
      reads.append((read, count.column))
      queries.append(Query(count.statement.sql, try values(of: count.statement, for: read.records)))
    }
    for ((read, column), result) in zip(reads, try self.run(queries, isLast: false, run)) {
      let counts = Level(
        node: read.node, rows: Rows(result), link: .key(0), above: read.records, parent: nil,
        nodeCount: plan.nodeCount)
      try read.show(in: column) { ordinal in
        // Parents without rows are missing here.
        counts.range(of: ordinal).first.flatMap { result.integer(counts.row(at: $0), 1) }.map(Int.init) ?? 0
      }
    }
  }
}

extension LevelReader.Read {
  /// Replaces a column of the parent records.
  ///
  /// - Parameter number: Returns the value for a parent record.
  fileprivate func show(in column: Int, _ number: (_ ordinal: Int) -> Int) throws {
    for (place, ordinal) in zip(places, ordinals) {
      try parent.rows.result.set(parent.row(at: place), column, to: number(Int(ordinal)))
    }
  }
}
