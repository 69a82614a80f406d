import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The actions of a model file, whose statements a database has prepared.
struct ActionDefinitions {
  private let file: ModelFile
  private let errors: ModelFileErrors
  private let dialect: Dialect
  private(set) var model: Model

  init(_ refinement: ModelRefinement) {
    (file, errors) = (refinement.file, refinement.errors)
    (dialect, model) = (refinement.dialect, refinement.model)
  }

  /// Adds the actions, whose statements the database prepares.
  ///
  /// - Parameters:
  ///   - columns: Returns the columns of statements.
  ///   - isFirst: Whether no earlier model of the database is in use.
  mutating func add(_ columns: ([String]) throws -> [[Column]?], isFirst: Bool) throws {
    for entry in file.actions {
      try errors.attempt {
        let name = entry.name
        if let resource = model.resources[name.value] {
          let isQuery = if case .commonTableExpression = resource.table.kind { true } else { false }
          guard !isFirst, !isQuery else {
            throw file.error(
              name.line,
              "`\(name.value)` is also the name of a \(isQuery ? "query" : "resource"); choose another name")
          }
          leaveOut(resource)
        }
        model.actions[name.value] = try action(entry, columns)
      }
    }
  }

  /// Leaves out a resource that has come under the name of an action, with the associations that lead to it.
  private mutating func leaveOut(_ resource: Resource) {
    model.resources[resource.name] = nil
    for name in model.resources.keys {
      guard var other = model.resources[name] else { continue }
      other.associations = other.associations.filter { $0.value.destination != resource.name }
      model.resources[name] = other
    }
    model.warnings.append(
      "`\(resource.name)` is an action of the model file, so the table `\(resource.table.name)` isn't served; give its resource another name"
    )
  }

  private func action(
    _ entry: ModelFile.ActionEntry, _ columns: ([String]) throws -> [[Column]?]
  ) throws -> Action {
    let (name, parameters) = (entry.name.value, entry.parameters.map(\.value))
    let statements = try statements(of: entry)
    let texts = statements.map { $0.text(parameters, in: dialect) }
    let found: [[Column]?]
    do {
      found = try columns(texts)
    } catch let failure as CommonTableDefinition.Failure {
      throw file.error(entry.sql.line, "the SQL of `\(name)` is invalid: \(failure.message)")
    }
    let action = Action(
      name: name, parameters: parameters, statements: statements, columns: found,
      resource: entry.resource?.value, isSingle: entry.isSingle, access: entry.access)
    try check(action, entry)
    return action
  }

  private func statements(of entry: ModelFile.ActionEntry) throws -> [ActionStatement] {
    let (name, sql) = (entry.name.value, entry.sql)
    let parameters = entry.parameters.map(\.value.name)
    do throws(ActionStatement.Failure) {
      return try ActionStatement.all(
        in: sql.value, parameters: parameters, syntax: dialect.writer.querySyntax)
    } catch {
      switch error {
      case .empty: throw file.error(sql.line, "the SQL of `\(name)` has no statement; write one")
      case .unsupported(let word):
        throw file.error(
          sql.line,
          "the SQL of `\(name)` has a statement that begins with `\(word.uppercased())`; an action reads and changes records, calls procedures, and begins and ends no transaction"
        )
      case .undeclared(let parameter):
        throw file.unknown(
          ModelFile.Located(parameter, line: sql.line),
          "the SQL of `\(name)` has `:\(parameter)`, which isn't among its `parameters`; add "
            + "`parameters: { \(parameter): text }`, or write the value instead",
          among: parameters)
      }
    }
  }

  /// Checks that the rows can be the answer.
  private func check(_ action: Action, _ entry: ModelFile.ActionEntry) throws {
    let names = action.columns.map(\.name)
    if let twice = names.first(where: { name in names.count { $0.hasBytes(of: name) } > 1 }) {
      throw file.error(
        entry.sql.line, "`\(action.name)` returns two columns named `\(twice)`; rename one with `AS`")
    }
    if entry.isSingle, action.returning == nil {
      throw file.error(
        entry.name.line, "`\(action.name)` returns no rows, so it has no single one; remove `single`")
    }
    guard let name = entry.resource else { return }
    guard let resource = model.resources[name.value] else {
      throw file.unknown(name, "there is no resource `\(name.value)`", among: model.resources.keys)
    }
    guard !resource.table.primaryKey.isEmpty else {
      throw file.error(name.line, "`\(name.value)` has no key, so no rows are its records; remove `as`")
    }
    do throws(MisfittingColumn) {
      let rows = Table(name: action.name, kind: .view, columns: action.columns, primaryKey: [])
      _ = try rows.showingRecords(of: resource.table, dialect)
    } catch {
      throw file.error(
        entry.sql.line,
        "the rows of `\(action.name)` aren't records of `\(name.value)`: the column `\(error.name)` \(error.reason)"
      )
    }
  }
}

extension ModelRefinement {
  /// Adds the actions, after all resources.
  mutating func addActions(_ columns: ([String]) throws -> [[Column]?], isFirst: Bool) throws {
    var actions = ActionDefinitions(self)
    try actions.add(columns, isFirst: isFirst)
    model = actions.model
  }
}
