/// What a client may listen by, until its credentials expire or are withdrawn.
struct LiveCredentials: Sendable {
  /// When they expire, in nanoseconds of the monotonic clock; nil for never.
  var expiry: UInt64?
  /// Returns whether the key that they were verified with is no longer accepted.
  var areWithdrawn: @Sendable () -> Bool = { false }

  /// Returns whether they no longer hold.
  func haveLapsed(at now: UInt64) -> Bool { expiry.map { now >= $0 } ?? false || areWithdrawn() }
}
