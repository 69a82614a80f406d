/// A resolved foreign key: both tables exist, and both sides have the same number of columns.
public struct ForeignKey: Sendable, Hashable {
  /// The names of the referring columns.
  public let columns: [String]
  /// The name of the table referred to.
  public let destination: String
  /// The names of the columns referred to.
  public let destinationColumns: [String]
  /// Whether the database checks it only when a transaction is committed.
  public let isDeferred: Bool
  /// Whether its last columns are periods, which relate records by overlapping instead of by being equal.
  public let hasPeriod: Bool

  /// Creates a foreign key from `columns` to the same number of `destinationColumns`.
  public init(
    columns: [String], destination: String, destinationColumns: [String], isDeferred: Bool = false,
    hasPeriod: Bool = false
  ) {
    self.columns = columns
    self.destination = destination
    self.destinationColumns = destinationColumns
    self.isDeferred = isDeferred
    self.hasPeriod = hasPeriod
  }
}

/// A foreign key of the model file, which the schema lacks.
public struct UndeclaredForeignKey: Sendable, Hashable {
  /// Its columns, and the columns that they refer to.
  public let key: ForeignKey
  /// The file and line that define it, such as `model.yaml:12`.
  public let definition: String

  /// Creates a foreign key that a line of the model file defines.
  public init(key: ForeignKey, definition: String) {
    (self.key, self.definition) = (key, definition)
  }
}

extension Table {
  /// A foreign key, and the line of the model file that defines it; nil if the schema does.
  package typealias Reference = (key: ForeignKey, definition: String?)

  /// The foreign keys of the schema, those with a period, then those of the model file, without keys from the same columns
  /// to the same columns as an earlier key, in any order.
  package var references: [Reference] {
    var seen: Set<Set<ForeignKey.Pair>> = []
    let all =
      (foreignKeys + temporalForeignKeys).map { ($0, nil) }
      + undeclaredForeignKeys.map { ($0.key, $0.definition as String?) }
    return all.filter { seen.insert($0.0.pairs).inserted }
  }
}

extension ForeignKey {
  /// A column and the one that it refers to.
  fileprivate struct Pair: Hashable {
    let column: ExactName
    let destination: ExactName
    let destinationColumn: ExactName
  }

  /// The columns and what each refers to.
  fileprivate var pairs: Set<Pair> {
    Set(
      zip(columns, destinationColumns).map {
        Pair(
          column: ExactName($0), destination: ExactName(destination), destinationColumn: ExactName($1))
      })
  }
}
