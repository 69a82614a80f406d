import Logging

extension Logger {
  /// Returns the logger of a command, which writes lines to standard error.
  static func kindred(level: Level) -> Logger {
    var logger = Logger(label: "kindred") { _ in LineLogHandler(output: .standardError) }
    logger.logLevel = level
    return logger
  }
}
