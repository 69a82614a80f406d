import Dispatch
import Synchronization

/// Runs asynchronous accesses on threads of Dispatch, in order of arrival, and at most as many at a time as there are
/// connections.
///
/// If each access blocked a thread while it waits for a connection, they could occupy all threads that Dispatch has,
/// and the running access would deadlock as soon as its closure needs another one.
final class AccessQueue: Sendable {
  /// A block that runs one access.
  typealias Access = @Sendable () -> Void

  private struct State {
    var running = 0
    /// The waiting accesses by their numbers, from `first` up to `end`.
    var waiting: [Int: Access] = [:]
    var first = 0
    var end = 0

    mutating func append(_ access: @escaping Access) {
      waiting[end] = access
      end += 1
    }

    /// Returns the access that runs after one that has ended; nil if none waits.
    mutating func next() -> Access? {
      guard let next = waiting.removeValue(forKey: first) else {
        running -= 1
        return nil
      }
      first += 1
      return next
    }
  }

  private let state = Mutex(State())
  private let width: Int

  /// Creates a queue that runs at most `width` accesses at a time.
  init(width: Int) {
    self.width = max(1, width)
  }

  /// Runs an access on another thread as soon as its turn comes.
  func enqueue(_ access: @escaping Access) {
    let isFree = state.withLock { state in
      guard state.running < width else {
        state.append(access)
        return false
      }
      state.running += 1
      return true
    }
    if isFree { run(access) }
  }

  /// Runs an access on another thread, and returns its result.
  func result<Result: Sendable>(
    of access: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      enqueue { continuation.resume(with: Swift.Result(catching: access)) }
    }
  }

  private func run(_ access: @escaping Access) {
    DispatchQueue.global().async { [self] in
      access()
      if let next = state.withLock({ $0.next() }) { run(next) }
    }
  }
}
