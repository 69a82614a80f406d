import Logging
import KindredAPI
import KindredHTTP

/// Writes one line for each message: time, level, metadata sorted by name, message.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET path=/books/1 … request
///
/// Messages up to the level `info` are written in batches shortly afterwards, more severe ones without delay.
struct LineLogHandler: LogHandler {
  let output: LogOutput
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

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

/// Logs each request in a line of the same form as those of ``LineLogHandler``.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET milliseconds=0.164 path=/books/1 peer=… status=200 request
struct LineRequestLog: RequestLog {
  let output: LogOutput

  func note(_ request: AnsweredRequest) {
    output.append(.info) { line in
      line.append("bytes", request.byteCount)
      line.append("method", text: request.method.token)
      line.append("milliseconds", microseconds: Int(clamping: request.nanoseconds / 1000))
      request.withEncodedPath { line.append("path", plain: $0) }
      line.append("peer", text: request.peer ?? "-")
      line.append("status", request.status.code)
      if let trace = request.trace { line.append("trace", text: trace) }
      line.end("request")
    }
  }

  func noteRefusal(_ status: HTTPStatus, peer: String?) {
    output.append(.info) { line in
      line.append("peer", text: peer ?? "-")
      line.append("status", status.code)
      line.end("refused")
    }
  }
}
