import Logging

extension Logger {
  /// The logger of a command: lines on standard error.
  static func kindred(level: Level) -> Logger {
    var logger = Logger(label: "kindred") { LineLogHandler(label: $0, output: .standardError) }
    logger.logLevel = level
    return logger
  }
}
