import Foundation
import KindredClock
import Logging
import Synchronization

/// Collects the lines of a log, and writes several at a time to a descriptor.
///
/// A write for each line would cost more than the answer to a short request. Only the thread of ``queue`` writes, so that
/// nobody else waits for whoever reads the log.
final class LogOutput: Sendable {
  static let standardError = LogOutput(descriptor: STDERR_FILENO)

  fileprivate enum Schedule: Comparable {
    case none, soon, now
  }

  fileprivate struct State {
    var lines = LogLine()
    /// When these lines will be written.
    var schedule = Schedule.none
    var dropped = 0
    /// How many of the dropped lines the log has mentioned.
    var reported = 0
  }

  /// How long a line may wait for others.
  private static let delay = DispatchTimeInterval.milliseconds(50)
  /// The size in bytes of lines that don't wait for others.
  private static let batch = 32 << 10
  /// The size in bytes beyond which lines up to the level `info` are dropped; more severe ones beyond twice that.
  private static let capacity = 256 << 10

  private let descriptor: CInt
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "kindred.log", qos: .utility)

  init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// The number of lines that were dropped, because those before them were not read.
  var droppedLines: Int { state.withLock { $0.dropped } }

  /// The form of the lines that are added from now on.
  var format: LogFormat {
    get { state.withLock(\.lines.format) }
    set { state.withLock { $0.lines.format = newValue } }
  }

  /// Adds a line; one that is more severe than `info` is written at once.
  ///
  /// - Parameter write: appends the pairs and the message.
  func append(_ level: Logger.Level, _ write: (inout LogLine) -> Void) {
    let isUrgent = level > .info
    let schedule = state.withLock { state -> Schedule in
      guard state.lines.bytes.count < (isUrgent ? 2 : 1) * Self.capacity else {
        state.dropped += 1
        return .none
      }
      state.lines.begin(level)
      write(&state.lines)
      let wanted = isUrgent || state.lines.bytes.count > Self.batch ? Schedule.now : .soon
      guard state.schedule < wanted else { return .none }
      state.schedule = wanted
      return wanted
    }
    switch schedule {
    case .none: return
    case .soon: queue.asyncAfter(deadline: .now() + Self.delay) { self.writeLines() }
    case .now: queue.async { self.writeLines() }
    }
  }

  /// Waits until the lines so far are written, but at most a second, as their reader may have stopped reading.
  func flush() {
    let isWritten = DispatchSemaphore(value: 0)
    queue.async {
      self.writeLines()
      isWritten.signal()
    }
    _ = isWritten.wait(timeout: .now() + .seconds(1))
  }

  private func writeLines() {
    let lines = state.withLock { state in
      if state.dropped > state.reported { state.reportDropped() }
      state.schedule = .none
      return state.lines.take()
    }
    // If the log itself can't be written, the error can't be reported anywhere.
    _ = lines.withUnsafeBytes { $0.write(to: descriptor) }
  }
}

extension LogOutput.State {
  /// Adds a line with the number of lines that were dropped after these.
  fileprivate mutating func reportDropped() {
    lines.begin(.warning)
    lines.append("dropped", dropped - reported)
    lines.end("lines were dropped, because the log was not read")
    reported = dropped
  }
}

/// Writes the time of day in UTC as in RFC 3339: `2026-11-21T15:04:05.678Z`, computed once in a second.
struct LogClock {
  private var second = Int.min
  private var text: [UInt8] = []

  mutating func append(to line: inout [UInt8]) {
    let now = CalendarTime.now()
    if now.secondsSince1970 != second {
      second = now.secondsSince1970
      text = Self.text(CalendarTime(secondsSince1970: second))
    }
    line += text
    line.append(now.nanoseconds / 1_000_000, digits: 3)
    line.append("Z")
  }

  /// Returns the part before the fraction, with its point: `2026-11-21T15:04:05.` in ASCII.
  private static func text(_ time: CalendarTime) -> [UInt8] {
    var text: [UInt8] = []
    text.append(time.year, digits: 4)
    let others: KeyValuePairs<StaticString, Int> = [
      "-": time.month, "-": time.day, "T": time.hour, ":": time.minute, ":": time.second,
    ]
    for (separator, number) in others {
      text.append(separator)
      text.append(number, digits: 2)
    }
    text.append(".")
    return text
  }
}

extension [UInt8] {
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends the bytes of a text.
  mutating func append(text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  /// Appends a non-negative number, with leading zeros up to a number of digits.
  mutating func append(_ number: Int, digits: Int = 1) {
    if number < 10, digits <= 1 { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
    // An Int has at most 19 decimal digits.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
      var first = text.count
      var rest = number
      repeat {
        first -= 1
        text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while (rest > 0 || text.count - first < digits) && first > 0
      append(contentsOf: UnsafeBufferPointer(rebasing: text[first...]))
    }
  }
}
