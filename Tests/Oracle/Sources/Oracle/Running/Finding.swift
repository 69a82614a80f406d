import Foundation
import OracleValues

/// A difference, with everything that is needed to reproduce it.
struct Finding: CustomStringConvertible {
  let trial: Trial
  let difference: Difference

  var description: String {
    let target = trial.request.target(in: trial.schema)
    var lines = [
      trial.schema.sql(isIndexed: difference.isIndexed)
        + Self.model(of: trial.schema).joined(separator: "\n"),
      target.removingPercentEncoding ?? target,
      target,
      "expected \(difference.expected)",
      "got      \(difference.got)",
    ]
    if let service = try? KindredDatabase(trial.schema, isIndexed: difference.isIndexed),
      let plan = try? service.get(target + (target.contains("?") ? "&" : "?") + "explain=true")
    {
      lines.append(plan.text)
    }
    if trial.request.isLines { lines.insert("as lines", at: 2) }
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The content of the model file.
  static func model(of schema: DatabaseSchema) -> [String] {
    schema.tables.flatMap { table -> [String] in
      var lines: [String] = []
      if table.isRemoved { lines.append("-- \(table.plural): removed") }
      if !table.defaultSort.isEmpty {
        lines.append("-- \(table.plural): sort \(table.defaultSort.map(\.text))")
      }
      if let fields = table.defaultFields { lines.append("-- \(table.plural): fields \(fields)") }
      if let rule = table.rule {
        lines.append("-- \(table.plural): rows \(rule.text), auth.\(rule.claim) = \(rule.value.literal)")
      }
      for verb in WriteVerb.allCases {
        guard let rule = table.writeRules[verb] else { continue }
        lines.append(
          "-- \(table.plural): \(verb) \(rule.text), auth.\(rule.claim) = \(rule.value.literal)")
      }
      lines += table.associations.filter(\.isOfModelFile).map { association in
        let steps = association.steps.map { step in
          "\(step.origin)(\(step.originColumns.joined(separator: ","))) -> \(step.destination)(\(step.destinationColumns.joined(separator: ",")))"
            + (step.filter.map { " where \($0.text)" } ?? "")
        }
        return "-- \(table.plural).\(association.key): \(steps.joined(separator: " -> "))"
          + (association.filter.map { " where \($0.text)" } ?? "")
          + (association.sort.isEmpty ? "" : " sort \(association.sort.map(\.text))")
      }
      return lines
    }
  }
}
