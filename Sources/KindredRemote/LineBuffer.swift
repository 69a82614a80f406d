/// The lines of a content that arrives part by part.
struct LineBuffer {
  private var bytes: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// Up to where no line ends.
  private var searched = 0
  /// Whether a carriage return ends a line, as a line feed and both together do.
  private let endsAtCarriageReturn: Bool
  /// Whether the last line has ended at a carriage return, to which a line feed that follows belongs.
  private var skipsLineFeed = false
  /// The length of a line in bytes, at most.
  private let maximumLength: Int

  init(endsAtCarriageReturn: Bool = false, maximumLength: Int = RemoteServer.maximumDocumentLength) {
    self.endsAtCarriageReturn = endsAtCarriageReturn
    self.maximumLength = maximumLength
  }

  /// Whether there is nothing after the last line.
  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ part: [UInt8]) {
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes += part
  }

  /// Returns the next complete line without its end; nil if there is none yet.
  ///
  /// - Throws: `RemoteError` if it is too long, complete or not.
  mutating func next() throws -> ArraySlice<UInt8>? {
    if skipsLineFeed, start < bytes.count {
      skipsLineFeed = false
      if bytes[start] == UInt8(ascii: "\n") {
        start += 1
        searched = start
      }
    }
    let endsAtCarriageReturn = endsAtCarriageReturn
    let found = bytes[searched...].firstIndex { byte in
      byte == UInt8(ascii: "\n") || endsAtCarriageReturn && byte == UInt8(ascii: "\r")
    }
    guard (found ?? bytes.count) - start <= maximumLength else {
      throw RemoteError.malformedAnswer("a line is longer than \(maximumLength) bytes")
    }
    guard let end = found else {
      searched = bytes.count
      return nil
    }
    defer { (start, searched) = (end + 1, end + 1) }
    skipsLineFeed = bytes[end] == UInt8(ascii: "\r")
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

  private var lines: LineBuffer
  private var event = Event()
  /// The length of the data of an event in bytes, at most.
  private let maximumLength: Int

  init(maximumLength: Int = RemoteServer.maximumDocumentLength) {
    lines = LineBuffer(endsAtCarriageReturn: true, maximumLength: maximumLength)
    self.maximumLength = maximumLength
  }

  /// Returns the events that a part completes; comments are none.
  ///
  /// - Throws: `RemoteError` if a line or an event is too long.
  mutating func parse(_ part: [UInt8]) throws -> [Event] {
    var events: [Event] = []
    lines.append(part)
    while let line = try lines.next() {
      if line.isEmpty {
        if !event.data.isEmpty { events.append(event) }
        event = Event()
      } else {
        try read(line)
      }
    }
    return events
  }

  /// Reads a field, `name: value`, whose space may be missing.
  private mutating func read(_ line: ArraySlice<UInt8>) throws {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let name = line[..<colon]
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if name.elementsEqual("data".utf8) {
      if !event.data.isEmpty { event.data.append(UInt8(ascii: "\n")) }
      event.data += value
      guard event.data.count <= maximumLength else {
        throw RemoteError.malformedAnswer("an event is longer than \(maximumLength) bytes")
      }
    } else if name.elementsEqual("id".utf8), !value.contains(0) {
      event.id = String(decoding: value, as: UTF8.self)
    }
  }
}
