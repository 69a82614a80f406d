import Foundation

/// Receives the signals that control the server, one at a time, on the thread that waits for them.
///
/// Blocked signals stay pending until they are received, so none is lost and no code runs in a signal handler.
struct Signals {
  private static let ending = [SIGTERM, SIGINT]
  private var set = sigset_t()

  /// Blocks the signals in this thread and in the threads that it starts from now on.
  init() {
    sigemptyset(&set)
    for signal in Self.ending + [SIGHUP] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // Writing to a closed connection or terminal should return an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Returns when the server should end; from then on, the same signals end the process at once.
  ///
  /// - Parameter reload: called for each SIGHUP.
  func waitForEnd(reload: () -> Void) {
    var set = set
    var received: Int32 = 0
    while sigwait(&set, &received) == 0 {
      guard received == SIGHUP else { break }
      reload()
    }
    sigdelset(&set, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
