import KindredModel
import KindredPlanning
import KindredPostgreSQL
import KindredSQLSyntax

extension Plan {
  /// Returns an error of a form that the engine can't compute, with the name of the node whose statement it refused.
  func naming(_ error: PostgreSQLError) -> PostgreSQLError {
    let node = nodes.first { node in
      [node.statement, node.batch?.statement].compactMap(\.self)
        .contains { error.sql?.contains($0.textBeforePage ?? $0.sql) ?? false }
    }
    var error = error
    error.node = node.flatMap { $0.name.isEmpty ? nil : $0.name }
    return error
  }

  /// Returns the error of the request for an error about one of its values, which can't be converted to the type of the
  /// other operand; nil if PostgreSQL doesn't report which.
  func requestError(of error: PostgreSQLError) -> RequestError? {
    guard let sql = error.sql else { return nil }
    // The statement is that of a cursor, or has a limit.
    func runs(_ statement: Statement) -> Bool {
      sql == statement.sql || sql.hasSuffix(" FOR \(statement.sql)")
        || sql.hasPrefix("\(statement.textBeforePage ?? statement.sql) LIMIT ")
    }
    let step = path.first { runs($0.statement) }
    let others = nodes.flatMap { [$0.statement, $0.batch?.statement] } + [count]
    let bindings = (step?.statement ?? others.compactMap(\.self).first(where: runs))?.bindings
    return bindings.flatMap { RequestError(error, of: $0, places, absence: step?.absence ?? absence) }
  }
}

extension SQL.Binding {
  /// The number of the literal that it is, or is made of; nil for other values.
  fileprivate var literal: Int? {
    switch self {
    case .parameter(let number): number
    case .document(let binding), .elements(let binding): binding.literal
    default: nil
    }
  }
}

extension RequestError {
  /// Creates the error of the request for an error about one of the values that a statement is bound to.
  ///
  /// Returns nil if PostgreSQL doesn't report which.
  ///
  /// - Parameters:
  ///   - places: The places of the request's literals.
  ///   - absence: The message if there is no record of a key.
  init?(
    _ error: PostgreSQLError, of bindings: [SQL.Binding], _ places: [Int: Literals.Place], absence: String
  ) {
    guard let number = error.parameter, bindings.indices.contains(number - 1),
      let literal = bindings[number - 1].literal, let place = places[literal]
    else { return nil }
    switch place {
    // No record has a key that its column can't have.
    case .key: self.init(.notFound, absence.isEmpty ? "there is no such record" : absence)
    case .parameter(let name):
      self.init(
        .invalidValue, "an expression has no value: \(error.message)", at: Origin(parameter: name))
    }
  }
}
