import OracleValues

extension Node {
  /// Smaller nodes, the smallest first.
  var reductions: [Node] {
    var all: [Node] = []
    func add(_ change: (inout Node) -> Void) {
      var node = self
      change(&node)
      all.append(node)
    }
    for index in children.indices { add { $0.children.remove(at: index) } }
    if values != nil { add { $0.values = nil } }
    if fields != nil { add { $0.fields = nil } }
    if sort != nil { add { $0.sort = nil } }
    if limit != nil { add { $0.limit = nil } }
    if offset != nil { add { $0.offset = nil } }
    if isDistinct { add { $0.isDistinct = false } }
    if isRequired { add { $0.isRequired = false } }
    if recursion != nil { add { $0.recursion = nil } }
    if recursion ?? 0 > 2 { add { ($0.recursion, $0.writesLevels) = (2, true) } }
    if key != association { add { $0.key = association } }
    for index in filters.indices { add { $0.filters.remove(at: index) } }
    for index in havings.indices { add { $0.havings.remove(at: index) } }
    for index in annotations.indices { add { $0.annotations.remove(at: index) } }
    for index in group.indices { add { $0.group.remove(at: index) } }
    for index in (fields ?? []).indices where fields?.count != 1 { add { $0.fields?.remove(at: index) } }
    for index in (sort ?? []).indices where sort?.count != 1 { add { $0.sort?.remove(at: index) } }
    addExpressions(add)
    for index in children.indices {
      for child in children[index].reductions { add { $0.children[index] = child } }
    }
    return all
  }

  private func addExpressions(_ add: ((inout Node) -> Void) -> Void) {
    for (index, filter) in filters.enumerated() {
      for part in filter.reductions { add { $0.filters[index] = part } }
    }
    for (index, having) in havings.enumerated() {
      for part in having.reductions { add { $0.havings[index] = part } }
    }
    for (index, annotation) in annotations.enumerated() {
      for part in annotation.expression.reductions { add { $0.annotations[index].expression = part } }
    }
    for (index, term) in (sort ?? []).enumerated() {
      for part in term.expression.reductions { add { $0.sort?[index].expression = part } }
    }
    for part in values?.reductions ?? [] { add { $0.values = part } }
    for (index, field) in (fields ?? []).enumerated() {
      guard case .named(var named) = field, named.writesName else { continue }
      for part in named.expression.reductions {
        named.expression = part
        add { $0.fields?[index] = .named(named) }
      }
    }
  }
}

extension Expr {
  /// Smaller expressions: its parts, and itself with a smaller part.
  fileprivate var reductions: [Expr] {
    func with(_ part: Expr, _ make: (Expr) -> Expr) -> [Expr] { part.reductions.map(make) }
    switch self {
    case .value, .boolean: return []
    case .path(let path): return path.reductions.map { .path($0) }
    case .not(let part): return parts + with(part) { .not($0) }
    case .minus(let part): return parts + with(part) { .minus($0) }
    case .collate(let part, let name): return parts + with(part) { .collate($0, name) }
    case .cast(let part, let type): return parts + with(part) { .cast($0, type) }
    case .isNull(let part, let negated): return parts + with(part) { .isNull($0, negated: negated) }
    case .binary(let sign, let left, let right):
      return parts + with(left) { .binary(sign, $0, right) } + with(right) { .binary(sign, left, $0) }
    case .junction(let word, let parts):
      return parts
        + parts.indices.flatMap { index in
          with(parts[index]) { part in
            var changed = parts
            changed[index] = part
            return .junction(word, changed)
          }
        }
    case .inList(let part, let list, let negated):
      return with(part) { .inList($0, list, negated: negated) }
    case .between(let part, let low, let high, let negated):
      return parts + with(part) { .between($0, low, high, negated: negated) }
    case .match(let word, let part, let pattern, let negated):
      return with(part) { .match(word, $0, pattern, negated: negated) }
    case .call(let name, let parts):
      return parts
        + parts.indices.flatMap { index in
          with(parts[index]) { part in
            var changed = parts
            changed[index] = part
            return .call(name, changed)
          }
        }
    case .aggregate(let name, let part?, let isDistinct):
      return with(part) { .aggregate(name, $0, isDistinct: isDistinct) }
    case .aggregate: return []
    }
  }
}

extension Path {
  fileprivate var reductions: [Path] {
    guard case .aggregate(let aggregate) = leaf else { return [] }
    var all: [AssociationAggregate] = []
    for (index, filter) in aggregate.filters.enumerated() {
      var changed = aggregate
      changed.filters.remove(at: index)
      all.append(changed)
      for part in filter.reductions {
        changed = aggregate
        changed.filters[index] = part
        all.append(changed)
      }
    }
    if aggregate.argument != nil {
      var changed = aggregate
      (changed.argument, changed.function) = (nil, "count")
      all.append(changed)
    }
    for part in aggregate.argument?.reductions ?? [] {
      var changed = aggregate
      changed.argument = part
      all.append(changed)
    }
    return all.map { changed in
      var path = self
      path.leaf = .aggregate(changed)
      return path
    }
  }
}

extension DatabaseSchema {
  /// Schemas with fewer tables, rows, indexes and columns.
  var reductions: [DatabaseSchema] {
    var all = tables.map { without($0.name) }
    func add(_ number: Int, _ change: (inout TableSchema) -> Void) {
      var schema = self
      change(&schema.tables[number])
      all.append(schema)
    }
    for (number, table) in tables.enumerated() {
      if table.rows.count > 2 {
        add(number) { $0.rows.removeFirst(table.rows.count / 2) }
        add(number) { $0.rows.removeLast(table.rows.count / 2) }
      }
      for row in table.rows.indices { add(number) { $0.rows.remove(at: row) } }
      if !table.defaultSort.isEmpty { add(number) { $0.defaultSort = [] } }
      if table.defaultFields != nil { add(number) { $0.defaultFields = nil } }
      if table.isWithoutRowID { add(number) { $0.isWithoutRowID = false } }
      for index in table.indexes.indices { add(number) { $0.indexes.remove(at: index) } }
      for (index, association) in table.associations.enumerated() where association.isOfModelFile {
        add(number) { $0.associations.remove(at: index) }
      }
      for (index, column) in table.columns.enumerated() where !isNeeded(column.name, table) {
        add(number) { table in
          table.columns.remove(at: index)
          for row in table.rows.indices { table.rows[row].remove(at: index) }
          table.indexes.removeAll { $0.contains(column.name) }
        }
      }
    }
    return all
  }

  private func isNeeded(_ column: String, _ table: TableSchema) -> Bool {
    table.key.contains(column) || table.uniques.joined().contains(column)
      || table.foreignKeys.contains { $0.columns.contains(column) } || table.defaultSort.count > 0
      || table.defaultFields != nil
      || tables.contains { view in
        view.viewOf == table.name
          && (view.column(column) != nil || view.secondPart?.contains(column) == true)
      } || table.viewOf != nil
  }

  /// The schema without a table, and without everything that leads to it.
  private func without(_ name: String) -> DatabaseSchema {
    var schema = self
    schema.tables.removeAll { $0.name == name || $0.viewOf == name }
    let refined = schema.tables.map { $0.associations.filter(\.isOfModelFile) }
    for number in schema.tables.indices {
      schema.tables[number].foreignKeys.removeAll { $0.destination == name }
    }
    schema.inferAssociations()
    for (number, associations) in refined.enumerated() {
      schema.tables[number].associations += associations.filter { association in
        association.steps.allSatisfy { step in
          [step.origin, step.destination].allSatisfy { schema.table($0) != nil }
        }
      }
    }
    return schema
  }
}
