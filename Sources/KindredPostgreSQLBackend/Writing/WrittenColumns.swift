import KindredPostgreSQL

/// The columns to which a statement writes its first parameters.
struct WrittenColumns {
  let names: [String]
  /// The statements that only convert a value, by the number of its column, for arrays and composites: PostgreSQL
  /// doesn't tell which of them it can't make.
  let conversions: [Int: String]

  /// Determines which parameter an error is about, if it is about one of these values and doesn't name it.
  ///
  /// - Parameter run: Runs a statement that changes nothing.
  func findParameter(
    of error: inout PostgreSQLError, in query: Query, _ run: (Query) throws -> Void
  ) {
    guard error.category == "22", error.parameter == nil, error.column == nil, !error.concernsChange,
      !error.isInFunction, !error.isRaised
    else { return }
    for (number, sql) in conversions.sorted(by: { $0.key < $1.key }) {
      do {
        try run(Query(sql, [query.values[number]], isReusable: false))
      } catch let other as PostgreSQLError where other.category == "22" {
        error.parameter = number + 1
        return
      } catch {
        return
      }
    }
  }
}
