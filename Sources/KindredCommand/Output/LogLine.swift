import KindredClock
import KindredOutput
import Logging

/// Builds the lines of a log, in either form.
struct LogLine: ~Copyable {
  private var buffer = OutputBuffer(capacity: 0)
  private var clock = LogClock()
  var format = LogFormat()

  /// The length of the lines in bytes.
  var count: Int { buffer.count }

  /// Begins a line with the level; pairs and a message follow.
  mutating func begin(_ level: Logger.Level) {
    if format.hasPriority {
      buffer.append("<")
      buffer.append(Int64(level.priority))
      buffer.append(">")
    }
    switch format.form {
    case .text:
      clock.append(to: &buffer)
      buffer.append(" ")
      append(level.rawValue)
      buffer.append(" kindred:")
    case .json:
      buffer.append(#"{"time":""#)
      clock.append(to: &buffer)
      buffer.append(#"","level":""#)
      append(level.rawValue)
      buffer.append("\"")
    }
  }

  /// Adds a number.
  mutating func append(_ name: StaticString, _ number: Int) {
    begin(pair: name)
    buffer.append(Int64(number))
  }

  /// Adds a number of milliseconds with three decimals.
  mutating func append(_ name: StaticString, microseconds: Int) {
    begin(pair: name)
    buffer.append(Int64(microseconds / 1000))
    buffer.append(".")
    buffer.append(digits: microseconds % 1000, count: 3)
  }

  /// Adds a text that has no spaces, quotes and control characters.
  mutating func append(_ name: StaticString, plain text: UnsafeBufferPointer<UInt8>) {
    begin(pair: name)
    switch format.form {
    case .text: buffer.append(text)
    case .json: appendString(text)
    }
  }

  /// Adds a text.
  mutating func append(_ name: StaticString, text: String) {
    begin(pair: name)
    appendValue(text)
  }

  /// Adds a text.
  mutating func append(name: String, text: String) {
    switch format.form {
    case .text:
      buffer.append(" ")
      append(name)
      buffer.append("=")
    case .json:
      buffer.append(",")
      appendString(name)
      buffer.append(":")
    }
    appendValue(text)
  }

  /// Ends the line with its message.
  mutating func end(_ message: String) {
    switch format.form {
    case .text:
      buffer.append(" ")
      appendPlain(message)
      buffer.append("\n")
    case .json:
      buffer.append(#","message":"#)
      appendString(message)
      buffer.append("}\n")
    }
  }

  /// Removes the lines so far, and returns them.
  mutating func take() -> [UInt8] {
    let lines = [UInt8](buffer.bytes)
    // As many lines are likely to follow, but the memory for unusually many isn't kept.
    if lines.count > Self.keptLength { buffer = OutputBuffer(capacity: 0) } else { buffer.truncate(to: 0) }
    return lines
  }

  private static let keptLength = 64 << 10

  private mutating func begin(pair name: StaticString) {
    switch format.form {
    case .text:
      buffer.append(" ")
      buffer.append(name)
      buffer.append("=")
    case .json:
      buffer.append(",\"")
      buffer.append(name)
      buffer.append("\":")
    }
  }

  private mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { buffer.append($0) }
  }

  private mutating func appendValue(_ text: String) {
    switch format.form {
    case .text: appendQuoted(text)
    case .json: appendString(text)
    }
  }

  /// Appends a value of text, in quotes if it contains spaces.
  private mutating func appendQuoted(_ text: String) {
    let quote = UInt8(ascii: "\"")
    var text = text
    text.withUTF8 { text in
      guard text.isEmpty || text.contains(where: { $0 <= 0x20 || $0 == quote }) else {
        return appendPlain(text)
      }
      buffer.append(quote)
      for byte in text {
        if byte == quote || byte == UInt8(ascii: "\\") { buffer.append("\\") }
        buffer.append(byte.isControl ? 0x20 : byte)
      }
      buffer.append(quote)
    }
  }

  private mutating func appendPlain(_ text: String) {
    var text = text
    text.withUTF8 { appendPlain($0) }
  }

  /// Appends a text, with a space for each control character, so that no text can forge a line.
  private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>) {
    guard text.contains(where: \.isControl) else { return buffer.append(text) }
    for byte in text { buffer.append(byte.isControl ? 0x20 : byte) }
  }

  private mutating func appendString(_ text: String) {
    var text = text
    text.withUTF8 { appendString($0) }
  }

  /// Appends a JSON string (RFC 8259 §7).
  private mutating func appendString(_ text: UnsafeBufferPointer<UInt8>) {
    buffer.append("\"")
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        buffer.append("\\")
        buffer.append(byte)
      case 0..<0x20, 0x7F:
        buffer.append("\\u00")
        buffer.append(hexadecimal: byte >> 4)
        buffer.append(hexadecimal: byte & 15)
      default: buffer.append(byte)
      }
    }
    buffer.append("\"")
  }
}

extension OutputBuffer {
  fileprivate mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    if let start = bytes.baseAddress { append(start, count: bytes.count) }
  }

  /// Appends a digit.
  fileprivate mutating func append(hexadecimal digit: UInt8) {
    append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }

  /// Appends a number that has at most so many digits, with leading zeros.
  fileprivate mutating func append(digits number: Int, count: Int) {
    let text = room(count)
    var rest = number
    for place in (0..<count).reversed() {
      text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    advance(count)
  }
}

/// Writes the time of day in UTC as in RFC 3339: `2026-11-21T15:04:05.678Z`, computed once in a second.
private struct LogClock: ~Copyable {
  private var second = Int.min
  /// The part before the fraction, with its point: `2026-11-21T15:04:05.`.
  private var text = OutputBuffer(capacity: 20)

  mutating func append(to line: inout OutputBuffer) {
    let now = CalendarTime.now()
    if now.secondsSince1970 != second {
      second = now.secondsSince1970
      text.truncate(to: 0)
      Self.append(CalendarTime(secondsSince1970: second), to: &text)
    }
    line.append(text.bytes.bindMemory(to: UInt8.self))
    line.append(digits: now.nanoseconds / 1_000_000, count: 3)
    line.append("Z")
  }

  private static func append(_ time: CalendarTime, to text: inout OutputBuffer) {
    text.append(digits: time.year, count: 4)
    text.append("-")
    text.append(digits: time.month, count: 2)
    text.append("-")
    text.append(digits: time.day, count: 2)
    text.append("T")
    text.append(digits: time.hour, count: 2)
    text.append(":")
    text.append(digits: time.minute, count: 2)
    text.append(":")
    text.append(digits: time.second, count: 2)
    text.append(".")
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
