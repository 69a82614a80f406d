import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredSQLite

extension Connection {
  /// Returns the columns of all records that a lookup finds.
  ///
  /// - Throws: `RequestError` if a step before the last finds no record (`notFound`), or a full-text pattern is
  ///   malformed; `DatabaseError`.
  func records(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [[SQLValue]] {
    for transient in lookup.transients { try TransientTables.refresh(transient, on: self) }
    var above: [[SQLValue]] = []
    for step in lookup.steps.dropLast() {
      guard let row = try rows(of: step.statement, parameters, above: above).first else {
        throw RequestError(.notFound, step.absence)
      }
      above.append(row)
    }
    for search in lookup.searches {
      try search.check.check(parameters.value(of: .parameter(search.check.literal)))
      do {
        _ = try rows(of: search.statement, parameters, above: above)
      } catch let error as DatabaseError where error.code == 1 {
        throw RequestError(
          .invalidExpression, "the full-text pattern is malformed: \(error.text)", at: search.check.origin)
      }
    }
    guard let last = lookup.steps.last else { return [] }
    return try rows(of: last.statement, parameters, above: above)
  }
}
