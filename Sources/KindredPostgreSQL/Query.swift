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
  /// Whether it is only prepared, and returns its columns without rows.
  public private(set) var isDescribed = false

  /// Creates a statement with values.
  public init(
    _ sql: String, _ values: [[UInt8]?] = [], isReusable: Bool = true, needsTransactionBlock: Bool = false
  ) {
    self.sql = sql
    self.values = values
    self.isReusable = isReusable
    self.needsTransactionBlock = needsTransactionBlock
  }

  /// Creates a statement that is prepared, to learn its columns, and not run.
  public init(describing sql: String) {
    self.init(sql, isReusable: false)
    isDescribed = true
  }

  /// About the number of bytes that it takes to send the statement, if it is prepared.
  public var size: Int { values.reduce(64) { $0 + ($1?.count ?? 0) } }

  /// Calls `body` with the values as C strings.
  ///
  /// - Throws: `PostgreSQLError` if a value contains a zero byte, which texts of PostgreSQL can't.
  func withValues<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int32) -> Result
  ) throws(PostgreSQLError) -> Result {
    if let index = values.firstIndex(where: { $0?.contains(0) ?? false }) {
      var error = PostgreSQLError(
        .untranslatableCharacter, "PostgreSQL can't store the character U+0000 in a text")
      error.parameter = index + 1
      throw error
    }
    return withCStrings(values) { body($0, Int32(values.count)) }
  }
}

/// Calls `body` with an array of C strings; nil gives a null pointer.
func withCStrings<Result>(
  _ texts: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  var memory: [CChar] = []
  memory.reserveCapacity(texts.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
  var starts: [Int?] = []
  for text in texts {
    starts.append(text == nil ? nil : memory.count)
    guard let text else { continue }
    memory.append(contentsOf: text.lazy.map { CChar(bitPattern: $0) })
    memory.append(0)
  }
  return memory.withUnsafeBufferPointer { memory in
    let pointers = starts.map { start in start.flatMap { offset in memory.baseAddress.map { $0 + offset } } }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
