import Logging

/// Writes one line for each message: time, level, metadata sorted by name, message.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET path=/books/1 … request
///
/// Messages up to the level `info` are written in batches shortly afterwards, more severe ones without delay.
struct LineLogHandler: LogHandler {
  private let output: LogOutput
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  init(output: LogOutput) {
    self.output = output
  }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
    if let own = event.metadata { all = all.isEmpty ? own : all.merging(own) { $1 } }
    output.append(event.level) { line in
      for (key, value) in all.sorted(by: { $0.key < $1.key }) { line.append(name: key, text: "\(value)") }
      line.end(event.message.description)
    }
  }
}

extension Logger {
  /// Returns the logger of a command, which writes lines to standard error.
  static func kindred(level: Level) -> Logger {
    var logger = Logger(label: "kindred") { _ in LineLogHandler(output: .standardError) }
    logger.logLevel = level
    return logger
  }
}
