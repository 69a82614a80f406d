import KindredSQLSyntax
import OrderedCollections

/// Compiles full-text searches.
struct SearchCompiler {
  let context: PlanningContext

  private var state: PlanningState { context.state }
  private var dialect: any SQLDialect { context.dialect }

  /// Returns the full-text index of a search.
  private func fullText(of record: StatementRecord, for search: RequestNode.Search) throws -> FullText {
    guard let fullText = record.table.fullText else {
      throw RequestError(
        .invalidValue,
        "\(record.resource.name) has no full-text index; use `filter` with `like`, or \(dialect.fullTextIndex(of: record.table.name))",
        at: search.origin)
    }
    return fullText
  }

  /// Returns the condition that a search finds the record.
  func match(_ search: RequestNode.Search, in record: StatementRecord) throws -> SQL {
    let fullText = try fullText(of: record, for: search)
    if let vector = fullText.vector { return try vectorMatch(search, vector, fullText, in: record).condition }
    return FullTextTable(fullText).contains(
      SQL.column(record.id, fullText.rowIDName), where: try pattern(of: search, fullText, in: record))
  }

  /// Adds a search to the record's own statement, and returns the rank, which can order the result.
  ///
  /// - Parameter isPlain: Whether the statement's rows are those of the table, neither distinct nor grouped.
  /// - Returns: The rank; nil if it would depend on hidden columns, or SQLite can't compute it for such rows.
  func join(_ search: RequestNode.Search, to record: StatementRecord, isPlain: Bool) throws -> SQL? {
    let fullText = try fullText(of: record, for: search)
    if let vector = fullText.vector {
      let match = try vectorMatch(search, vector, fullText, in: record)
      record.select.add(match.condition)
      return match.rank
    }
    let table = FullTextTable(fullText)
    var alias = record.alias
    if fullText.table != record.table.name {
      alias = record.select.alias(for: fullText.table)
      record.select.join(
        context.sources.reference(to: fullText, as: alias),
        on: [table.isIndex(alias, of: SQL.column(record.id, fullText.rowIDName))])
    }
    record.select.add(table.matches(alias, try pattern(of: search, fullText, in: record)))
    guard visibleColumns(of: fullText, in: record).count == fullText.columns.count else { return nil }
    return table.rank(alias, isPlain: isPlain)
  }

  /// Returns the condition and the rank of a search in a `tsvector` column.
  private func vectorMatch(
    _ search: RequestNode.Search, _ vector: String, _ fullText: FullText, in record: StatementRecord
  ) throws -> (condition: SQL, rank: SQL) {
    try state.budget.charge(8, at: search.origin)
    guard !fullText.columns.contains(where: record.resource.hidden.contains) else {
      throw holdsHidden(record, search)
    }
    guard case .text(let pattern) = state.literals[search.literal] else {
      throw RequestError(.invalidValue, "the pattern must be a text", at: search.origin)
    }
    state.readsLiterals = true
    let query: TextSearchQuery
    do {
      query = try TextSearchQuery(pattern)
    } catch {
      throw RequestError(.invalidValue, "the pattern is malformed: \(error.message)", at: search.origin)
    }
    let column = SQL.column(record.id, vector)
    return (query.matches(column), query.rank(column))
  }

  private func holdsHidden(_ record: StatementRecord, _ search: RequestNode.Search) -> RequestError {
    RequestError(
      .invalidValue,
      "\(record.resource.name) can't be searched, because its full-text index contains hidden data",
      at: search.origin)
  }

  /// Returns the pattern of a search, restricted to visible columns.
  private func pattern(of search: RequestNode.Search, _ fullText: FullText, in record: StatementRecord) throws
    -> SQL
  {
    let pattern = SQL.bound(to: .parameter(search.literal))
    try state.budget.charge(8, at: search.origin)
    let visible = visibleColumns(of: fullText, in: record)
    let isWhole = visible.count == fullText.columns.count
    let check = PlanNote.search(check(of: search, on: fullText, columns: isWhole ? nil : visible))
    guard !isWhole else { return pattern.noted(check) }
    guard fullText.hasColumnFilters, !visible.isEmpty else { throw holdsHidden(record, search) }
    return FullTextTable(fullText).pattern(pattern, in: visible).noted(check)
  }

  /// Returns the columns that neither the record's resource nor the index's own hides.
  private func visibleColumns(of fullText: FullText, in record: StatementRecord) -> [String] {
    let resources =
      [record.resource] + state.model.resources.values.filter { $0.table.name == fullText.table }
    return fullText.columns.filter { column in
      !resources.contains { $0.hidden.contains(where: column.equalsIgnoringCase) }
    }
  }

  /// Returns how a pattern is validated before the statements run.
  ///
  /// - Parameter columns: The columns that it may name; nil means all.
  private func check(
    of search: RequestNode.Search, on fullText: FullText, columns: [String]?
  ) -> Plan.SearchCheck {
    let sql = FullTextTable(fullText).check(.bound(to: .parameter(search.literal)))
    return Plan.SearchCheck(
      statement: Plan.Statement(sql, dialect.parameterStyle), literal: search.literal, columns: columns,
      origin: search.origin)
  }
}
