import Foundation
import Synchronization

/// The first error of reading the rows of an access, kept until it can be thrown.
///
/// Subscripts can't throw, and `let name: String = row["name"]` must give a string whatever the column holds. So the
/// error is thrown by the cursor or the fetch that decodes the row, or else by the access, at its end.
final class DecodingFailures: Sendable {
  private struct State {
    var error: (any Error)?
    /// Whether nobody will call `check` but the program itself.
    var isDetached: Bool
    var isReported = false
  }

  private let hasFailed = Atomic(false)
  private let state: Mutex<State>
  private let report: @Sendable (String) -> Void

  /// No failure yet.
  ///
  /// - Parameters:
  ///   - isDetached: Whether there is no access that will throw it.
  ///   - report: Is given the first error that no access will throw; by default it is written to the standard error.
  init(
    isDetached: Bool = false,
    report: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
  ) {
    state = Mutex(State(isDetached: isDetached))
    self.report = report
  }

  /// Keeps an error, if it is the first.
  func record(_ error: any Error) {
    let isToBeReported = state.withLock { state in
      state.error = state.error ?? error
      defer { if state.isDetached { state.isReported = true } }
      return state.isDetached && !state.isReported
    }
    hasFailed.store(true, ordering: .releasing)
    guard isToBeReported else { return }
    report(
      "Kindred: \(error), and a fallback was given instead, outside of the access that would throw this error. "
        + "Use `try row.decode(forKey:)`, or an Optional.\n")
  }

  /// Throws the first error, and forgets it.
  func check() throws {
    // Once per row: the flag spares the lock.
    guard hasFailed.load(ordering: .acquiring) else { return }
    hasFailed.store(false, ordering: .relaxed)
    let failure = state.withLock { state in
      defer { state.error = nil }
      return state.error
    }
    if let failure { throw failure }
  }

  /// Notes that the access is over.
  func detach() { state.withLock { $0.isDetached = true } }
}

extension Row {
  /// Throws the first error of a subscript since the last call, on any row of the same access to the database.
  ///
  /// Cursors do this after each element, and accesses at their end. Rows that outlive their access need it, where a
  /// column may hold something else than a subscript asks for.
  ///
  /// - Throws: `RowDecodingError`, or what the initialiser of a record threw inside of a subscript.
  public func checkDecoding() throws { try failures.check() }
}
