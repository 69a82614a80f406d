import KindredModel
import KindredPlanning

/// The columns that access rules set.
extension ModelFile {
  /// Returns the columns that the server sets, which must be stored ones of records that can be written so.
  func presets(of definition: AccessDefinition, in resource: Resource) throws -> [ColumnAssignment] {
    guard let first = definition.presets.first, let verb = definition.verbs.first else { return [] }
    // A deletion that sets columns is a change.
    let change: Table.Changes = verb == .create ? .insert : .update
    guard resource.table.kind == .table || resource.table.changes.contains(change) else {
      throw error(
        first.column.line,
        "`set` needs records that can be \(verb == .create ? "added" : "changed"), which those of `\(resource.name)` can't be; remove it"
      )
    }
    return try definition.presets.map { name, expression in
      let column = try column(name, of: resource)
      guard resource.column(withName: column)?.isGenerated == false else {
        throw error(
          name.line, "`\(column)` is computed, so `set` can't set it; name a column that is stored")
      }
      if verb == .create, let (read, origin) = expression.value.firstNameOfRecord {
        let refusal = RequestError(
          .invalidExpression,
          "a new record has no `\(read)` yet; `set` of `create` reads claims alone, such as `auth.sub`",
          at: origin)
        throw error(expression.line, in: "`set`", refusal)
      }
      return ColumnAssignment(column: column, expression: expression.value)
    }
  }

  /// Plans the expressions of `set`, so that their errors are found when the server starts.
  func checkPresets(
    of definition: AccessDefinition, in name: String, of model: Model, _ dialect: Dialect
  ) throws {
    guard let resource = model.resources[name] else { return }
    let planner = Planner(model: model, dialect: dialect, limits: PlanningLimits())
    for (column, expression) in definition.presets {
      let preset = ColumnAssignment(column: column.value, expression: expression.value)
      do {
        _ = try planner.values(
          of: [preset], in: resource, by: definition.verbs == [.create] ? nil : resource.table.locatorColumns)
      } catch let refusal as RequestError {
        throw error(expression.line, in: "`set`", refusal)
      }
    }
  }
}
