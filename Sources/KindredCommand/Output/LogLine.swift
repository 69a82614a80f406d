import Logging
import ArgumentParser
import Foundation

/// Builds the line of a log, in either form.
struct LogLine {
  private(set) var bytes: [UInt8] = []
  private var clock = LogClock()
  var format = LogFormat()

  /// Begins a line with the level; pairs and a message follow.
  mutating func begin(_ level: Logger.Level) {
    if format.hasPriority {
      bytes.append("<")
      bytes.append(level.priority)
      bytes.append(">")
    }
    switch format.form {
    case .text:
      clock.append(to: &bytes)
      bytes.append(" ")
      bytes.append(text: level.rawValue)
      bytes.append(" kindred:")
    case .json:
      bytes.append(#"{"time":""#)
      clock.append(to: &bytes)
      bytes.append(#"","level":""#)
      bytes += level.rawValue.utf8
      bytes.append("\"")
    }
  }

  /// Adds a number.
  mutating func append(_ name: String, _ number: Int) {
    begin(pair: name)
    bytes.append(number)
  }

  /// Adds a number of milliseconds with three decimals.
  mutating func append(_ name: String, microseconds: Int) {
    begin(pair: name)
    bytes.append(microseconds / 1000)
    bytes.append(".")
    bytes.append(microseconds % 1000, digits: 3)
  }

  /// Adds a text that `write` appends, which has no spaces, quotes and control characters.
  mutating func append(_ name: String, _ write: (inout [UInt8]) -> Void) {
    begin(pair: name)
    switch format.form {
    case .text: write(&bytes)
    case .json:
      var text: [UInt8] = []
      write(&text)
      appendString(text)
    }
  }

  /// Adds a text.
  mutating func append(_ name: String, text: String) {
    begin(pair: name)
    switch format.form {
    case .text: appendQuoted(text)
    case .json: appendString(text.utf8)
    }
  }

  /// Ends the line with its message.
  mutating func end(_ message: String) {
    switch format.form {
    case .text:
      bytes.append(UInt8(ascii: " "))
      appendPlain(message)
      bytes.append(UInt8(ascii: "\n"))
    case .json:
      bytes.append(#","message":"#)
      appendString(message.utf8)
      bytes.append("}\n")
    }
  }

  /// Removes the lines so far, and returns them.
  mutating func take() -> [UInt8] {
    defer {
      // As many lines are likely to follow; to grow for them would copy all of them several times.
      let count = bytes.count
      bytes = []
      bytes.reserveCapacity(count)
    }
    return bytes
  }

  private mutating func begin(pair name: String) {
    switch format.form {
    case .text:
      bytes.append(" ")
      bytes.append(text: name)
      bytes.append("=")
    case .json:
      bytes.append(",")
      appendString(name.utf8)
      bytes.append(":")
    }
  }

  /// Appends a value of text, in quotes if it contains spaces.
  private mutating func appendQuoted(_ text: String) {
    let quote = UInt8(ascii: "\"")
    guard text.isEmpty || text.utf8.contains(where: { $0 <= 0x20 || $0 == quote }) else {
      return appendPlain(text)
    }
    bytes.append(quote)
    for byte in text.utf8 {
      if byte == quote || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
      appendPlain(byte)
    }
    bytes.append(quote)
  }

  /// Appends a byte, or a space for a control character, so that no text can forge a line.
  private mutating func appendPlain(_ byte: UInt8) { bytes.append(byte.isControl ? 0x20 : byte) }

  /// Appends a text likewise; most have no control character, and are copied as a whole.
  private mutating func appendPlain(_ text: String) {
    var text = text
    text.withUTF8 { text in
      let start = bytes.count
      bytes.append(contentsOf: text)
      guard text.contains(where: \.isControl) else { return }
      for index in start..<bytes.count where bytes[index].isControl { bytes[index] = 0x20 }
    }
  }

  /// Appends a JSON string (RFC 8259 §7).
  private mutating func appendString(_ text: some Sequence<UInt8>) {
    bytes.append("\"")
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20, 0x7F:
        bytes.append("\\u00")
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append("\"")
  }
}

extension UInt8 {
  /// Whether it is a control character of ASCII.
  fileprivate var isControl: Bool { self < 0x20 || self == 0x7F }
}

extension Logger.Level {
  /// The level as syslog(3) counts it.
  fileprivate var priority: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}

/// The form of the lines of a log.
struct LogFormat: Sendable {
  /// What a line consists of.
  enum Form: String, CaseIterable, SettingValue, ExpressibleByArgument {
    /// Time, level, `name=value` pairs and the message.
    case text
    /// A JSON object.
    case json

    init?(setting text: String) { self.init(rawValue: text) }

    init?(argument: String) { self.init(rawValue: argument) }

    static var expectation: String { "text or json" }
  }

  var form = Form.text
  /// Whether a line begins with its level as the journal of systemd reads it (sd-daemon(3)).
  var hasPriority = false

  /// The format of text.
  init() {}

  /// - Parameter environment: tells whether standard error is connected to the journal.
  init(_ form: Form, _ environment: Environment) {
    self.form = form
    var status = stat()
    guard let stream = environment.variables["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else {
      return
    }
    // As systemd.exec(5) recommends, since standard error may have been redirected.
    hasPriority = stream == "\(status.st_dev):\(status.st_ino)"
  }
}
