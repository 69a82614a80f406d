import KindredPostgreSQL

extension PostgreSQLError {
  /// Returns the error, marked as one of a change.
  ///
  /// - Parameter columns: The columns that the first parameters are written to.
  func ofWrite(to columns: [String] = []) -> PostgreSQLError {
    var error = self
    error.concernsChange = true
    // It may be the error of a deferred insertion.
    if !concernsChange, let parameter, columns.indices.contains(parameter - 1) {
      error.column = columns[parameter - 1]
    }
    return error
  }
}
