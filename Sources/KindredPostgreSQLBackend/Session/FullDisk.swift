import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// The error that a write had when the disk of the server was full, for a while after it.
final class FullDisk: Sendable {
  /// The nanoseconds for which a full disk is taken to stay full.
  private static let validity: UInt64 = 10_000_000_000

  private let state = Mutex<(error: PostgreSQLError, end: UInt64)?>(nil)

  /// The error, as long as the disk is taken to be full.
  var error: PostgreSQLError? {
    state.withLock { full in full.flatMap { MonotonicTime.now() < $0.end ? $0.error : nil } }
  }

  func note<Value>(_ result: Result<Value, any Error>) {
    switch result {
    case .success: state.withLock { $0 = nil }
    case .failure(let error as PostgreSQLError) where error.kind == .full:
      state.withLock { $0 = (error, MonotonicTime.now() + Self.validity) }
    case .failure: break
    }
  }
}
