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
