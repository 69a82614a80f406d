import Logging

extension Logger {
  /// The logger of a command: lines on standard error.
  static func kindred(level: Level) -> Logger {
    var logger = Logger(label: "kindred") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = level
    return logger
  }
}
