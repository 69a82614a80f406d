import KindredModel
import KindredBackend
import KindredPostgreSQL
import KindredSQLSyntax

/// An INSERT that is bound to the values of each record in turn; records are inserted in groups.
final class PostgreSQLInsertion: RecordInsertion {
  private let sql: String
  private let columns: [Column]
  private let written: WrittenColumns
  private var values: [[UInt8]?]
  private let transaction: PostgreSQLWriteTransaction

  init(
    _ sql: String, _ columns: [Column], _ written: WrittenColumns, in transaction: PostgreSQLWriteTransaction
  ) {
    self.sql = sql
    self.columns = columns
    self.written = written
    values = Array(repeating: nil, count: columns.count)
    self.transaction = transaction
  }

  func bind(_ value: SQLValue, at index: Int) throws { values[index] = value.postgreSQLText }

  func bind(text: UnsafeRawBufferPointer, at index: Int) throws {
    values[index] = columns[index].nameOfInfinity(text).map { Array($0.utf8) } ?? Array(text)
  }

  func run() throws -> Bool {
    try transaction.add(Query(sql, values), to: written)
    return true
  }
}
