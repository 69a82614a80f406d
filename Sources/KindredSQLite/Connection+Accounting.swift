import CKindredSQLite

/// Accounts of what the statements of a connection hold (see ``ResourceLimits``).
extension Connection {
  /// Begins the account of a new request: nothing is charged to it yet.
  public func beginAccounting() {
    guard let account = interruption.account else { return }
    let limits = configuration.resourceLimits
    kindred_account_begin(account, limits.memory ?? -1, limits.temporaryFiles ?? -1)
  }

  /// Has what this thread makes SQLite allocate charged to the account, until it leaves.
  public func enterAccount() {
    if let account = interruption.account { kindred_account_enter(account) }
  }

  /// Ends that.
  public func leaveAccount() {
    if let account = interruption.account { kindred_account_leave(account) }
  }

  /// Runs `body` in an account of its own.
  public func accounting<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginAccounting()
    enterAccount()
    defer {
      leaveAccount()
      // What follows outside of an account must not be told of limits that it hasn't exceeded.
      beginAccounting()
    }
    return try body()
  }

  /// Throws where the deadline has passed or somebody has interrupted the connection: for work between two statements.
  public func checkInterruption() throws {
    guard interruption.mustStop() else { return }
    throw error(SQLITE_INTERRUPT)
  }
}
