import Foundation
import Synchronization

/// Receives the signals that control the server, on a separate thread.
///
/// Blocked signals stay pending until they are received, so none is lost and no code runs in a signal handler. Until the
/// server is started, a signal that should end it ends the process at once, as opening the database may take long.
final class Signals: Sendable {
  private struct State {
    var isStarted = false
    /// Removes what the start has created so far.
    var undo: (@Sendable () -> Void)?
    /// The signals that ``waitForEnd(reload:)`` hasn't handled yet.
    var received: [Int32] = []
  }

  private static let ending = [SIGTERM, SIGINT]

  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  /// Blocks the signals in this thread and in the threads that it starts from now on.
  init() {
    var set = Self.set(Self.ending + [SIGHUP])
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // Writing to a closed connection or terminal should return an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    // So should writing beyond the largest size of a file that the process may have.
    signal(SIGXFSZ, SIG_IGN)
    Thread.detachNewThread { self.receive() }
  }

  /// Sets what has to be done if the process ends before the server is started.
  func whenInterrupted(_ undo: @escaping @Sendable () -> Void) {
    state.withLock { $0.undo = undo }
  }

  /// From now on, the signals are left to ``waitForEnd(reload:)``.
  func serverIsStarting() {
    state.withLock { $0.isStarted = true }
  }

  /// Returns when the server should end.
  ///
  /// - Parameter reload: called for each SIGHUP.
  func waitForEnd(reload: () -> Void) {
    while true {
      arrival.wait()
      guard state.withLock({ $0.received.removeFirst() }) == SIGHUP else { break }
      reload()
    }
  }

  /// Receives signals; the second one that should end the server ends the process at once, whatever is being done.
  private func receive() {
    var isEnding = false
    var set = Self.set(Self.ending + [SIGHUP])
    var received: Int32 = 0
    while sigwait(&set, &received) == 0 {
      state.withLock { state in
        if !state.isStarted, received != SIGHUP {
          // Under the lock, so that the server isn't started meanwhile.
          state.undo?()
          LogOutput.standardError.flush()
          _exit(EXIT_SUCCESS)
        }
        state.received.append(received)
      }
      if isEnding, received != SIGHUP { Self.end(by: received) }
      isEnding = isEnding || received != SIGHUP
      arrival.signal()
    }
  }

  /// Ends the process as the signal does by default.
  private static func end(by received: Int32) {
    LogOutput.standardError.flush()
    signal(received, SIG_DFL)
    var set = set([received])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(received)
  }

  private static func set(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
