import KindredModel
import KindredSQLSyntax
import OrderedCollections

/// Compiles the common table expressions of a request for rows.
struct CommonTableDefinitions {
  let context: PlanningContext

  /// Returns the definitions for a node and the records joined to it, each once.
  ///
  /// - Throws: `RequestError` if two of the same name differ.
  func definitions(of node: RequestNode) throws -> [SQL] {
    var definitions: OrderedDictionary<String, SQL> = [:]
    for table in node.commonTables {
      let columns = (table.columns ?? []).map { "\(identifier: $0)" as SQL }
      let list: SQL = columns.isEmpty ? SQL() : " (\(columns.joined(separator: ", ")))"
      let definition: SQL = "\(list) AS (\(try definition(of: table)))"
      let name = table.name.foldingASCIICase
      guard definitions[name].map({ $0 == "\(identifier: table.name)\(definition)" }) ?? true else {
        throw RequestError(
          .duplicateName, "two different common table expressions are called `\(table.name)`")
      }
      definitions[name] = "\(identifier: table.name)\(definition)"
    }
    return Array(definitions.values)
  }

  private func definition(of table: CommonTable) throws -> SQL {
    switch table.definition {
    case .raw(let parts):
      let table = Table(name: "", kind: .view, columns: [], primaryKey: [])
      let nowhere = StatementRecord(
        NameScope(model: context.model, resource: Resource(name: "", table: table)), table: table, alias: "",
        select: StatementBuilder(context.dialect).newSelect(), parent: nil)
      return try ProgramExpressionCompiler(context: context).raw(parts, in: nowhere)
    case .request(let request):
      return try definition(by: request)
    }
  }

  /// Returns the rows of a request, whose values have numbers among those of the outer one.
  private func definition(by request: FetchRequest) throws -> SQL {
    let outer = context.state
    let state = PlanningState(
      model: outer.model, dialect: outer.dialect, literals: outer.literals,
      literalsAreDistinct: outer.literalsAreDistinct)
    let builder = RowSelectBuilder(context: PlanningContext(state: state))
    let rows = try builder.select(request, into: StatementBuilder(outer.dialect).newSelect())
    let columns = try builder.selection(of: rows)
    if state.readsLiterals { outer.readsLiterals = true }
    // The patterns of its searches are its own literals; a malformed one is an error of the statement.
    return rows.subquery(columns).removingNotes { note in
      if case .search? = note as? PlanNote { true } else { false }
    }
  }
}

extension RequestNode {
  /// The tables defined for the node, for the records joined to it, and for those of its aggregates.
  fileprivate var commonTables: [CommonTable] {
    rows.commonTables + (joinedNodes + expressions.flatMap(\.aggregatedNodes)).flatMap(\.commonTables)
  }
}

extension Expression {
  /// The nodes of its aggregates.
  fileprivate var aggregatedNodes: [RequestNode] {
    guard case .program(let expression) = kind else { return parts.flatMap(\.aggregatedNodes) }
    switch expression {
    case .aggregate(_, let node, let argument): return [node] + (argument?.aggregatedNodes ?? [])
    case .of(_, let expression), .among(let expression, _): return expression.aggregatedNodes
    case .raw(let parts):
      return parts.flatMap { part -> [RequestNode] in
        if case .expression(let expression) = part { expression.aggregatedNodes } else { [] }
      }
    case .column, .count, .search, .exists, .scalar: return []
    }
  }
}
