import Foundation
import Synchronization

/// Reports the errors that no closure of the program can receive any more, instead of dropping them.
final class LostErrors: Sendable {
  private let report = Mutex<@Sendable (String) -> Void> { text in
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Reports to a closure instead of standard error.
  func report(to closure: @escaping @Sendable (String) -> Void) { report.withLock { $0 = closure } }

  /// Runs an access, and reports the error that it throws.
  func reporting(_ access: () throws -> Void) {
    do { try access() } catch { record(error) }
  }

  /// Reports an error.
  func record(_ error: any Error) {
    let report = report.withLock { $0 }
    report("Kindred: \(error); an asynchronous access has failed with it, and no closure can receive it.\n")
  }
}
