import Foundation

/// The signals that a server obeys, received one at a time by the thread that waits for them.
///
/// Blocked signals wait until they are taken, so none is lost, and nothing runs in a signal handler.
struct Signals {
  private static let ending = [SIGTERM, SIGINT]
  private var set = sigset_t()

  /// Blocks the signals in this thread and in those that it starts from now on.
  init() {
    sigemptyset(&set)
    for signal in Self.ending + [SIGHUP] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A client or a terminal that has gone is an error of the write.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Returns when the server is told to end; from then on the same signals end the process at once.
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
