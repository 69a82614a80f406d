import KindredHTTP
import Synchronization

/// A stream that never ends by itself and counts its calls.
final class EndlessStream: HTTPBodyStream, Sendable {
  struct Counts: Sendable {
    var next = 0
    var close = 0
  }

  private let counts = Mutex(Counts())
  private let part: UnsafeRawBufferPointerBox

  /// Memory that is never written to after initialisation.
  private struct UnsafeRawBufferPointerBox: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
  }

  init() {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "x"))
    part = UnsafeRawBufferPointerBox(bytes: bytes)
  }

  deinit { part.bytes.deallocate() }

  var nextCount: Int { counts.withLock(\.next) }
  var closeCount: Int { counts.withLock(\.close) }

  func next() -> UnsafeRawBufferPointer? {
    counts.withLock { $0.next += 1 }
    return UnsafeRawBufferPointer(part.bytes)
  }

  func close() { counts.withLock { $0.close += 1 } }
}

/// A live stream whose events the test provides.
final class EventStream: HTTPBodyStream, Sendable {
  var isLive: Bool { true }

  private struct State {
    var events: [String] = []
    var current: [UInt8] = []
    var wake: (@Sendable () -> Void)?
    var isEnded = false
    var closeCount = 0
  }

  private let state = Mutex(State())
  private let part = Part()

  /// Memory for one event.
  private final class Part: @unchecked Sendable {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
    deinit { bytes.deallocate() }
  }

  var closeCount: Int { state.withLock(\.closeCount) }

  func add(_ event: String) {
    let wake = state.withLock { state in
      state.events.append(event)
      return state.wake
    }
    wake?()
  }

  /// Ends the stream after the events that were added.
  func end() {
    let wake = state.withLock { state in
      state.isEnded = true
      return state.wake
    }
    wake?()
  }

  func onReady(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  func next() -> UnsafeRawBufferPointer? {
    state.withLock { state in
      guard !state.events.isEmpty else {
        return state.isEnded ? nil : UnsafeRawBufferPointer(rebasing: part.bytes[..<0])
      }
      let event = Array(state.events.removeFirst().utf8)
      part.bytes.copyBytes(from: event)
      return UnsafeRawBufferPointer(rebasing: part.bytes[..<event.count])
    }
  }

  func close() { state.withLock { $0.closeCount += 1 } }
}
