import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// The error that a write had because the server could not write, such as that of a full disk, for a while after it.
final class WriteOutage: Sendable {
  /// The nanoseconds for which the cause is taken to last.
  private static let validity: UInt64 = 10_000_000_000

  private let state = Mutex<(error: PostgreSQLError, end: UInt64)?>(nil)

  /// The error, as long as its cause is taken to last.
  var error: PostgreSQLError? {
    state.withLock { outage in outage.flatMap { MonotonicTime.now() < $0.end ? $0.error : nil } }
  }

  func note<Value>(_ result: Result<Value, any Error>) {
    switch result {
    case .success: state.withLock { $0 = nil }
    case .failure(let error as PostgreSQLError) where error.preventsWrites:
      state.withLock { $0 = (error, MonotonicTime.now() + Self.validity) }
    case .failure: break
    }
  }
}

extension PostgreSQLError {
  /// Whether other writes probably fail for the same reason: the disk is full or fails, or a file is damaged.
  fileprivate var preventsWrites: Bool {
    !isRaised && (kind == .full || category == "58" || ["XX001", "XX002"].contains(state.code))
  }
}
