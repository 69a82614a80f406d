import KindredAssociations
import KindredExecution
import KindredSQLSyntax
import KindredSQLite

/// What `explain=true` shows: every statement, its arguments, SQLite's plan, and the indexes that are missing.
struct Explanation {
  let planned: PlannedRequest

  init(_ planned: PlannedRequest) {
    self.planned = planned
  }

  /// - Parameters:
  ///   - connection: one on which the statements can be prepared.
  ///   - mask: replaces the names of hidden columns.
  func document(on connection: Connection, _ mask: HiddenNames) throws -> JSONValue {
    let plan = planned.plan.plan
    try ResultReader.prepareTransients(of: plan, on: connection)
    var statements: [JSONValue] = []
    func add(_ name: String, _ statement: Plan.Statement) throws {
      statements.append([
        "node": .string(name), "sql": .string(mask.masked(statement.sql)),
        "arguments": .array(statement.bindings.map(argument)),
        "plan": JSONValue(strings: try queryPlan(of: statement.sql, on: connection).map(mask.masked)),
      ])
    }
    for search in plan.searches { try add("search", search.statement) }
    for step in plan.path { try add("path", step.statement) }
    for node in plan.nodes { try add(node.name.isEmpty ? "root" : node.name, node.statement) }
    if let count = plan.count { try add("count", count) }
    if let lookahead = plan.lookahead { try add("lookahead", lookahead) }
    if let anchor = plan.anchor { try add("anchor", anchor) }
    if let passed = plan.passed { try add("passed", passed) }
    var members: [(String, JSONValue)] = [("statements", .array(statements))]
    if !plan.transients.isEmpty {
      members.append(
        (
          "transientTables",
          .array(
            plan.transients.map {
              ["create": .string(mask.masked($0.create)), "fill": .string(mask.masked($0.fill))]
            })
        ))
    }
    members.append(("missingIndexes", JSONValue(strings: plan.missingIndexes.map(mask.masked))))
    if !plan.mismatches.isEmpty {
      members.append(("mismatches", JSONValue(strings: plan.mismatches.map(mask.masked))))
    }
    return .object(members)
  }

  private func argument(_ binding: SQL.Binding) -> JSONValue {
    switch binding {
    case .value(let value): JSONValue(value)
    case .parameter(let number): JSONValue(planned.parameters.literals[number])
    // It may be of a hidden column.
    case .cursor(let number): ["cursor": .integer(Int64(number))]
    case .claim(let name): JSONValue(planned.parameters.claims[name] ?? .null)
    case .ancestor(let level, let column):
      ["level": .integer(Int64(-level)), "column": .integer(Int64(column))]
    case .batch(let number): ["input": .integer(Int64(number))]
    }
  }

  private func queryPlan(of sql: String, on connection: Connection) throws -> [String] {
    let statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)", persistent: false)
    var lines: [String] = []
    var depths: [Int64: Int] = [:]
    while try statement.step() {
      let depth = (depths[statement.int64(1)] ?? -1) + 1
      depths[statement.int64(0)] = depth
      lines.append(String(repeating: "  ", count: depth) + (statement.text(3) ?? ""))
    }
    return lines
  }
}

extension JSONValue {
  init(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .string(value)
    case .blob(let bytes): self = .string(Base64.encodeForURL(bytes))
    }
  }
}
