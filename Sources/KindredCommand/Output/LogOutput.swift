import Foundation
import KindredClock
import Synchronization

/// Collects the lines of a log and writes several at a time to a descriptor.
///
/// A write for each line would cost more than the answer to a short request.
final class LogOutput: Sendable {
  static let standardError = LogOutput(descriptor: STDERR_FILENO)

  private struct State {
    var lines: [UInt8] = []
    /// Whether a write of the lines is scheduled.
    var isScheduled = false
    var clock = LogClock()
  }

  /// How long a line may wait for others.
  private static let delay = DispatchTimeInterval.milliseconds(50)
  /// The size in bytes beyond which a caller waits until all lines are written, so that memory use stays bounded.
  private static let capacity = 65536

  private let descriptor: CInt
  private let state = Mutex(State())
  private let writing = Mutex(())

  init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Adds a line that begins with the time of day.
  ///
  /// - Parameters:
  ///   - isUrgent: whether it must be written before this returns.
  ///   - write: appends the line to those before it.
  func append(isUrgent: Bool, _ write: (inout [UInt8]) -> Void) {
    let (isFull, isFirst) = state.withLock { state in
      state.clock.append(to: &state.lines)
      write(&state.lines)
      defer { state.isScheduled = true }
      return (state.lines.count > Self.capacity, !state.isScheduled)
    }
    if isUrgent || isFull {
      flush()
    } else if isFirst {
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.delay) { self.flush() }
    }
  }

  /// Writes all collected lines.
  func flush() {
    writing.withLock { _ in
      let lines = state.withLock { state in
        defer {
          state.lines = []
          state.isScheduled = false
        }
        return state.lines
      }
      // If the log itself can't be written, the error can't be reported anywhere.
      _ = lines.withUnsafeBytes { $0.write(to: descriptor) }
    }
  }
}

/// Writes the time of day in UTC as in RFC 3339: `2026-11-21T15:04:05.678Z`.
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
    line.append("Z ")
  }

  /// Returns the part before the fraction, with its point: `2026-11-21T15:04:05.` in ASCII.
  private static func text(_ time: CalendarTime) -> [UInt8] {
    var text: [UInt8] = []
    text.append(time.year, digits: 4)
    text.append("-")
    text.append(time.month, digits: 2)
    text.append("-")
    text.append(time.day, digits: 2)
    text.append("T")
    text.append(time.hour, digits: 2)
    text.append(":")
    text.append(time.minute, digits: 2)
    text.append(":")
    text.append(time.second, digits: 2)
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
