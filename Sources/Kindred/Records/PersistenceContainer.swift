import KindredSQLSyntax

/// The columns of a record with their values.
public struct PersistenceContainer: Sendable {
  /// The names of the columns in the order in which they were set.
  private(set) var columns: [String] = []
  /// The values of the columns, in the same order.
  private(set) var storage: [SQLValue] = []
  /// Why one of the values can't be stored.
  private var failure: UnstorableValue?

  /// Creates a container without columns.
  public init() {}

  /// Creates a container with space for as many columns as most records have.
  static func withSpace() -> PersistenceContainer {
    var container = PersistenceContainer()
    container.columns.reserveCapacity(8)
    container.storage.reserveCapacity(8)
    return container
  }

  /// Creates the container of a record.
  ///
  /// - Throws: The error that encoding throws; `DatabaseError` (misuse) if a value can't be stored.
  init(_ record: some EncodableRecord) throws {
    try record.encode(to: &self)
    if let failure { throw failure.error }
  }

  /// The value of a column; `nil` if it has not been set.
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { position(of: column).map { DatabaseValue(storage[$0]) } }
    set {
      let value = newValue?.databaseValue ?? .null
      failure = failure ?? value.failure
      set(value.sqlValue, for: column)
    }
  }

  /// The value of a column; `nil` if it has not been set.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }

  mutating func set(_ value: SQLValue, for column: String) {
    // Records have few columns, which are found faster than a hash is computed.
    if let index = columns.firstIndex(of: column) {
      storage[index] = value
    } else {
      columns.append(column)
      storage.append(value)
    }
  }

  /// Returns the position of a column, whose name is compared ignoring case unless it occurs exactly.
  func position(of column: String) -> Int? {
    columns.firstIndex(of: column) ?? columns.firstIndex { $0.equalsIgnoringCase(column) }
  }

  /// Returns the value of a column; NULL if it has not been set.
  func value(of column: String) -> SQLValue { position(of: column).map { storage[$0] } ?? .null }

  /// The values by the names of the columns.
  var values: [String: SQLValue] { Dictionary(zip(columns, storage)) { first, _ in first } }

  /// The values by the names of the columns.
  var databaseValues: [String: DatabaseValue] { values.mapValues(DatabaseValue.init) }
}
