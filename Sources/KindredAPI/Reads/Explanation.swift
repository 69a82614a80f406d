import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The response to `explain=true`: every statement with its arguments and the database's plan, and the missing indexes.
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
      var members: [(String, JSONValue)] = [
        ("node", .string(statement.node)), ("sql", .string(mask.masked(statement.sql))),
        ("arguments", .array(statement.bindings.map(argument))),
        ("plan", JSONValue(strings: statement.plan.map(mask.masked))),
      ]
      if let shards = statement.shards { members.append(("shards", .integer(Int64(shards)))) }
      return .object(members)
    }
    var members: [(String, JSONValue)] = [("statements", .array(statements))]
    if explained.contains(where: { $0.shards ?? 0 > 1 }), let column = plan.distributionColumn {
      members.append(
        (
          "suggestions",
          [
            .string(
              mask.masked(
                "add a condition such as `\(column)=…`: `\(column)` decides in which shard a record is, so that each statement goes to one"
              ))
          ]
        ))
    }
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
