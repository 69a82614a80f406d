import KindredModel
import KindredPlanning
import OrderedCollections

/// Common table expressions whose rows are records of a resource: `as: books`.
struct QueryRecords {
  let file: ModelFile
  private let dialect: Dialect
  private(set) var model: Model

  init(_ refinement: ModelRefinement) {
    (file, dialect, model) = (refinement.file, refinement.dialect, refinement.model)
  }

  /// The common table expressions, each with the resource whose records its rows are, in an order in which that of
  /// another one comes before it.
  private func records() throws -> [(
    expression: ModelFile.CommonTableExpression, resource: ModelFile.Located<String>
  )] {
    var ordered: [(expression: ModelFile.CommonTableExpression, resource: ModelFile.Located<String>)] = []
    var waiting = file.commonTableExpressions.compactMap { expression in
      expression.resource.map { (expression: expression, resource: $0) }
    }
    while !waiting.isEmpty {
      let names = NameSet(waiting.map(\.expression.name.value))
      let place = waiting.partition { entry in
        !names.contains(model.resources[entry.resource.value]?.table.name ?? "")
      }
      guard place < waiting.count else {
        let resource = waiting[0].resource
        throw file.error(
          resource.line, "`as: \(resource.value)` leads back to `\(waiting[0].expression.name.value)`")
      }
      ordered += waiting[place...]
      waiting.removeSubrange(place...)
    }
    return ordered
  }

  /// Gives the tables of queries the keys and types of the records that their rows are.
  mutating func takeTypes() throws {
    for (expression, name) in try records() {
      guard let resource = model.resources[name.value] else {
        throw file.unknown(name, "there is no resource `\(name.value)`", among: model.resources.keys)
      }
      guard !resource.table.primaryKey.isEmpty else {
        throw file.error(name.line, "`\(name.value)` has no key, so no rows are its records; give it a `key`")
      }
      guard let table = model.tables[expression.name.value] else { continue }
      let shown: Table
      do throws(MisfittingColumn) {
        shown = try table.showingRecords(of: resource.table, dialect)
      } catch {
        throw file.error(
          expression.sql.line,
          "the rows of `\(expression.name.value)` aren't records of `\(name.value)`: the column `\(error.name)` \(error.reason)"
        )
      }
      model.tables[table.name] = shown
      for name in model.resources(of: table.name) { model.resources[name]?.table = shown }
    }
  }

  /// Gives the resources of queries the associations, computed columns, order and rules of the records that their rows
  /// are.
  mutating func takeMembers() throws {
    for (expression, name) in try records() {
      guard let table = model.tables[expression.name.value], let resource = model.resources[name.value] else {
        continue
      }
      for own in model.resources(of: table.name) {
        guard let query = model.resources[own] else { continue }
        guard query.access == nil else {
          throw file.error(
            name.line, "`\(own)` has the `access` of `\(name.value)`; remove its own, or `as`")
        }
        model.resources[own] = query.showing(resource) { [model, dialect] expression, resource in
          var trial = model
          trial.resources[own] = resource
          let planner = Planner(model: trial, dialect: dialect, limits: PlanningLimits())
          return planner.hasMeaning(expression, in: resource)
        }
      }
    }
  }
}

extension Model {
  /// Returns the names of the resources of a table.
  func resources(of table: String) -> [String] {
    resources.values.filter { ExactName($0.table.name) == ExactName(table) }.map(\.name)
  }
}

extension ModelRefinement {
  /// Changes the model by a step of the records of queries.
  mutating func take(_ step: (inout QueryRecords) throws -> Void) throws {
    var records = QueryRecords(self)
    try step(&records)
    model = records.model
  }
}
