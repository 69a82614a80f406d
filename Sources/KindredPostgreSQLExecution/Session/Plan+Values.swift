import KindredAssociations
import KindredPostgreSQL
import KindredSQLSyntax

extension Plan {
  /// Returns the error of the request for an error about one of its values, which can't be converted to the type of what
  /// it is compared with; nil if PostgreSQL doesn't tell which.
  func requestError(of error: PostgreSQLError) -> RequestError? {
    guard let number = error.parameter, let sql = error.sql else { return nil }
    // The statement is that of a cursor, or has a limit.
    func runs(_ statement: Statement) -> Bool {
      sql == statement.sql || sql.hasSuffix(" FOR \(statement.sql)")
        || sql.hasPrefix("\(statement.textBeforePage ?? statement.sql) LIMIT ")
    }
    let step = path.first { runs($0.statement) }
    let others = nodes.flatMap { [$0.statement, $0.batch?.statement] } + [count]
    guard let bindings = (step?.statement ?? others.compactMap(\.self).first(where: runs))?.bindings,
      bindings.indices.contains(number - 1), case .parameter(let literal) = bindings[number - 1]
    else { return nil }
    switch places[literal] {
    // No record has a key that its column can't have.
    case .key?:
      let absence = step?.absence ?? absence
      return RequestError(.notFound, absence.isEmpty ? "there is no such record" : absence)
    case .parameter(let name)?:
      return RequestError(
        .invalidValue, "an expression has no value: \(error.message)", at: Origin(parameter: name))
    case nil: return nil
    }
  }
}
