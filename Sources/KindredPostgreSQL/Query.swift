/// A statement with the texts that are bound to its parameters.
public struct Query: Sendable, Equatable {
  /// The statement, with `$1`, `$2`… in place of values.
  public let sql: String
  /// The text of each value in PostgreSQL's format; nil for NULL.
  public let values: [[UInt8]?]
  /// Whether the statement should be prepared for reuse.
  public let isReusable: Bool
  /// Whether it needs a transaction that `BEGIN` has begun, as cursors and savepoints do.
  public let needsTransactionBlock: Bool
  /// Whether it returns at most one row.
  public var hasOneRow = false

  /// Creates a statement with values.
  public init(
    _ sql: String, _ values: [[UInt8]?] = [], isReusable: Bool = true, needsTransactionBlock: Bool = false
  ) {
    self.sql = sql
    self.values = values
    self.isReusable = isReusable
    self.needsTransactionBlock = needsTransactionBlock
  }

  /// About the number of bytes that it takes to send the statement, if it is prepared.
  public var size: Int { values.reduce(64) { $0 + ($1?.count ?? 0) } }

  /// Calls `body` with the values as C strings.
  ///
  /// - Throws: `PostgreSQLError` if a value contains a zero byte, which texts of PostgreSQL can't.
  func withValues<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int32) -> Result
  ) throws(PostgreSQLError) -> Result {
    var memory: [CChar] = []
    memory.reserveCapacity(values.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
    var starts: [Int?] = []
    for value in values {
      guard let value else {
        starts.append(nil)
        continue
      }
      guard !value.contains(0) else {
        throw PostgreSQLError(
          .untranslatableCharacter, "PostgreSQL can't store the character U+0000 in a text")
      }
      starts.append(memory.count)
      memory.append(contentsOf: value.lazy.map { CChar(bitPattern: $0) })
      memory.append(0)
    }
    return memory.withUnsafeBufferPointer { memory in
      let pointers = starts.map { start in start.flatMap { offset in memory.baseAddress.map { $0 + offset } }
      }
      return pointers.withUnsafeBufferPointer { body($0.baseAddress, Int32(values.count)) }
    }
  }
}
