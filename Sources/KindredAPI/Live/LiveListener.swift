import KindredClock
import KindredHTTP
import Synchronization

/// The stream of events of one client.
///
/// It holds the event that is being sent and the latest one, so a slow client misses events in between.
final class LiveListener: HTTPBodyStream, Sendable {
  private struct State {
    var latest: LiveEvent?
    /// The ID of the result that the client has or is being sent.
    var givenID: String
    /// The event of the last part, retained until its bytes have been sent.
    var sending: LiveEvent?
    var isHeartbeatDue = false
    var isEnded = false
    var isAbandoned = false
    /// When the last part was returned, in nanoseconds of the monotonic clock.
    var lastPart = MonotonicTime.now()
    var onReady: (@Sendable () -> Void)?

    init(givenID: String) { self.givenID = givenID }
  }

  /// A comment, which clients ignore but which keeps proxies from closing the connection.
  private static let heartbeat: StaticString = ":\n\n"

  /// When the client's credentials expire, in nanoseconds of the monotonic clock; nil for never.
  private let expiry: UInt64?
  /// The first run of the query whose result is no older than the client's.
  private let firstRun: Int
  private let state: Mutex<State>
  private let onClose: @Sendable (LiveListener) -> Void

  /// - Parameters:
  ///   - event: The first event; nil if the client has it already.
  ///   - id: The ID of the result that the client then has.
  ///   - onClose: Called once, when the client has disconnected or the stream has ended.
  init(
    _ event: LiveEvent?, id: String, firstRun: Int, expiry: UInt64?,
    onClose: @escaping @Sendable (LiveListener) -> Void
  ) {
    self.expiry = expiry
    self.firstRun = firstRun
    self.onClose = onClose
    var state = State(givenID: id)
    state.latest = event
    // The head of the response is sent with the first part: without an event, a comment opens the stream.
    state.isHeartbeatDue = event == nil
    self.state = Mutex(state)
  }

  // MARK: From the feed

  /// Returns whether the client's credentials have expired.
  func isExpired(at now: UInt64) -> Bool { expiry.map { now >= $0 } ?? false }

  /// Stores an event to be sent, unless the client has it or a later one; returns whether to call ``announce()``.
  ///
  /// If the result has changed back to what a slow client already has, nothing is sent.
  func take(_ event: LiveEvent, of run: Int) -> Bool {
    guard run >= firstRun else { return false }
    return state.withLock { state in
      state.latest = event.id == state.givenID ? nil : event
      return state.latest != nil
    }
  }

  /// Makes the connection send the stored event after the current one.
  func announce() { wake { _ in } }

  /// Disconnects the client at once.
  func abandon() { wake { $0.isAbandoned = true } }

  /// Ends the stream after the part that is being sent.
  func end() { wake { $0.isEnded = true } }

  /// Sends a comment if nothing has been sent for `interval` nanoseconds.
  func beat(after interval: UInt64, now: UInt64) {
    let isDue = state.withLock { $0.sending == nil && $0.latest == nil && now >= $0.lastPart + interval }
    if isDue { wake { $0.isHeartbeatDue = true } }
  }

  /// Since when the last part has been waiting to be sent, in nanoseconds; nil if none is.
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

  /// - Throws: `Abandoned` if the client reads too slowly for the events held for it.
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
