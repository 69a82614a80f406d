import KindredModel

/// How writing associates a record with another one: which columns take the values of the other's key.
public enum Linkage: Sendable {
  /// The associated record refers to the other one.
  case has(AssociationStep)
  /// The other record refers to the associated one.
  case belongsTo(AssociationStep)
  /// A record of a join table refers to both.
  case join(JoinTable)
}

/// A table whose records link those of two others, each pair at most once.
public struct JoinTable: Sendable {
  /// The join table.
  public let table: Table
  /// The step from the record that has the association.
  public let near: AssociationStep
  /// The step to the associated record.
  public let far: AssociationStep

  /// How ``columns`` are compared with the columns that they refer to.
  public let references: [ColumnReference]

  /// The names of the columns that refer to the two records, those of the near one first; each once, though it may refer
  /// to both, as that of a tenant does.
  public var columns: [String] {
    near.destinationColumns + far.originColumns.filter { !near.destinationColumns.containsExactly($0) }
  }

  /// Returns the values of ``columns``; nil if one refers to both records, and these have different values.
  ///
  /// - Parameters:
  ///   - near: The values of the near record that its columns refer to.
  ///   - far: Likewise.
  ///   - areEqual: Returns whether two values are equal.
  public func values<Value>(
    _ near: [Value], _ far: [Value], where areEqual: (Value, Value) -> Bool
  ) -> [Value]? {
    var values = near
    for (column, value) in zip(self.far.originColumns, far) {
      guard let shared = self.near.destinationColumns.firstIndex(ofExactly: column) else {
        values.append(value)
        continue
      }
      guard areEqual(near[shared], value) else { return nil }
    }
    return values
  }
}

/// A column of a foreign key, and how it is compared with the column that it refers to.
public struct ColumnReference: Hashable, Sendable {
  /// The name of the referring column.
  package let column: ExactName
  /// The names of the table and the column referred to.
  package let table, referred: ExactName
  /// The collation of the column referred to.
  package let collation: String
  /// Whether an ordinary `=` compares the columns as the foreign key does, and whether it would but for the collation.
  package let isPlain, hasOneAffinity: Bool
}

extension Model {
  /// Returns the references by the foreign key that a step follows.
  fileprivate func references(of step: AssociationStep) -> [ColumnReference] {
    let isBelongsTo = step.direction == .belongsTo
    let (referring, referred) =
      isBelongsTo
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    return comparisons(of: step).enumerated().map { number, comparison in
      ColumnReference(
        column: ExactName(referring[number]),
        table: ExactName(isBelongsTo ? step.destination : step.origin),
        referred: ExactName(referred[number]), collation: comparison?.referred.collation ?? "BINARY",
        isPlain: comparison?.isPlain ?? true, hasOneAffinity: comparison?.hasOneAffinity ?? true)
    }
  }
}

extension Association {
  /// Returns how writing one record creates the association; nil if that is impossible, as where a period relates records
  /// that aren't equal in it, or the table isn't writable.
  public func linkage(in model: Model) -> Linkage? {
    guard !steps.contains(where: \.hasPeriod) else { return nil }
    switch (steps.first, steps.count) {
    case (let step?, 1):
      let holder = step.direction == .has ? step.destination : step.origin
      let columns = step.direction == .has ? step.destinationColumns : step.originColumns
      guard let table = model.tables[holder], table.isWritable(columns) else { return nil }
      return step.direction == .has ? .has(step) : .belongsTo(step)
    case (let near?, 2):
      guard near.direction == .has, steps[1].direction == .belongsTo,
        let table = model.tables[near.destination]
      else { return nil }
      let join = JoinTable(
        table: table, near: near, far: steps[1],
        references: model.references(of: near)
          + zip(steps[1].originColumns, model.references(of: steps[1]))
          .filter { !near.destinationColumns.containsExactly($0.0) }.map(\.1))
      guard table.isWritable(join.columns), table.isUnique(join.columns) else { return nil }
      return .join(join)
    default:
      return nil
    }
  }
}

extension Table {
  /// The kinds of changes that clients can make to its records.
  public var changes: Changes { obstacles.reduce(possibleChanges) { $0.subtracting($1.changes) } }

  /// The kinds of changes that a table of its kind allows, whatever the server lacks.
  package var possibleChanges: Changes {
    switch kind {
    case .table: pointerColumns.isEmpty ? [] : .all
    case .view: primaryKey.isEmpty ? insteadOf.intersection(.insert) : insteadOf
    case .virtual, .commonTableExpression, .ofRequest: []
    }
  }

  /// Whether its records can be changed in any way.
  public var isWritable: Bool { !changes.isEmpty }

  /// Whether its records can be changed, and none of these columns is missing or generated.
  fileprivate func isWritable(_ names: [String]) -> Bool {
    !possibleChanges.isEmpty && names.allSatisfy { !(column(named: $0)?.isGenerated ?? true) }
  }
}
