import Dispatch
import KindredClock
import KindredHTTP
import Synchronization

/// The stream of events of one client.
///
/// It holds the event that is being sent and the latest one, so a client that reads slowly misses what came between.
final class LiveListener: HTTPBodyStream, Sendable {
  private struct State {
    var latest: LiveEvent?
    /// That of the result which the client has, or is being sent.
    var givenID: String
    /// What the last part belongs to: its bytes must outlive the sending.
    var sending: LiveEvent?
    var isHeartbeatDue = false
    var isEnded = false
    var isAbandoned = false
    /// When the last part was handed out, in nanoseconds.
    var lastPart = MonotonicTime.now()
    var onReady: (@Sendable () -> Void)?

    init(givenID: String) { self.givenID = givenID }
  }

  /// A comment, which clients ignore and proxies take for traffic.
  private static let heartbeat: StaticString = ":\n\n"

  /// When the client's rights end, in nanoseconds of the monotonic clock; nil for never.
  private let expiry: UInt64?
  /// The first run of the query whose result is no older than what the client has.
  private let firstRun: Int
  private let state: Mutex<State>
  private let onClose: @Sendable (LiveListener) -> Void

  /// - Parameters:
  ///   - event: what is sent first; nil where the client has it already.
  ///   - id: that of the result which the client has then.
  ///   - onClose: is called once, when the client has gone or the stream has ended.
  init(
    _ event: LiveEvent?, id: String, firstRun: Int, expiry: UInt64?,
    onClose: @escaping @Sendable (LiveListener) -> Void
  ) {
    self.expiry = expiry
    self.firstRun = firstRun
    self.onClose = onClose
    var state = State(givenID: id)
    state.latest = event
    // The head of the answer goes out with the first part: without an event, a comment opens the stream.
    state.isHeartbeatDue = event == nil
    self.state = Mutex(state)
  }

  // MARK: From the feed

  /// Whether the client's rights have ended.
  func isExpired(at now: UInt64) -> Bool { expiry.map { now >= $0 } ?? false }

  /// Takes an event to be sent, unless the client has it, or a later one; says whether it is to be announced.
  ///
  /// A result that is what it was before it changed leaves a slow client with what it has.
  func take(_ event: LiveEvent, of run: Int) -> Bool {
    guard run >= firstRun else { return false }
    return state.withLock { state in
      state.latest = event.id == state.givenID ? nil : event
      return state.latest != nil
    }
  }

  /// Has what was taken sent once what is being sent has gone.
  func announce() { wake { _ in } }

  /// Cuts the client off, whatever it has yet to take.
  func abandon() { wake { $0.isAbandoned = true } }

  /// Ends the stream after the part that is being sent.
  func end() {
    state.withLock { $0.isEnded = true }
    // The connection goes on to its client's next request, which may take long.
    DispatchQueue.global().async { self.wake { _ in } }
  }

  /// Has a comment sent where nothing has been for so many nanoseconds.
  func beat(after interval: UInt64, now: UInt64) {
    let isDue = state.withLock { $0.sending == nil && $0.latest == nil && now >= $0.lastPart + interval }
    if isDue { wake { $0.isHeartbeatDue = true } }
  }

  /// Since when a part has been waiting for the client to take it, in nanoseconds; nil where none is.
  var stalledSince: UInt64? { state.withLock { $0.sending == nil ? nil : $0.lastPart } }

  private func wake(_ change: (inout State) -> Void) {
    let onReady = state.withLock { state in
      change(&state)
      return state.onReady
    }
    onReady?()
  }

  // MARK: From the connection

  var isLive: Bool { true }

  func onReady(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onReady = body } }

  /// - Throws: `Abandoned` where the client reads too slowly for what is held for it.
  func yield() throws {
    if state.withLock(\.isAbandoned) { throw Abandoned() }
  }

  private struct Abandoned: Error {}

  func next() -> UnsafeRawBufferPointer? {
    state.withLock { state -> UnsafeRawBufferPointer? in
      state.sending = nil
      if state.isEnded || isExpired(at: MonotonicTime.now()) { return nil }
      state.lastPart = MonotonicTime.now()
      if let event = state.latest {
        state.latest = nil
        state.isHeartbeatDue = false
        state.sending = event
        state.givenID = event.id
        return event.bytes
      }
      guard state.isHeartbeatDue else { return UnsafeRawBufferPointer(start: nil, count: 0) }
      state.isHeartbeatDue = false
      return UnsafeRawBufferPointer(
        start: Self.heartbeat.utf8Start, count: Self.heartbeat.utf8CodeUnitCount)
    }
  }

  func close() {
    state.withLock { state in
      state.onReady = nil
      state.latest = nil
      state.sending = nil
    }
    onClose(self)
  }
}
