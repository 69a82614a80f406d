import KindredModel
import KindredPlanning
import KindredSQLiteDialect
import KindredSQLSyntax

/// What a request is planned for.
enum RequestPurpose: Sendable {
  /// To fetch its rows.
  case rows
  /// To count its rows.
  case count
  /// To delete its records, of which only the conditions matter.
  case deletion
  /// To assign the selected expressions to the columns of their names, in the records that meet the conditions.
  case update(Database.ConflictResolution)

  var isUpdate: Bool { if case .update = self { true } else { false } }
}

/// What is planned for a purpose.
enum Planned: Sendable {
  case rows(PlannedShape)
  case statement(PlannedStatement)
  /// Conditions that read other rows: see ``PurposePlan/subqueries``.
  case subqueries
}

/// What the planner makes of a request for a purpose.
enum PurposePlan {
  case rows(Plan)
  case statement(sql: String, bindings: [SQLText.Binding], transients: [TransientTable], readsLiterals: Bool)
  /// A write whose expressions read rows that it may have changed already: the keys of its records are found first.
  case subqueries

  /// Returns the plan with what running it needs.
  ///
  /// - Throws: `DatabaseError`.
  func planned(on db: Database) throws -> Planned {
    switch self {
    case .rows(let plan): .rows(try PlannedShape(plan, on: db))
    case .statement(let sql, let bindings, let transients, _):
      .statement(try PlannedStatement(sql, bindings, transients: transients))
    case .subqueries: .subqueries
    }
  }

  var transients: [TransientTable] {
    switch self {
    case .rows(let plan): plan.transients
    case .statement(_, _, let transients, _): transients
    case .subqueries: []
    }
  }

  /// Whether it depends on the values of literals.
  var readsLiterals: Bool {
    switch self {
    case .rows(let plan): plan.readsLiterals
    case .statement(_, _, _, let readsLiterals): readsLiterals
    case .subqueries: false
    }
  }

  /// The texts of the statements without the numbers of their parameters, of which equal values share one.
  var unnumberedSQL: [String] {
    let number = /\?[0-9]+/.matchingSemantics(.unicodeScalar)
    let texts: [String] =
      switch self {
      case .rows(let plan):
        plan.nodes.flatMap { [$0.statement.sql] + ($0.batch.map { [$0.statement.sql] } ?? []) }
      case .statement(let sql, _, _, _): [sql]
      case .subqueries: []
      }
    return texts.map { $0.replacing(number, with: "?") }
  }
}

extension Planner {
  /// Returns the plan of a request for a purpose.
  ///
  /// - Throws: `RequestError`.
  func plan(_ request: KindredModel.FetchRequest, for purpose: RequestPurpose) throws -> PurposePlan {
    switch purpose {
    case .rows: return .rows(try planRows(request))
    case .count:
      var request = request
      request.count = true
      let plan = try planRows(request)
      guard let count = plan.count else { throw DatabaseError.misuse("a request that can't be counted") }
      return .statement(
        sql: count.sql, bindings: count.bindings, transients: plan.transients,
        readsLiterals: plan.readsLiterals)
    case .deletion, .update:
      let (sql, bindings) = try write(request, for: purpose).rendered()
      // Texts of the program may write it in any case; a name that contains it costs only speed.
      guard !sql.lowercased().contains("select") else { return .subqueries }
      return .statement(sql: sql, bindings: bindings, transients: [], readsLiterals: false)
    }
  }

  /// Returns the statement that deletes or updates the records that meet the conditions of a request.
  ///
  ///     DELETE FROM table WHERE filters
  ///     UPDATE table SET name = field, … WHERE filters
  private func write(_ request: KindredModel.FetchRequest, for purpose: RequestPurpose) throws -> SQLText {
    let assignments = (request.root.fields ?? []).compactMap { field in
      if case .expression(let item) = field { item } else { nil }
    }
    var parts = request
    let expressions = request.root.filters + (purpose.isUpdate ? assignments.map(\.expression) : [])
    parts.root.filters = []
    parts.root.fields = expressions.map { .expression(NamedExpression(name: nil, expression: $0.unnamed)) }
    let sql = try selection(of: parts)
    let conditions = sql.prefix(request.root.filters.count).map { "(\($0))" as SQLText }
    let clause: SQLText = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    let table = request.path.resource
    guard case .update(let conflict) = purpose else { return "DELETE FROM \(identifier: table)\(clause)" }
    let set = zip(assignments, sql.dropFirst(conditions.count)).map { assignment, value in
      "\(identifier: assignment.name ?? "") = \(value)" as SQLText
    }
    let head = SQLText(trusted: "UPDATE \(conflict.clause)")
    return "\(head)\(identifier: table) SET \(set.joined(separator: ", "))\(clause)"
  }
}
