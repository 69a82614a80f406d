import KindredBackend
import KindredModel
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// The order in which new records of one table are stored where the database checks each statement: each after the
/// records that it refers to.
struct ReferenceOrder {
  /// The numbers of the records: those of a ring, which refer to one another, are stored by one statement.
  let parts: [[Int]]

  /// Returns nil if the records can be stored in the order that they have.
  init?(_ drafts: [RecordDraft], in table: Table) {
    let keys = table.ownForeignKeys
    guard drafts.count > 1, !keys.isEmpty else { return nil }
    var targets: [[Int]] = Array(repeating: [], count: drafts.count)
    var isForward = false
    for key in keys {
      var places: [[String]: Int] = [:]
      for (number, draft) in drafts.enumerated() {
        if let values = draft.keyTexts(of: key.destinationColumns) { places[values] = number }
      }
      for (number, draft) in drafts.enumerated() {
        guard let values = draft.keyTexts(of: key.columns), let target = places[values], target != number
        else { continue }
        targets[number].append(target)
        isForward = isForward || target > number
      }
    }
    guard isForward else { return nil }
    parts = Self.components(of: targets)
  }

  /// Returns the strongly connected components of a graph, each after the ones that it leads to (Tarjan's algorithm, with an
  /// explicit stack, as a chain may be long).
  private static func components(of targets: [[Int]]) -> [[Int]] {
    var components: [[Int]] = []
    var indices = [Int?](repeating: nil, count: targets.count)
    var lows = [Int](repeating: 0, count: targets.count)
    var isOpen = [Bool](repeating: false, count: targets.count)
    var open: [Int] = []
    var next = 0
    for root in targets.indices where indices[root] == nil {
      var calls: [(node: Int, edge: Int)] = [(root, 0)]
      while let (node, edge) = calls.last {
        if edge == 0, indices[node] == nil {
          (indices[node], lows[node], isOpen[node]) = (next, next, true)
          next += 1
          open.append(node)
        }
        if edge < targets[node].count {
          calls[calls.count - 1].edge += 1
          let target = targets[node][edge]
          if let index = indices[target] {
            if isOpen[target] { lows[node] = min(lows[node], index) }
          } else {
            calls.append((target, 0))
          }
          continue
        }
        calls.removeLast()
        if let caller = calls.last?.node { lows[caller] = min(lows[caller], lows[node]) }
        guard lows[node] == indices[node] else { continue }
        var component: [Int] = []
        while let member = open.popLast() {
          isOpen[member] = false
          component.append(member)
          if member == node { break }
        }
        components.append(component.sorted())
      }
    }
    return components
  }
}

extension Table {
  /// The foreign keys that refer to the table itself.
  var ownForeignKeys: [ForeignKey] {
    foreignKeys.filter { ExactName($0.destination) == ExactName(name) }
  }
}

extension RecordDraft {
  /// Returns texts by which the values of a key are told apart; nil if one is NULL or not given.
  func keyTexts(of columns: [String]) -> [String]? {
    let texts = columns.compactMap { value(of: $0)?.keyText }
    return texts.count == columns.count ? texts : nil
  }
}

extension RecordWriter {
  /// Calls `body` with groups of the numbers of records, each after the records that it refers to, if the database checks each
  /// statement; with a writer that writes the records of a ring together.
  func forEachGroup(
    of drafts: [RecordDraft], in table: Table, _ body: (RecordWriter, [Int]) throws -> Void
  ) throws {
    guard transaction.checksEachStatement, let order = ReferenceOrder(drafts, in: table) else {
      return try forEachGroup(of: Array(drafts.indices)) { try body(self, $0) }
    }
    for run in order.parts.runs(by: { $0.count > 1 }) {
      guard let first = run.first, first.count > 1 else {
        try forEachGroup(of: run.flatMap(\.self)) { try body(self, $0) }
        continue
      }
      var together = self
      together.isTogether = true
      for ring in run { try body(together, ring) }
    }
  }

}

/// Inserts records in an order, those of a ring by one statement.
struct OrderedInsertion {
  let writer: RecordWriter
  let order: ReferenceOrder

  /// Runs insertions, and returns the rows of each.
  func run(_ changes: [RecordWriter.Change]) throws -> [[[SQLValue]]] {
    var rows: [[[SQLValue]]] = Array(repeating: [], count: changes.count)
    for part in order.parts.runs(by: { $0.count > 1 }) {
      guard let first = part.first, first.count > 1 else {
        let numbers = part.flatMap(\.self)
        for (number, found) in zip(numbers, try writer.run(numbers.map { changes[$0] })) {
          rows[number] = found
        }
        continue
      }
      for ring in part {
        for (number, row) in zip(ring, try insertTogether(ring.map { changes[$0] })) { rows[number] = [row] }
      }
    }
    return rows
  }

  /// The largest number of values in one statement: PostgreSQL takes 65,535, and its text must stay short.
  private static let largestValueCount = 1 << 13

  /// Inserts records by one statement, and returns the row of each.
  private func insertTogether(_ changes: [RecordWriter.Change]) throws -> [[SQLValue]] {
    guard let first = changes.first else { return [] }
    guard changes.reduce(0, { $0 + $1.values.count }) <= Self.largestValueCount else {
      throw RequestError(
        .limitExceeded,
        "too many records refer to one another in a ring; make the foreign key DEFERRABLE, or add them in parts"
      )
    }
    let returned = WrittenResource.once(changes.flatMap(\.returned))
    let rows = changes.map { $0.written.draft.columns.exact }
    let inserted = try writer.run(
      .insertions(rows: rows, returning: returned.exact), changes.flatMap(\.values),
      on: first.written.resource.table
    ) { error in
      let reasons = RefusalReasons(writer: writer)
      if error.constraint == .foreignKey,
        let problem = try reasons.danglingReference(
          of: changes.map(\.written.draft), in: first.written.resource)
      {
        return problem
      }
      return try reasons.problem(for: error, storing: first.written, changing: first.written.resource)
    }
    guard inserted.count == changes.count else { throw Problem.ignored(at: first.written.draft.pointer) }
    return zip(changes, inserted).map { StoredRecord(returned, $1).values(of: $0.returned) }
  }
}
