import Synchronization

/// The first error of reading the rows of a fetch, kept until somebody may throw it.
///
/// Subscripts can't throw, and `let name: String = row["name"]` must give a string of whatever the column holds.
final class DecodingFailures: Sendable {
  private let hasFailed = Atomic(false)
  private let error = Mutex<(any Error)?>(nil)

  /// Keeps an error, if it is the first.
  func record(_ error: any Error) {
    self.error.withLock { $0 = $0 ?? error }
    hasFailed.store(true, ordering: .releasing)
  }

  /// Throws the first error, and forgets it.
  func check() throws {
    // Once per row: the flag spares the lock.
    guard hasFailed.load(ordering: .acquiring) else { return }
    hasFailed.store(false, ordering: .relaxed)
    let failure = error.withLock { error in
      defer { error = nil }
      return error
    }
    if let failure { throw failure }
  }
}

extension Row {
  /// Throws the first error of a subscript since the last call, on any row of the same fetch.
  ///
  /// Cursors do this after each element: it is for programs that read rows outside of a cursor and want to be
  /// sure, such as `rows.map { row in row["name"] as String }`.
  ///
  /// - Throws: `RowDecodingError`, or what the initialiser of a record threw inside of a subscript.
  public func checkDecoding() throws { try failures.check() }
}
