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
  /// - Returns: The rank; nil if it would depend on hidden columns, or the database can't compute it for such rows.
  func join(_ search: ResolvedSearch, to record: StatementRecord, isPlain: Bool) throws -> SQL? {
    let fullText = search.fullText
    let alias =
      fullText.table == record.table.name ? record.alias : record.select.alias(for: fullText.table)
    let (found, check) = try compiled(search, in: record)
    let match = found.match(record.id, by: alias, isPlain: isPlain)
    if let link = match.link {
      record.select.join(context.sources.reference(to: fullText, as: alias), on: [link])
    }
    record.select.add(match.condition.noted(check))
    return match.rank
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
    switch refusal {
    case .isNoText: RequestError(.invalidValue, "the pattern must be a text", at: search.origin)
    case .malformed(let reason):
      RequestError(.invalidValue, "the pattern is malformed: \(reason)", at: search.origin)
    case .readsHidden: .hiddenIndex(of: record.resource, at: search.origin)
    }
  }
}

extension SQL {
  fileprivate func noted(_ note: PlanNote?) -> SQL { note.map { self.noted($0) } ?? self }
}
