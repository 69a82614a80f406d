/// The lines of a content that arrives part by part.
struct LineBuffer {
  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Up to where no line ends.
  private var searched = 0

  /// Whether there is nothing after the last line.
  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ part: [UInt8]) {
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes += part
  }

  /// Returns the next complete line without its end; nil if there is none yet.
  mutating func next() -> ArraySlice<UInt8>? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      return nil
    }
    defer { (start, searched) = (end + 1, end + 1) }
    return bytes[start..<end]
  }
}

/// The events of a stream (WHATWG HTML §9.2).
struct EventParser {
  /// An event with its data.
  struct Event {
    var id: String?
    var data: [UInt8] = []
  }

  private var lines = LineBuffer()
  private var event = Event()

  /// Returns the events that a part completes; comments are none.
  mutating func parse(_ part: [UInt8]) -> [Event] {
    var events: [Event] = []
    lines.append(part)
    while let line = lines.next() {
      if line.isEmpty {
        if !event.data.isEmpty { events.append(event) }
        event = Event()
      } else if line.starts(with: "data: ".utf8) {
        event.data += line.dropFirst(6)
      } else if line.starts(with: "id: ".utf8) {
        event.id = String(decoding: line.dropFirst(4), as: UTF8.self)
      }
    }
    return events
  }
}
