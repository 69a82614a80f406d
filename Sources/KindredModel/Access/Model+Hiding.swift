/// Hidden columns, which are hidden wherever the model knows that a column is the same.
extension Model {
  /// Hides the columns of plain views and full-text tables that show hidden columns of their tables.
  package mutating func hideInherited() {
    // A view may show a full-text table, and the reverse.
    var changed = true
    while changed {
      changed = false
      for resource in resources.values {
        let inherited = inheritedHidden(resource.table).filter { !resource.hidden.contains($0) }
        guard !inherited.isEmpty else { continue }
        resources[resource.name]?.hidden.formUnion(inherited)
        changed = true
      }
    }
  }

  /// Returns the columns of a plain view or a full-text table that show hidden columns.
  private func inheritedHidden(_ table: Table) -> [String] {
    guard let source = table.plainView?.table ?? table.content else { return [] }
    let hidden = hiddenColumns(ofTable: source)
    guard !hidden.isEmpty else { return [] }
    guard let plain = table.plainView else {
      return table.columns.map(\.name).filter { name in hidden.contains { $0.equalsIgnoringCase(name) } }
    }
    return zip(table.columns, plain.columns).compactMap { column, shown in
      shown.map(hidden.contains) ?? false ? column.name : nil
    }
  }

  /// Returns the stored columns of a table that any of its resources hides.
  private func hiddenColumns(ofTable name: String) -> NameSet {
    var hidden = NameSet()
    for resource in resources.values where ExactName(resource.table.name) == ExactName(name) {
      hidden.formUnion(resource.hidden.filter { resource.table.columns.contains(named: $0) })
    }
    return hidden
  }

  /// Adds a warning for each view and query that may show hidden columns under other names.
  package mutating func nameReadersOfHidden(_ read: inout TableDependencies) throws {
    var hidden: NameDictionary<(table: String, columns: [String])> = [:]
    for table in tables.values {
      // What is inherited is found with the table that it comes from.
      var own = hiddenColumns(ofTable: table.name)
      own.subtract(inheritedHidden(table))
      let columns = own.sorted()
      if !columns.isEmpty { hidden[table.dependencyName] = (table.name, columns) }
    }
    guard !hidden.isEmpty else { return }
    for resource in resources.values where resource.table.showsOthers && !isClosed(resource) {
      let found = try read.tables(readBy: resource.table)
      let shown = hidden.filter { entry in
        (found?.contains(entry.key) ?? true) && !knows(resource, columnsOf: entry.value.table)
      }
      guard !shown.isEmpty else { continue }
      let columns = shown.values.flatMap { entry in entry.columns.map { "`\(entry.table).\($0)`" } }
      accessWarnings.append(
        "\(resource.name) may show hidden columns, because it reads their \(shown.count == 1 ? "table" : "tables"): \(columns.joined(separator: ", ")); check its definition, and add `hidden` to \(resource.name) if it does"
      )
    }
  }

  /// Whether no client may read a resource.
  private func isClosed(_ resource: Resource) -> Bool {
    resource.access.map { $0.entries[.read, default: []].isEmpty } ?? false
  }

  /// Whether all columns of a resource that could show columns of a table are known to be these, and inherit what is
  /// hidden.
  private func knows(_ resource: Resource, columnsOf table: String) -> Bool {
    let (table, own) = (ExactName(table), resource.table)
    if ExactName(own.name) == table || own.content.map({ ExactName($0) }) == table { return true }
    if let plain = own.plainView, plain.table.map({ ExactName($0) }) == table {
      return plain.columns.allSatisfy { $0 != nil }
    }
    guard let lender = resource.records?.destination, let lent = resources[lender]?.table,
      ExactName(lent.name) == table
    else { return false }
    return own.columns.allSatisfy { lent.columns.contains(named: $0.name) }
  }
}
