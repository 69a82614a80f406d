import KindredSQLSyntax

/// Which columns of a record that can't be stored are known, and where the others come from.
public struct DraftShape: Hashable, Sendable {
  /// The columns whose values are the first parameters, in this order.
  let columns: [String]
  /// Those that take their defaults though a record is there.
  let reset: [String]
  /// The columns whose values are the next parameters, and find the record that was to be changed; none where the
  /// record is new, and the rest of its columns take their defaults.
  let locators: [String]

  /// A record of which these columns are known.
  public init(columns: [String], reset: [String] = [], locators: [String] = []) {
    self.columns = columns
    self.reset = reset
    self.locators = locators
  }
}

extension Planner {
  /// How a record that can't be stored is tested by a rule of access.
  ///
  ///     SELECT 1 FROM (SELECT CAST(?1 AS NUMERIC) AS companyId, … FROM project WHERE rowid = ?2) AS project WHERE rule
  ///
  /// - Parameters:
  ///   - rule: what must hold of the record; no other rule applies.
  ///   - resource: what the record is of.
  ///   - draft: what is known of it.
  /// - Returns: A lookup that finds a row where the rule holds. What only a stored record has, as what refers to it,
  ///   is not there.
  public func test(_ rule: Expression, of resource: Resource, _ draft: DraftShape) throws -> RecordLookup {
    try Planning(
      model: model, request: FetchRequest(path: RequestPath(resource: resource.name), root: RequestNode()),
      dialect.writer
    ).test(rule, of: resource, draft)
  }
}

extension Planning {
  fileprivate func test(
    _ rule: Expression, of resource: Resource, _ draft: DraftShape
  ) throws -> RecordLookup {
    isInRule = true
    isForOneRecord = true
    let statement = StatementBuilder(dialect, level: 0, runsOften: false, givesMany: false)
    let select = statement.newSelect()
    let scope = unrestricted(
      Scope(
        table: resource.table, resource: resource, alias: select.alias(for: resource.table), select: select,
        node: nil, parent: nil))
    select.begin(with: reference(toRowsOf: resource.table.row(of: draft, in: dialect), as: scope.alias))
    select.conditions.append(try modelCondition(rule, in: scope))
    steps.append((scope, absence: ""))
    finishPath()
    return finished([])
  }
}

extension Table {
  /// A SELECT that gives the record.
  fileprivate func row(of draft: DraftShape, in dialect: any SQLDialect) -> SQL {
    let shown = columns.map { column -> SQL in
      let name: SQL = "\(identifier: column.name)"
      if let number = draft.columns.firstIndex(of: column.name) {
        return "\(column.stored(.parameter(number), in: dialect)) AS \(name)"
      }
      guard draft.locators.isEmpty || draft.reset.contains(column.name) else { return name }
      return "\(column.defaultValue ?? "NULL") AS \(name)"
    }
    let row: SQL = "SELECT \(shown.joined(separator: ", "))"
    guard !draft.locators.isEmpty else { return row }
    let found = draft.locators.enumerated().map { number, name -> SQL in
      let type = column(named: name).flatMap { dialect.type(of: $0) }
      return
        "\(identifier: name) = \(dialect.parameter(.parameter(draft.columns.count + number), as: type))"
    }
    return "\(row) FROM \(identifier: self.name) WHERE \(found.joined(separator: " AND "))"
  }
}

extension Column {
  /// A value as the column compares it.
  fileprivate func stored(_ binding: SQL.Binding, in dialect: any SQLDialect) -> SQL {
    if let type = dialect.type(of: self) { return dialect.parameter(binding, as: type) }
    // What is bound has no affinity and no collation.
    let value: SQL = "\(binding)"
    let type: SQL? =
      switch affinity {
      case .integer, .numeric: "NUMERIC"
      case .real: "REAL"
      case .text: "TEXT"
      case .blob: nil
      }
    let converted: SQL = type.map { "CAST(\(value) AS \($0))" } ?? value
    return collation.equalsIgnoringCase("BINARY")
      ? converted : "\(converted) COLLATE \(identifier: collation)"
  }
}
