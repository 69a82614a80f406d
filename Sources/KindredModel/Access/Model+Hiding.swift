/// Hidden columns, which are hidden wherever the model knows that a column is the same.
extension Model {
  /// Hides the columns of plain views and full-text tables that show hidden columns of their tables.
  package mutating func hideInherited() {
    // A view may show a full-text table, and the reverse.
    var changed = true
    while changed {
      let hidden = hiddenColumns
      guard !hidden.isEmpty else { return }
      let inherited = resources.values.compactMap { resource -> (name: String, columns: [String])? in
        let columns = resource.table.inheriting(hidden).filter { !resource.hidden.contains($0) }
        return columns.isEmpty ? nil : (resource.name, columns)
      }
      for (name, columns) in inherited { resources[name]?.hidden.formUnion(columns) }
      changed = !inherited.isEmpty
    }
  }

  /// The stored columns that any resource of their table hides, by the names of the tables that have some.
  private var hiddenColumns: NameDictionary<NameSet> {
    var hidden: NameDictionary<NameSet> = [:]
    for resource in resources.values where !resource.hidden.isEmpty {
      let columns = resource.hidden.filter { resource.table.columns.contains(named: $0) }
      guard !columns.isEmpty else { continue }
      var all = hidden[resource.table.name] ?? NameSet()
      all.formUnion(columns)
      hidden[resource.table.name] = all
    }
    return hidden
  }

  /// Adds a warning for each view and query that may show hidden columns under other names.
  package mutating func nameReadersOfHidden(_ read: inout TableDependencies) throws {
    var hidden: NameDictionary<(table: String, columns: [String])> = [:]
    let all = hiddenColumns
    for table in tables.values {
      guard var own = all[table.name] else { continue }
      // What is inherited is found with the table that it comes from.
      own.subtract(table.inheriting(all))
      let columns = own.sorted()
      if !columns.isEmpty { hidden[table.dependencyName] = (table.name, columns) }
    }
    guard !hidden.isEmpty else { return }
    for resource in resources.values where resource.table.showsOthers && !isClosed(resource) {
      let found = try read.tables(readBy: resource.table)
      let read = found.map { $0.sorted().compactMap { hidden[$0] } } ?? Array(hidden.values)
      let shown = read.filter { !knows(resource, columnsOf: $0.table) }
      guard !shown.isEmpty else { continue }
      let columns = shown.flatMap { entry in entry.columns.map { "`\(entry.table).\($0)`" } }
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

extension Table {
  /// Returns the columns of a plain view or a full-text table that show hidden columns of its table.
  ///
  /// - Parameter hidden: The hidden columns by the names of their tables.
  fileprivate func inheriting(_ hidden: NameDictionary<NameSet>) -> [String] {
    guard let source = plainView?.table ?? content, let hidden = hidden[source] else { return [] }
    guard let plain = plainView else {
      return columns.map(\.name).filter { name in hidden.contains { $0.equalsIgnoringCase(name) } }
    }
    return zip(columns, plain.columns).compactMap { column, shown in
      shown.map(hidden.contains) ?? false ? column.name : nil
    }
  }
}
