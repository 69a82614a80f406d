/// What has no access rules of its own, and shows records of tables that have some.
extension Model {
  /// Closes the full-text tables, views and common table expressions without access rules that read a table with some.
  ///
  /// - Parameter tables: Returns the names of the tables that one of them reads, given all common table expressions; nil
  ///   if it may read any table.
  package mutating func closeWhatReadsRestricted(
    _ tables: (_ table: Table, _ definitions: [Table]) throws -> NameSet?
  ) rethrows {
    guard hasAccess else { return }
    let restricted = NameSet(resources.values.filter { $0.access != nil }.map(\.table.name))
    let definitions = self.tables.values.filter {
      if case .commonTableExpression = $0.kind { true } else { false }
    }
    var direct: NameDictionary<NameSet?> = [:]
    for resource in resources.values
    where resource.access == nil && resource.records == nil && resource.table.kind.readsOthers {
      var found = NameSet()
      var waiting = [resource.table]
      var readsAny = false
      while let table = waiting.popLast() {
        if direct[table.name] == nil { direct[table.name] = try tables(table, definitions) }
        guard let names = direct[table.name] ?? nil else {
          readsAny = true
          break
        }
        for name in names where found.insert(name) {
          if let next = self.tables[name], next.kind.readsOthers { waiting.append(next) }
        }
      }
      guard readsAny || !restricted.isDisjoint(with: found) else { continue }
      resources[resource.name]?.access = ResourceAccess([:])
      let shown = restricted.filter(found.contains).sorted().map { "`\($0)`" }.joined(separator: ", ")
      accessWarnings.append(
        "\(resource.name) is closed: it has no `access` section, and "
          + (readsAny
            ? "may read any table, of which some have restricted access"
            : "shows records of \(shown), whose access is restricted") + "; add `access` to \(resource.name)")
    }
  }
}

extension Table.Kind {
  /// Whether its rows are those of other tables.
  fileprivate var readsOthers: Bool {
    switch self {
    case .view, .virtual, .commonTableExpression: true
    case .table, .ofRequest: false
    }
  }
}
