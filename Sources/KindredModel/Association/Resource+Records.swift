extension Resource {
  /// The key of ``records``, which no request can name.
  private static let recordsKey = "kindred:record"

  /// Returns this resource of a query with the members of the resource whose records its rows are, as far as the query
  /// selects the columns that they need.
  ///
  /// - Parameter isAvailable: Returns whether an expression has a meaning in this resource.
  package func showing(
    _ resource: Resource, isAvailable: (Expression, Resource) -> Bool
  ) -> Resource {
    var shown = self
    let key = table.primaryKey.map { table.columns[$0].name }
    shown.records = Association(
      key: Self.recordsKey, cardinality: .toMany,
      steps: [
        AssociationStep(
          origin: table.name, destination: resource.table.name, originColumns: key, destinationColumns: key,
          direction: .belongsTo, isToOne: true)
      ], destination: resource.name)
    let columns = NameSet(table.columns.map(\.name))
    shown.hidden.formUnion(resource.hidden)
    for (key, association) in resource.associations {
      guard let first = association.steps.first, first.originColumns.allSatisfy(columns.contains),
        !columns.contains(key) || association.replacedColumn != nil, shown.associations[key] == nil
      else { continue }
      var association = association
      association.steps[0].origin = table.name
      shown.associations[key] = association
    }
    // A computed column may need others.
    for (name, column) in resource.computed where !columns.contains(name) && shown.computed[name] == nil {
      shown.computed[name] = column
    }
    let whole = shown
    for (name, column) in resource.computed where !isAvailable(column.expression, whole) {
      shown.computed[name] = nil
    }
    if shown.label == nil, let label = resource.labelColumn?.name {
      shown.label = columns.contains(label) || shown.computed[label] != nil ? label : nil
    }
    if shown.fields == nil, let fields = resource.fields {
      let all = table.columns.map(\.name)
      let selected = NameSet(fields)
      // The order of the query, unless the resource defines another.
      let isInOrder = fields == resource.table.columns.map(\.name).filter(selected.contains)
      let others = all.filter { !resource.table.columns.contains(named: $0) }
      shown.fields =
        isInOrder
        ? all.filter { selected.contains($0) || others.contains($0) }
        : fields.filter { columns.contains($0) || shown.computed[$0] != nil } + others
    }
    if shown.sort.isEmpty, resource.sort.allSatisfy({ isAvailable($0.expression, shown) }) {
      shown.sort = resource.sort
    }
    shown.access = resource.access.map(followingRecords)
    return shown
  }

  /// Returns the access rules of the resource whose records the rows are, as far as they are for reading.
  func followingRecords(_ access: ResourceAccess) -> ResourceAccess {
    ResourceAccess([.read: (access.entries[.read] ?? []).map(followingRecords)])
  }

  /// Returns an access entry whose condition is that on the record of a row: `not "kindred:record".filter(…).isEmpty`.
  private func followingRecords(_ entry: AccessEntry) -> AccessEntry {
    guard let rows = entry.rows else { return entry }
    let components = [
      Expression.Path.Component(name: Self.recordsKey, arguments: nil, origin: rows.origin),
      Expression.Path.Component(name: "filter", arguments: [rows], origin: rows.origin),
      Expression.Path.Component(name: "isEmpty", arguments: nil, origin: rows.origin),
    ]
    let path = Expression(.path(Expression.Path(parents: 0, components: components)), at: rows.origin)
    var entry = entry
    entry.rows = Expression(.unary(.not, path), at: rows.origin)
    return entry
  }
}
