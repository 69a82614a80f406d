/// How a column of a foreign key is compared with the column that it refers to.
///
/// The comparison is the one by which SQLite enforces the key: with the affinity and the collation of the column
/// referred to (<https://www.sqlite.org/foreignkeys.html#fk_basics>). An ordinary comparison may differ: `=` uses the
/// collation of its left side and converts texts if either side is numeric, and a parameter has neither affinity nor
/// collation.
package struct KeyComparison {
  /// The column of the foreign key.
  package let referring: Column
  /// The column that it refers to.
  package let referred: Column

  /// Whether an ordinary `=` gives the same result, in either order, so that an index of either column can be used.
  package var isPlain: Bool { hasOneAffinity && hasOneCollation }

  /// Whether the affinities agree, so that no value of the referring column has to be converted.
  package var hasOneAffinity: Bool {
    referring.affinity == referred.affinity || referring.affinity.isNumeric && referred.affinity.isNumeric
  }

  /// Whether both columns consider the same texts equal.
  package var hasOneCollation: Bool {
    referring.collation.equalsIgnoringCase(referred.collation)
      || referring.comparesBytes && referred.comparesBytes
  }

  /// The affinity that a copy of the referring column needs for its values to equal the values that they refer to.
  package var affinityOfCopy: Column.Affinity {
    if hasOneAffinity { return referring.affinity }
    // REAL would round integers.
    return referred.affinity.isNumeric ? .numeric : referred.affinity
  }
}

extension Model {
  /// Returns how the columns of a step are compared, pair by pair; nil for pairs that the schema doesn't have.
  package func comparisons(of step: AssociationStep) -> [KeyComparison?] {
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

  /// Whether an ordinary `=` compares all columns of a step as the foreign key does.
  package func isPlain(_ step: AssociationStep) -> Bool {
    !step.hasPeriod && comparisons(of: step).allSatisfy { $0?.isPlain ?? true }
  }

  /// Whether a step certainly leads to at most one record.
  ///
  /// Values that a unique index of the referring column considers different may both equal the value referred to.
  package func leadsToOne(_ step: AssociationStep) -> Bool {
    step.isToOne && (step.direction == .belongsTo || isPlain(step))
  }

  /// Whether a step of `association` has to choose the first of several matching records.
  package func takesFirst(_ step: AssociationStep, of association: Association) -> Bool {
    (association.cardinality == .toOne || step.sort != nil) && !leadsToOne(step)
  }

  /// Whether the records of an association are found by a subquery, because several ways may lead to the same one.
  ///
  /// A to-one association that takes the first record goes one way only.
  package func findsByWays(_ association: Association) -> Bool {
    guard let last = association.steps.last, !leadsOnce(association) else { return false }
    return association.cardinality == .toMany || !takesFirst(last, of: association)
  }

  /// Whether an association never reaches the same record twice from one record.
  package func leadsOnce(_ association: Association) -> Bool { leadsOnce(association.steps) }

  /// Whether steps never reach the same record twice from one record.
  package func leadsOnce(_ steps: [AssociationStep]) -> Bool {
    // A join table: its two foreign keys are unique together.
    if steps.count == 2, steps[0].direction == .has, let pivot = tables[steps[0].destination],
      pivot.isUnique(steps[0].destinationColumns + steps[1].originColumns), steps.allSatisfy(isPlain),
      let destination = tables[steps[1].destination], destination.isUnique(steps[1].destinationColumns)
    {
      return true
    }
    return steps.dropFirst().allSatisfy { step in
      !step.hasPeriod && (tables[step.origin]?.isUnique(step.originColumns) ?? false)
        && (step.direction == .has || isPlain(step))
    }
  }
}
