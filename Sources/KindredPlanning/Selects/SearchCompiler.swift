import KindredModel
import KindredSQLSyntax

/// Compiles full-text searches.
struct SearchCompiler: PlanningPart {
  let context: PlanningContext

  /// Returns the condition that a search finds the record.
  func match(_ search: ResolvedSearch, in record: StatementRecord) throws -> SQL {
    let (found, check) = try compiled(search, in: record)
    return found.condition(on: record.id).noted(check)
  }

  /// Adds a search to the record's own statement, and returns the rank, which can order the result.
  ///
  /// - Parameter isPlain: Whether the statement's rows are those of the table, neither distinct nor grouped.
  func join(_ search: ResolvedSearch, to record: StatementRecord, isPlain: Bool) throws -> TextRank {
    let fullText = search.fullText
    let alias =
      fullText.table == record.table.name ? record.alias : record.select.alias(for: fullText.table)
    let (found, check) = try compiled(search, in: record)
    let match = found.match(record.id, by: alias, isPlain: isPlain)
    if let link = match.link {
      record.select.join(context.sources.reference(to: fullText, as: alias), on: [link])
    }
    record.select.add(match.condition.noted(check))
    record.match = match
    return match.rank
  }

  /// Returns the value of a function of the search that finds a record.
  func value(
    of call: SearchCall, in record: StatementRecord, at origin: Origin
  ) throws -> CompiledExpression {
    guard let search = record.node?.searches.last else { return .unknown }
    let resolved = try AssociationResolver(state: state).search(search, of: record.names)
    let (found, _) = try compiled(resolved, in: record)
    // The rank of a record depends on all others, including invisible ones.
    let isHidden = call == .rank && context.rules.restricts(record)
    if context.restrictsRows { state.exposure.add(record) }
    do {
      if isHidden { throw TextSearchRefusal.ranksHidden }
      return try found.value(of: call, for: record.id, in: record.table, by: record.match)
    } catch let refusal as TextSearchRefusal {
      throw RequestError(.invalidExpression, message(of: refusal, in: record), at: origin)
    }
  }

  /// Returns the search as the database writes it, and a note of its pattern if that is to be validated before the
  /// statements run.
  private func compiled(
    _ resolved: ResolvedSearch, in record: StatementRecord
  ) throws -> (search: any TextSearch, check: PlanNote?) {
    let (search, fullText, visible) = (resolved.search, resolved.fullText, resolved.visible)
    try state.budget.charge(8, at: search.origin)
    let pattern = TextPattern(literal: search.literal, value: state.literals[search.literal])
    let found: any TextSearch
    do {
      found = try dialect.search(for: pattern, in: fullText, visible: visible)
    } catch let refusal as TextSearchRefusal {
      throw error(of: refusal, search, in: record)
    }
    if found.readsPattern { state.readsLiterals = true }
    let check = found.check.map { check in
      PlanNote.search(
        Plan.SearchCheck(
          statement: Plan.Statement(check, dialect.parameterStyle), literal: search.literal,
          columns: visible.count == fullText.columns.count ? nil : visible, origin: search.origin))
    }
    return (found, check)
  }

  private func error(
    of refusal: TextSearchRefusal, _ search: RequestNode.Search, in record: StatementRecord
  ) -> RequestError {
    if case .readsHidden = refusal { return .hiddenIndex(of: record.resource, at: search.origin) }
    return RequestError(.invalidValue, message(of: refusal, in: record), at: search.origin)
  }

  private func message(of refusal: TextSearchRefusal, in record: StatementRecord) -> String {
    switch refusal {
    case .isNoText: "the pattern must be a text"
    case .malformed(let reason): "the pattern is malformed: \(reason)"
    case .readsHidden:
      "\(record.resource.name) can't be searched, because its full-text index contains hidden data"
    case .ranksHidden: "the rank depends on data that you may not read; sort by a column instead"
    case .hasNoFunctions: "FTS3 and FTS4 have no rank and mark no matches; create an FTS5 table"
    case .isNoTextOfIndex(let column): "`\(column)` is not a text of the full-text index"
    }
  }
}

extension SQL {
  fileprivate func noted(_ note: PlanNote?) -> SQL { note.map { self.noted($0) } ?? self }
}
