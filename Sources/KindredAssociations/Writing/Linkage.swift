import OrderedCollections

/// How a record comes to be associated with another: which columns take whose values.
public enum Linkage: Sendable {
  /// The associated record refers to the other one.
  case has(AssociationStep)
  /// The other record refers to the associated one.
  case belongsTo(AssociationStep)
  /// A record of a join table refers to both.
  case join(JoinTable)
}

/// A table whose records link those of two others, each two once at most.
public struct JoinTable: Sendable {
  /// The table itself.
  public let table: Table
  /// The step from the record that has the association.
  public let near: AssociationStep
  /// The step to the associated record.
  public let far: AssociationStep

  /// How these columns are compared with those that they refer to.
  public let references: [ColumnReference]

  /// The columns that refer to both records, those of the near one first.
  public var columns: [String] { near.destinationColumns + far.originColumns }
}

/// A column of a foreign key, and how it is compared with the column that it refers to.
public struct ColumnReference: Hashable, Sendable {
  /// The name of the column that refers.
  let column: String
  /// The table and the name of the column referred to.
  let table, referred: String
  /// The collation of the column referred to.
  let collation: String
  /// Whether the columns compare values alike, and whether they do but for the collation.
  let isPlain, hasOneAffinity: Bool
}

extension Model {
  /// The references that the columns of a step make.
  fileprivate func references(of step: AssociationStep) -> [ColumnReference] {
    let isBelongsTo = step.direction == .belongsTo
    let (referring, referred) =
      isBelongsTo
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    return comparisons(of: step).enumerated().map { number, comparison in
      ColumnReference(
        column: referring[number], table: isBelongsTo ? step.destination : step.origin,
        referred: referred[number], collation: comparison?.referred.collation ?? "BINARY",
        isPlain: comparison?.isPlain ?? true, hasOneAffinity: comparison?.hasOneAffinity ?? true)
    }
  }
}

extension Association {
  /// How a record is associated by writing; nil where no single record can do it, or where it can't be written.
  public func linkage(in model: Model) -> Linkage? {
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
        references: model.references(of: near) + model.references(of: steps[1]))
      guard table.isWritable(join.columns), table.isUnique(join.columns),
        Set(join.columns).count == join.columns.count
      else { return nil }
      return .join(join)
    default:
      return nil
    }
  }

  /// Whether it leads to some of the associated records only.
  public var isFiltered: Bool { filter != nil || steps.contains { $0.filter != nil } }
}

extension Table {
  /// What can be done to its records.
  public var changes: Changes {
    switch kind {
    case .table: pointerColumns.isEmpty ? [] : .all
    case .view: primaryKey.isEmpty ? insteadOf.intersection(.insert) : insteadOf
    case .virtual, .commonTableExpression, .ofRequest: []
    }
  }

  /// Whether anything can be done to its records.
  public var isWritable: Bool { !changes.isEmpty }

  /// Whether records can be written with values in these columns.
  fileprivate func isWritable(_ names: [String]) -> Bool {
    isWritable && names.allSatisfy { !(column(named: $0)?.isGenerated ?? true) }
  }
}
