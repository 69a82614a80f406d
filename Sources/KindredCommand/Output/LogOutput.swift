import Foundation
import Logging
import Synchronization

/// Collects the lines of a log, and writes several at a time to a descriptor.
///
/// A write for each line would cost more than the answer to a short request. Only the thread of ``queue`` writes, so
/// that no other thread waits for the reader of the log.
final class LogOutput: Sendable {
  static let standardError = LogOutput(descriptor: STDERR_FILENO)

  fileprivate enum Schedule: Comparable {
    case none, soon, now
  }

  fileprivate struct State: ~Copyable {
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
    get { state.withLock { $0.lines.format } }
    set { state.withLock { $0.lines.format = newValue } }
  }

  /// Adds a line; one that is more severe than `info` is written at once.
  ///
  /// - Parameter write: appends the pairs and the message.
  func append(_ level: Logger.Level, _ write: (inout LogLine) -> Void) {
    let isUrgent = level > .info
    let schedule = state.withLock { state -> Schedule in
      guard state.lines.count < (isUrgent ? 2 : 1) * Self.capacity else {
        state.dropped += 1
        return .none
      }
      state.lines.begin(level)
      write(&state.lines)
      let wanted = isUrgent || state.lines.count > Self.batch ? Schedule.now : .soon
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
