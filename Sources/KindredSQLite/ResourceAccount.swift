import CKindredSQLite

/// The account of the memory and temporary files that a connection's statements use (see ``ResourceLimits``).
///
/// It is valid as long as its connection.
public struct ResourceAccount {
  /// Nil if nothing is limited.
  private let account: OpaquePointer?
  private let limits: ResourceLimits

  init(_ account: OpaquePointer?, _ limits: ResourceLimits) {
    self.account = account
    self.limits = limits
  }

  /// Resets the account for a new request.
  public func begin() {
    guard let account else { return }
    kindred_account_begin(account, limits.memory ?? -1, limits.temporaryFiles ?? -1)
  }

  /// Charges SQLite's allocations on this thread to the account, until ``leave()``.
  public func enter() {
    if let account { kindred_account_enter(account) }
  }

  /// Stops charging this thread's allocations to the account.
  public func leave() {
    if let account { kindred_account_leave(account) }
  }

  /// Runs `body` as a request, from an empty account.
  public func charge<Result>(_ body: () throws -> Result) rethrows -> Result {
    begin()
    enter()
    defer {
      leave()
      // Later errors outside the account must not be attributed to a limit that `body` has exceeded.
      begin()
    }
    return try body()
  }
}
