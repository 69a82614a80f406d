import KindredModel
import KindredPlanning

extension ModelRefinement {
  /// Adds the computed columns, whose names other members of a resource may use.
  mutating func addComputedColumns() throws {
    for (resource, refinement) in refinements {
      for (name, expression) in refinement.columns {
        guard let table = model.resources[resource.value]?.table else { continue }
        if let column = table.column(named: name.value) {
          throw file.error(
            name.line,
            "`\(name.value)` is the name of the column `\(table.name).\(column.name)`; choose another")
        }
        model.resources[resource.value]?.computed[name.value] = ComputedColumn(
          name: name.value, expression: expression.value)
      }
    }
  }

  /// Checks the expressions of the computed columns, now that all associations are known, and determines their types.
  mutating func settleComputedColumns() throws {
    let planner = Planner(model: model, dialect: dialect, limits: PlanningLimits())
    for (name, refinement) in refinements {
      guard let resource = model.resources[name.value] else { continue }
      for (column, expression) in refinement.columns {
        guard resource.associations[column.value] == nil else {
          throw file.error(
            column.line, "`\(column.value)` is the name of an association of `\(name.value)`; choose another")
        }
        do {
          if let typed = try planner.column(column.value, of: resource) {
            model.resources[name.value]?.computed[column.value]?.column = typed
          }
        } catch let error as RequestError {
          throw file.error(expression.line, in: "the column `\(column.value)`", error)
        }
      }
    }
  }
}
