import OrderedCollections

/// How a column of a foreign key is compared with the column that it refers to.
///
/// As SQLite compares them where it enforces the key: by the affinity and the collation of the column referred to
/// (<https://www.sqlite.org/foreignkeys.html#fk_basics>). An ordinary comparison may differ: `=` takes the collation
/// of its left side, converts texts wherever one side is numeric, and a bound value has neither affinity nor collation.
struct KeyComparison {
  /// The column of the foreign key.
  let referring: Column
  /// The column that it refers to.
  let referred: Column

  /// Whether the columns compare values alike, so that `=` says it in either order, and an index of either serves.
  var isPlain: Bool { hasOneAffinity && hasOneCollation }

  /// Whether no value of the referring column has to be converted.
  var hasOneAffinity: Bool {
    referring.affinity == referred.affinity || referring.affinity.isNumeric && referred.affinity.isNumeric
  }

  /// Whether both columns sort out the same texts as equal.
  var hasOneCollation: Bool { referring.collation.equalsIgnoringCase(referred.collation) }

  /// The affinity of a column in which each referring value is equal to what it refers to.
  var affinityOfCopy: Column.Affinity {
    if hasOneAffinity { return referring.affinity }
    // REAL would round integers.
    return referred.affinity.isNumeric ? .numeric : referred.affinity
  }
}

extension Model {
  /// How the columns of a step are compared, one by one; nil where the schema doesn't know them.
  func comparisons(of step: AssociationStep) -> [KeyComparison?] {
    let (origin, destination) = (tables[step.origin], tables[step.destination])
    return zip(step.originColumns, step.destinationColumns).map { originName, destinationName in
      guard let origin = origin?.column(named: originName),
        let destination = destination?.column(named: destinationName)
      else { return nil }
      return step.direction == .belongsTo
        ? KeyComparison(referring: origin, referred: destination)
        : KeyComparison(referring: destination, referred: origin)
    }
  }

  /// Whether the columns of a step compare values alike.
  func isPlain(_ step: AssociationStep) -> Bool { comparisons(of: step).allSatisfy { $0?.isPlain ?? true } }

  /// Whether a step leads to one record at most: values that a unique index keeps apart may be equal to the column
  /// that they refer to.
  package func leadsToOne(_ step: AssociationStep) -> Bool {
    step.isToOne && (step.direction == .belongsTo || isPlain(step))
  }

  /// Whether a step of `association` takes the first of several records.
  func takesFirst(_ step: AssociationStep, of association: Association) -> Bool {
    (association.cardinality == .toOne || step.sort != nil) && !leadsToOne(step)
  }

  /// Whether no two ways of an association lead from one record to the same one.
  func leadsOnce(_ association: Association) -> Bool {
    let steps = association.steps
    // A join table: its two foreign keys are unique together.
    if steps.count == 2, steps[0].direction == .has, let pivot = tables[steps[0].destination],
      pivot.isUnique(steps[0].destinationColumns + steps[1].originColumns), steps.allSatisfy(isPlain),
      let destination = tables[steps[1].destination], destination.isUnique(steps[1].destinationColumns)
    {
      return true
    }
    return steps.dropFirst().allSatisfy { step in
      (tables[step.origin]?.isUnique(step.originColumns) ?? false)
        && (step.direction == .has || isPlain(step))
    }
  }
}
