import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The response to `explain=true`: every statement with its arguments and the database's plan, and the missing indexes,
/// and whether the database's planner lacks statistics.
struct Explanation {
  let planned: PlannedRequest

  init(_ planned: PlannedRequest) {
    self.planned = planned
  }

  /// - Parameter mask: Masks the names of hidden columns.
  func document(in reading: any ReadTransaction, _ mask: HiddenNames) throws -> JSONValue {
    let plan = planned.plan.plan
    let explained = try reading.explanation(
      of: planned.plan, planned.parameters, limit: planned.limit
    ).statements
    let statements = explained.map { statement -> JSONValue in
      [
        "node": .string(statement.node), "sql": .string(mask.masked(statement.sql)),
        "arguments": .array(statement.bindings.map(argument)),
        "plan": JSONValue(strings: statement.plan.map(mask.masked)),
        "shards": statement.shards.map { .integer(Int64($0)) },
      ]
    }
    let dividing = explained.contains { $0.shards ?? 0 > 1 } ? plan.distributionColumn : nil
    let suggestion = dividing.map { column in
      "add a condition such as `\(column)=…`: `\(column)` decides in which shard a record is, so that each statement goes to one"
    }
    let tables = try reading.tables(readBy: plan)
    let statistics = try reading.plannerStatistics().state(of: tables)
    let transients = plan.transients.map { table -> JSONValue in
      ["create": .string(mask.masked(table.create)), "fill": .string(mask.masked(table.fill))]
    }
    return [
      "statements": .array(statements),
      "suggestions": suggestion.map { [.string(mask.masked($0))] },
      "transientTables": transients.isEmpty ? nil : .array(transients),
      "missingIndexes": JSONValue(strings: plan.missingIndexes.map(mask.masked)),
      "statistics": statistics.map { .string($0.rawValue) },
      "mismatches": plan.mismatches.isEmpty ? nil : JSONValue(strings: plan.mismatches.map(mask.masked)),
    ]
  }

  private func argument(_ binding: SQL.Binding) -> JSONValue {
    switch binding {
    case .value(let value): JSONValue(value)
    case .parameter(let number): JSONValue(planned.parameters.literals[number])
    // The value isn't shown: it may be of a hidden column.
    case .cursor(let number): ["cursor": .integer(Int64(number))]
    case .claim(let name): JSONValue(planned.parameters.claims[name]?.value ?? .null)
    case .beginning, .moment, .regularExpression, .json, .document, .elements:
      JSONValue((try? planned.parameters.value(of: binding)) ?? .null)
    case .ancestor(let level, let column):
      ["level": .integer(Int64(-level)), "column": .integer(Int64(column))]
    case .batch(let number): ["input": .integer(Int64(number))]
    }
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
