import Dispatch
import KindredSQLite
import Synchronization

/// Runs asynchronous accesses on threads of Dispatch, in order of arrival, and at most as many at a time as there are
/// connections.
///
/// Each runs on a serial queue, which has a thread whatever else runs. On a global queue, as many long statements as
/// there are processors would leave no thread to the tasks of Swift, and no task could cancel them.
///
/// If each access blocked a thread while it waits for a connection, they could occupy all threads that Dispatch has,
/// and the running access would deadlock as soon as its closure needs another one.
final class AccessQueue: Sendable {
  /// A block that runs one access.
  typealias Access = @Sendable () -> Void

  private struct State {
    /// The queues on which no access runs.
    var idle: [DispatchQueue]
    /// The waiting accesses by their numbers, from `first` up to `end`.
    var waiting: [Int: Access] = [:]
    var first = 0
    var end = 0

    mutating func append(_ access: @escaping Access) {
      waiting[end] = access
      end += 1
    }

    /// Returns the access that runs after one that has ended; nil if none waits.
    ///
    /// - Parameter queue: The queue of the one that has ended.
    mutating func next(on queue: DispatchQueue) -> Access? {
      guard let next = waiting.removeValue(forKey: first) else {
        idle.append(queue)
        return nil
      }
      first += 1
      return next
    }
  }

  private let state: Mutex<State>

  /// Creates a queue that runs at most `width` accesses at a time.
  ///
  /// - Parameters:
  ///   - width: The number of accesses.
  ///   - qos: The priority of their threads.
  ///   - target: The queue whose threads they run on.
  init(width: Int, qos: DispatchQoS = .default, target: DispatchQueue? = nil) {
    state = Mutex(
      State(
        idle: (0..<max(1, width)).map { _ in
          DispatchQueue(label: "kindred.access", qos: qos, target: target)
        }))
  }

  /// Runs an access on another thread as soon as its turn comes.
  func enqueue(_ access: @escaping Access) {
    let queue = state.withLock { state in
      let queue = state.idle.popLast()
      if queue == nil { state.append(access) }
      return queue
    }
    if let queue { run(access, on: queue) }
  }

  /// Runs an access on another thread, and returns its result.
  ///
  /// - Throws: The error that the access throws; `CancellationError` if the task is cancelled before the access has
  ///   ended.
  func result<Result: Sendable>(
    of access: @escaping @Sendable (AccessCancellation) throws -> Result
  ) async throws -> Result {
    let cancellation = AccessCancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard cancellation.wait(abandon: { continuation.resume(throwing: CancellationError()) }) else {
          return continuation.resume(throwing: CancellationError())
        }
        enqueue {
          guard cancellation.begin() else { return }
          do {
            continuation.resume(returning: try access(cancellation))
          } catch let error as DatabaseError where error.isInterrupted && cancellation.isCancelled {
            continuation.resume(throwing: CancellationError())
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  private func run(_ access: @escaping Access, on queue: DispatchQueue) {
    queue.async { [self] in
      access()
      if let next = state.withLock({ $0.next(on: queue) }) { run(next, on: queue) }
    }
  }
}
