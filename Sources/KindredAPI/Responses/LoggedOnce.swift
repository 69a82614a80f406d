import Synchronization

/// Texts that are logged the first time that they come up, and at most so many of them, because clients may cause any number.
final class LoggedOnce: Sendable {
  private let known = Mutex<Set<String>>([])
  private let maximumCount: Int

  init(atMost maximumCount: Int = 64) { self.maximumCount = maximumCount }

  /// Returns whether a text hasn't come up before, and is to be logged.
  func isNew(_ text: String) -> Bool {
    known.withLock { $0.count < maximumCount && $0.insert(text).inserted }
  }
}
