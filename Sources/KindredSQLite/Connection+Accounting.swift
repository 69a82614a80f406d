import CKindredSQLite

/// Accounts of the memory and temporary files that statements use (see ``ResourceLimits``).
extension Connection {
  /// Resets the account for a new request.
  public func beginAccounting() {
    guard let account = interruption.account else { return }
    let limits = configuration.resourceLimits
    kindred_account_begin(account, limits.memory ?? -1, limits.temporaryFiles ?? -1)
  }

  /// Charges SQLite's allocations on this thread to the account, until `leaveAccount()`.
  public func enterAccount() {
    if let account = interruption.account { kindred_account_enter(account) }
  }

  /// Stops charging this thread's allocations to the account.
  public func leaveAccount() {
    if let account = interruption.account { kindred_account_leave(account) }
  }

  /// Runs `body` with a new account.
  public func accounting<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginAccounting()
    enterAccount()
    defer {
      leaveAccount()
      // Later errors outside the account must not be attributed to a limit that `body` has exceeded.
      beginAccounting()
    }
    return try body()
  }

  /// Throws if the deadline has passed or the connection was interrupted; for use between two statements.
  public func checkInterruption() throws {
    guard interruption.mustStop() else { return }
    throw error(SQLITE_INTERRUPT)
  }
}
