import KindredSQLSyntax
import OrderedCollections

/// What must hold for a record: its filters, its searches, and the associations that it must have.
extension Planning {
  /// The conditions that the request puts on the record of `scope`.
  ///
  /// - Parameter joinedSearch: the search that the statement's own `FROM` clause makes, by number.
  func conditions(of scope: Scope, joinedSearch: Int? = nil) throws -> [SQL] {
    guard let node = scope.node else { return [] }
    try filtered.begin(node)
    defer { filtered.end(node) }
    var conditions = node.equalities.map { equality($0, in: scope) }
    conditions += try node.filters.map { try guardedCondition($0, in: scope) }
    // What must hold for a group says nothing of a record.
    if !node.isGrouped { conditions += try node.havings.map { try guardedCondition($0, in: scope) } }
    for (number, search) in node.searches.enumerated() where number != joinedSearch {
      conditions.append(try noting(diagnostics) { try match(search, in: scope) } ?? "TRUE")
    }
    for child in node.children where child.isRequired {
      if scope.canJoin, scope.isSolid, child.association?.cardinality == .toOne, child.recursion == nil {
        // An inner join says it.
        _ = try joinToOne(child.key, of: scope)
      } else {
        conditions.append(try exists(child, of: scope))
      }
    }
    return conditions
  }

  /// That an associated record is there which meets its own conditions.
  private func exists(_ child: RequestNode, of scope: Scope) throws -> SQL {
    guard let association = child.association else { return "TRUE" }
    return try scope.statement.subquery { select in
      let records = try chain(
        association, from: scope, into: select, node: child, isRepeated: scope.statement.repeatsInner)
      select.conditions += try conditions(of: records)
      return "EXISTS (SELECT 1 \(select.from()))"
    }
  }

  // MARK: Full text

  /// The full-text table of a search.
  func fullText(of scope: Scope, for search: RequestNode.Search) throws -> FullText {
    guard let fullText = scope.table.fullText else {
      throw RequestError(
        .invalidValue,
        "\(scope.resource.name) has no full-text index to search: use `filter` with `like`, or \(dialect.fullTextIndex(of: scope.table.name))",
        at: search.origin)
    }
    return fullText
  }

  private func match(_ search: RequestNode.Search, in scope: Scope) throws -> SQL {
    let fullText = try fullText(of: scope, for: search)
    if let vector = fullText.vector {
      return "\(SQL.column(scope.record, vector)) @@ \(try query(of: search, fullText, in: scope))"
    }
    let table: SQL = "\(identifier: fullText.table)"
    let rowID = SQL.column(scope.record, fullText.rowIDName)
    return
      "\(rowID) IN (SELECT rowid FROM \(table) WHERE \(table) MATCH \(try pattern(of: search, fullText, in: scope)))"
  }

  /// The pattern of a search as one of PostgreSQL's.
  private func query(of search: RequestNode.Search, _ fullText: FullText, in scope: Scope) throws -> SQL {
    try budget.charge(8, at: search.origin)
    let hidden = scope.resource.hidden
    guard !fullText.columns.contains(where: hidden.contains) else {
      throw RequestError(
        .invalidValue,
        "\(scope.resource.name) can't be searched: its full-text index holds what is not shown",
        at: search.origin)
    }
    guard case .text(let pattern) = request.literals.values[search.literal] else {
      throw RequestError(.invalidValue, "a pattern is a text", at: search.origin)
    }
    plan.readsLiterals = true
    do {
      let text = try TextSearchQuery(pattern).text
      return "to_tsquery('simple', \(SQL.bound(to: .value(.text(text)), as: "text")))"
    } catch {
      throw RequestError(.invalidValue, "the pattern is malformed: \(error.message)", at: search.origin)
    }
  }

  /// The pattern of a search, which must find nothing in hidden columns.
  private func pattern(of search: RequestNode.Search, _ fullText: FullText, in scope: Scope) throws -> SQL {
    let pattern: SQL = "\(.parameter(search.literal))"
    try budget.charge(8, at: search.origin)
    check(search, on: fullText.table)
    let resources = [scope.resource] + model.resources.values.filter { $0.table.name == fullText.table }
    let visible = fullText.columns.filter { column in
      !resources.contains { $0.hidden.contains(where: column.equalsIgnoringCase) }
    }
    guard visible.count < fullText.columns.count else { return pattern }
    guard fullText.version >= 5, !visible.isEmpty else {
      throw RequestError(
        .invalidValue,
        "\(scope.resource.name) can't be searched: its full-text index holds what is not shown",
        at: search.origin)
    }
    // A column filter (https://www.sqlite.org/fts5.html#fts5_column_filters). The pattern can't end the parentheses: it
    // has been checked by itself. Nothing in parentheses would be an error.
    let columns = visible.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
    let opening = SQLValue.text("{\(columns)} : (")
    return
      "iif(trim(\(pattern), \(.value(.text(" \t\r\n")))) = '', \(pattern), \(.value(opening)) || \(pattern) || ')')"
  }

  /// Has a pattern checked before anything else runs, once.
  private func check(_ search: RequestNode.Search, on table: String) {
    let sql: SQL =
      "SELECT 1 FROM \(identifier: table) WHERE \(identifier: table) MATCH \(.parameter(search.literal)) LIMIT 1"
    guard !plan.searches.contains(where: { $0.origin == search.origin && $0.literal == search.literal })
    else {
      return
    }
    plan.searches.append(
      Plan.SearchCheck(statement: planned(sql), literal: search.literal, origin: search.origin))
  }

  /// Joins the full-text table to the record's statement, so that its rank can order the result.
  func joinSearch(_ search: RequestNode.Search, to scope: Scope) throws -> SQL {
    let fullText = try fullText(of: scope, for: search)
    if let vector = fullText.vector {
      let (column, query) = (SQL.column(scope.record, vector), try query(of: search, fullText, in: scope))
      scope.select.conditions.append("\(column) @@ \(query)")
      // The best comes first.
      return "(- ts_rank(\(column), \(query)))"
    }
    var alias = scope.alias
    if fullText.table != scope.table.name {
      alias = scope.select.alias(for: fullText.table)
      scope.select.join(
        reference(to: fullText, as: alias),
        on: ["\(identifier: alias).rowid = \(SQL.column(scope.record, fullText.rowIDName))"])
    }
    scope.select.conditions.append(
      "\(identifier: alias).\(identifier: fullText.table) MATCH \(try pattern(of: search, fullText, in: scope))"
    )
    if fullText.version >= 5 { return "\(identifier: alias).rank" }
    // FTS3 and FTS4 know no rank: the more hits, the better. `offsets` has four numbers for each
    // (https://www.sqlite.org/fts3.html#offsets).
    let offsets: SQL = "offsets(\(identifier: alias))"
    return "(length(replace(\(offsets), ' ', '')) - length(\(offsets)))"
  }
}
