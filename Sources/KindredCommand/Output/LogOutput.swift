import Foundation
import KindredClock
import Synchronization

/// Lines of a log on their way to a descriptor, several with one write.
///
/// A write for each line would cost more than answering a short request does.
final class LogOutput: Sendable {
  static let standardError = LogOutput(descriptor: STDERR_FILENO)

  private struct State {
    var lines: [UInt8] = []
    /// Whether somebody is going to write them.
    var isScheduled = false
    var clock = LogClock()
  }

  /// How long a line waits for others.
  private static let delay = DispatchTimeInterval.milliseconds(50)
  /// With more than this, whoever adds a line waits until all are written: a log that nobody reads must not grow.
  private static let capacity = 65536

  private let descriptor: CInt
  private let state = Mutex(State())
  private let writing = Mutex(())

  init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Adds a line, behind the time of day.
  ///
  /// - Parameters:
  ///   - isUrgent: whether it is to be there when this returns.
  ///   - write: writes the line behind those before it.
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

  /// Writes what has been added.
  func flush() {
    writing.withLock { _ in
      let lines = state.withLock { state in
        defer {
          state.lines = []
          state.isScheduled = false
        }
        return state.lines
      }
      lines.withUnsafeBytes(write)
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      // Where a log can't be written to, there is nobody to tell.
      guard count > 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(count, 0))
    }
  }
}

/// The time of day as a log has it (RFC 3339), in UTC: `2026-11-21T15:04:05.678Z`.
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

  /// The part up to the fraction: `2026-11-21T15:04:05` and its point.
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

  /// Adds a number that isn't negative, with zeros before it up to so many digits.
  mutating func append(_ number: Int, digits: Int = 1) {
    if number >= 10 || digits > 1 { append(number / 10, digits: digits - 1) }
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }
}
