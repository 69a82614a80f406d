import KindredSQLSyntax

extension ModelInference {
  /// Gives plain views the associations of their tables, with the same keys.
  ///
  /// Where the table isn't served, they are those of the view that stands in for it.
  mutating func inferPlainViews() {
    for view in schema.tables.values {
      guard let plain = view.plainView else { continue }
      if let table = plain.table {
        add(to: view, associationsOf: table) { plain.names(of: $0.originColumns) }
      } else if let standIn = plain.standIn, standIn != view.name, let shown = schema.tables[standIn] {
        add(to: view, associationsOf: standIn) { step in
          step.direction == .has ? shown.shownColumns(step.originColumns).flatMap(plain.names) : nil
        }
      }
    }
  }

  /// Gives a view associations of another table.
  ///
  /// - Parameter columns: Returns the view's columns from which a step begins; nil if it lacks them.
  private mutating func add(
    to view: Table, associationsOf table: String, from columns: (AssociationStep) -> [String]?
  ) {
    guard let shown = resourceNames[table], let associations = model.resources[shown]?.associations else {
      return
    }
    for association in associations.values {
      guard let first = association.steps.first, let columns = columns(first) else { continue }
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

extension Table {
  /// Returns the columns of its table that these columns of a plain view show; nil if one is an expression.
  fileprivate func shownColumns(_ names: [String]) -> [String]? {
    let shown = names.compactMap { name in
      columns.firstIndex { $0.name.hasBytes(of: name) }.flatMap { plainView?.columns[$0] }
    }
    return shown.count == names.count ? shown : nil
  }
}
