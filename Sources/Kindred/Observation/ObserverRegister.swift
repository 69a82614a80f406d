import KindredSQLite

/// Who wants to know of commits.
final class ObserverRegister: Sendable {
  /// Runs an access that may write, and tells the observers what it has committed.
  func watch<Result>(_ connection: Connection, _ access: () throws -> Result) throws -> Result {
    try access()
  }
}
