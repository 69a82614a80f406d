extension ModelInference {
  /// Gives plain views the associations of their tables, with the same keys.
  mutating func inferPlainViews() {
    for view in schema.tables.values {
      guard let plain = view.plainView, let table = plain.table, let shown = resourceNames[table],
        let associations = model.resources[shown]?.associations
      else { continue }
      for association in associations.values {
        guard let first = association.steps.first, let columns = plain.names(of: first.originColumns) else {
          continue
        }
        var steps = association.steps
        (steps[0].origin, steps[0].originColumns) = (view.name, columns)
        // A column of the view may have the key of an association of the table.
        let alternative =
          association.key + TableNames(steps[steps.count - 1].destination).singular.uppercasingFirst
        add(
          [association.key, alternative], to: view.name, association.cardinality, steps,
          definedAt: association.definition)
      }
    }
  }
}
