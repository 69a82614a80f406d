import KindredModel
import KindredPlanning

extension ModelRefinement {
  /// Checks that the database can compare the columns by which the file associates records.
  ///
  /// - Parameter tables: Returns the tables of common table expressions, and so shows whether the database accepts a
  ///   query.
  func compareColumns(_ tables: ([CommonTableDefinition]) throws -> [Table]) throws {
    let expressions = try file.queries(in: dialect).map { query in
      var definition = query.definition
      definition.isReadable = true
      return definition
    }
    func check(_ step: AssociationStep, line: Int) throws {
      guard let test = model.comparisonTest(of: step, dialect) else { return }
      do {
        _ = try tables(expressions + [CommonTableDefinition(name: "kindred:comparison", sql: test)])
      } catch let failure as CommonTableDefinition.Failure {
        throw file.error(
          line,
          "the database can't compare \(Self.names(step.originColumns, of: step.origin)) with "
            + "\(Self.names(step.destinationColumns, of: step.destination)) (\(failure.message)): "
            + "name columns of one type, or change the type of one")
      }
    }
    for (name, refinement) in refinements {
      for entry in refinement.associations {
        guard case .foreignKey(_, _, let columns?)? = entry.definition?.way,
          let step = model.resources[name.value]?.associations[entry.key.value]?.steps.first
        else { continue }
        try check(step, line: columns.line)
      }
      for entry in refinement.foreignKeys {
        let definition = "\(file.name):\(entry.line)"
        // Several foreign keys may stand in one line.
        for association in model.resources[name.value].map({ Array($0.associations.values) }) ?? []
        where association.definition == definition && association.kind == "belongsTo" {
          if let step = association.steps.first { try check(step, line: entry.line) }
        }
      }
    }
  }

  private static func names(_ columns: [String], of table: String) -> String {
    columns.map { "`\(table).\($0)`" }.joined(separator: ", ")
  }
}
