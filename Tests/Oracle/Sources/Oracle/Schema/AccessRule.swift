import OracleValues

/// A change of a record that a rule may allow.
enum WriteVerb: String, Sendable, CaseIterable {
  case create, update, delete
}

/// The rule by which clients may read or write records of a table: a condition, or a column that equals a claim.
struct AccessRule: Sendable {
  var condition: Expr
  /// The column that is compared with the claim.
  var column: String
  /// The name of the claim.
  var claim: String
  /// The value of the claim; NULL if the client has none.
  var value: Value

  /// The rule in the format of the model file.
  var text: String { "(\(condition.text)) or \(column) = auth.\(claim)" }

  /// The rule with the value in place of the claim.
  var expression: Expr {
    .junction("or", [condition, .binary("=", .path(Path(leaf: .column(column))), .value(value))])
  }
}

extension DatabaseSchema {
  /// Returns the database without the rows that the rules exclude; within a rule no other rules apply.
  func inSight(_ constants: ConstantEvaluator) throws -> DatabaseSchema {
    guard tables.contains(where: { $0.rule != nil }) else { return self }
    let evaluator = Evaluator(schema: self, constants: constants)
    var seen = self
    for (number, table) in tables.enumerated() {
      guard let rule = table.rule?.expression else { continue }
      seen.tables[number].rows = try table.rows.filter { row in
        try evaluator.holds(rule, of: Record(table: table, row: row))
      }
    }
    return seen
  }

  /// The claims of the client as a JSON object.
  var claims: String {
    let rules = tables.flatMap { [$0.rule].compactMap { $0 } + $0.writeRules.values }
    let members = rules.filter { !$0.value.isNull }.map {
      "\"\($0.claim)\":\($0.value.json)"
    }
    return "{\(members.joined(separator: ","))}"
  }
}

extension Value {
  fileprivate var json: String { "\(JSON(self, isBoolean: false))" }
}
