import Foundation
import Synchronization

/// Keeps the first error of reading the rows of an access until it can be thrown.
///
/// `let name: String = row["name"]` can't throw, and must return a string whatever the column contains. The error is
/// thrown instead by the cursor or the fetch that decodes the row, or else by the access when it ends.
package final class DecodingFailures: Sendable {
  private struct State {
    var error: (any Error)?
    /// Whether the access has ended, so that only the program can call `check()`.
    var isDetached: Bool
    var isReported = false
  }

  private let hasFailed = Atomic(false)
  private let state: Mutex<State>
  private let report: @Sendable (String) -> Void

  /// Creates a value without an error.
  ///
  /// - Parameters:
  ///   - isDetached: Whether there is no access that could throw the error.
  ///   - report: Receives the first error that no access will throw; by default, writes it to standard error.
  package init(
    isDetached: Bool = false,
    report: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
  ) {
    state = Mutex(State(isDetached: isDetached))
    self.report = report
  }

  /// Keeps an error unless there is one already.
  func record(_ error: any Error) {
    let isToBeReported = state.withLock { state in
      state.error = state.error ?? error
      defer { if state.isDetached { state.isReported = true } }
      return state.isDetached && !state.isReported
    }
    hasFailed.store(true, ordering: .releasing)
    guard isToBeReported else { return }
    report(
      "Kindred: \(error); a fallback was returned instead, because the access that could throw the error has ended. "
        + "Use `try row.decode(forKey:)`, or an Optional.\n")
  }

  /// Throws the first error and removes it.
  package func check() throws {
    // This runs for every row, and the flag avoids the lock.
    guard hasFailed.load(ordering: .acquiring) else { return }
    hasFailed.store(false, ordering: .relaxed)
    let failure = state.withLock { state in
      defer { state.error = nil }
      return state.error
    }
    if let failure { throw failure }
  }

  /// Notes that the access has ended.
  package func detach() { state.withLock { $0.isDetached = true } }
}

extension Row {
  /// Throws the first error that a subscript met since the last call, on any row of the same access.
  ///
  /// Cursors call this after each element, and accesses at their end. Call it for rows that outlive their access,
  /// if a column may contain a type other than the one that a subscript requests.
  ///
  /// - Throws: `RowDecodingError`, or the error that the initializer of a record threw in a subscript.
  public func checkDecoding() throws { try failures.check() }
}
