import KindredOutput
import KindredPlanning
import KindredPostgreSQL

/// The records that a plan for one record finds by several keys: one statement reads them all, and the levels below are
/// read for all of them together.
final class KeyedRecords {
  private let transaction: any StatementRunner
  private let plan: ExecutablePlan
  private let reader: LevelReader
  private let root: Level
  /// For each key the number of its record among the different keys.
  private let ordinals: [Int32]
  @exclusivity(unchecked) private var writer: ResultWriter<LevelRowSource>

  /// Reads the records, and what is below them as far as it may be held in memory.
  ///
  /// - Parameters:
  ///   - batch: The batch of the plan's root, whose columns are the literals that make up the key.
  ///   - parameters: The values of each record, which differ only in these.
  /// - Throws: `RequestError`, `PostgreSQLError`.
  init(
    _ plan: ExecutablePlan, _ batch: Plan.Batch, _ parameters: ArraySlice<Parameters>,
    in transaction: any StatementRunner
  ) throws {
    self.plan = plan
    self.transaction = transaction
    writer = ResultWriter(plan, limit: nil, LevelRowSource())
    let shared = parameters.first ?? Parameters(literals: [])
    let reader = try LevelReader(plan, shared, transaction.batches) { transaction.cursorName() }
    var keys = Ordinals(inputs: batch.columns)
    ordinals = try parameters.map { values in
      for column in batch.columns {
        let text = try values.text(of: column)
        if let text { text.withUnsafeBytes { keys.append($0) } } else { keys.append(nil) }
      }
      return keys.endRecord(origin: nil)
    }
    self.reader = reader
    root = try Self.naming(plan) {
      let query = Query(batch.statement.sql, try reader.values(of: batch.statement, for: keys))
      let root = Level(
        node: 0, rows: Rows(try transaction.run([query])[0]), link: batch.link, above: keys, parent: nil,
        nodeCount: plan.nodeCount)
      try reader.read(below: root) { queries, _ in try transaction.run(queries) }
      return root
    }
  }

  /// Calls `take` with the number of each key and a part of the result of its record, at least once; with nil if there is
  /// no such record.
  ///
  /// - Throws: `RequestError`, `PostgreSQLError`, and what `take` throws.
  func read(_ take: (_ number: Int, _ part: UnsafeRawBufferPointer?) throws -> Void) throws {
    defer { writer.removeAll() }
    for (number, ordinal) in ordinals.enumerated() {
      guard !root.range(of: Int(ordinal)).isEmpty else {
        try take(number, nil)
        continue
      }
      writer.begin(LevelRowSource.Position(root, of: Int(ordinal)))
      while !writer.isFinished {
        try Self.naming(plan) {
          while case .obstacle(let obstacle) = writer.run() {
            try reader.clear(obstacle, of: &writer) { queries, _ in try transaction.run(queries) }
          }
        }
        try take(number, writer.output.bytes)
        writer.output.removeAll()
      }
    }
  }

  /// Runs `body`, and throws the error of the request for an error about one of its values.
  private static func naming<Result>(_ plan: ExecutablePlan, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw plan.plan.requestError(of: error) ?? error
    }
  }
}
