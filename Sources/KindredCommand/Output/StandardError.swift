import Foundation

/// Writes what concerns the run of a command, other than its log, to standard error.
enum StandardError {
  /// Writes a text, unless standard error accepts nothing for a second.
  ///
  /// Errors are ignored, because there is no other place to report them.
  static func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { $0.write(to: STDERR_FILENO, patience: 1000) }
  }
}
