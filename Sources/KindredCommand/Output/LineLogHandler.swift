import Logging

/// Writes one line for each message: time, level, label, metadata sorted by name, message.
///
///     2026-11-21T15:04:05.678Z info kindred: bytes=219 method=GET path=/books/1 … request
///
/// Messages up to the level `info` are written in batches shortly afterwards, more severe ones without delay.
struct LineLogHandler: LogHandler {
  private let label: String
  private let output: LogOutput
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  init(label: String, output: LogOutput) {
    self.label = label
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
    var line: [UInt8] = []
    line.reserveCapacity(256)
    line += event.level.rawValue.utf8
    line.append(UInt8(ascii: " "))
    line += label.utf8
    line.append(UInt8(ascii: ":"))
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      line.append(UInt8(ascii: " "))
      line += key.utf8
      line.append(UInt8(ascii: "="))
      Self.append("\(value)", isQuotable: true, to: &line)
    }
    line.append(UInt8(ascii: " "))
    Self.append(event.message.description, isQuotable: false, to: &line)
    line.append(UInt8(ascii: "\n"))
    output.append(isUrgent: event.level > .info) { $0 += line }
  }

  /// Replaces control characters by spaces, so that no text can forge a line, and quotes values with spaces.
  private static func append(_ text: String, isQuotable: Bool, to line: inout [UInt8]) {
    let hasQuotes =
      isQuotable && (text.isEmpty || text.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "\"") })
    if hasQuotes { line.append(UInt8(ascii: "\"")) }
    for byte in text.utf8 {
      if hasQuotes, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        line.append(UInt8(ascii: "\\"))
      }
      line.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
    }
    if hasQuotes { line.append(UInt8(ascii: "\"")) }
  }
}
