import KindredClock
import KindredHTTP
import Synchronization

/// The stream of events of one client.
///
/// It holds the event that is being sent and the latest one, so a slow client misses events in between.
final class LiveListener: HTTPBodyStream, Sendable {
  private struct State {
    var latest: LiveEvent?
    /// The ID of the result that the client has or is being sent; nil for none.
    var givenID: String?
    /// The latest run of the query whose result the client has, or will be sent.
    var lastRun: Int
    /// The event of the last part, retained until its bytes have been sent.
    var sending: LiveEvent?
    var isHeartbeatDue = false
    var omitsContent = false
    var isEnded = false
    var isAbandoned = false
    /// When the last part was returned, in nanoseconds of the monotonic clock.
    var lastPart = MonotonicTime.now()
    var onReady: (@Sendable () -> Void)?

    /// The events that are held for the client.
    var held: [LiveEvent] { isAbandoned ? [] : [latest, sending].compactMap { $0 } }
  }

  /// A comment, which clients ignore but which keeps proxies from closing the connection.
  private static let heartbeat: StaticString = ":\n\n"

  private let credentials: LiveCredentials
  private let state: Mutex<State>
  private let onClose: @Sendable (LiveListener) -> Void

  /// - Parameters:
  ///   - event: The first event; nil if the client has it already.
  ///   - id: The ID of the result that the client then has.
  ///   - run: The latest run of the query whose result isn't newer than that.
  ///   - credentials: What the client may listen by.
  ///   - onClose: Called once, when the client has disconnected or the stream has ended.
  init(
    _ event: LiveEvent?, id: String, after run: Int, _ credentials: LiveCredentials,
    onClose: @escaping @Sendable (LiveListener) -> Void
  ) {
    self.credentials = credentials
    self.onClose = onClose
    // The head of the response is sent with the first part: without an event, a comment opens the stream.
    state = Mutex(
      State(latest: event, givenID: event == nil ? id : nil, lastRun: run, isHeartbeatDue: event == nil))
  }

  // MARK: From the feed

  /// Returns whether the client's credentials no longer hold.
  func hasLapsed(at now: UInt64) -> Bool { credentials.haveLapsed(at: now) }

  /// Stores the event of a run to be sent, unless the client has it or that of a later run; returns whether to call
  /// ``announce()``.
  ///
  /// If the result has changed back to what a slow client already has, nothing is sent.
  func take(_ event: LiveEvent, of run: Int) -> Bool {
    state.withLock { state in
      guard run > state.lastRun else { return false }
      state.lastRun = run
      guard event.id != state.latest?.id ?? state.givenID else { return false }
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

  /// The events that are held for the client; none if it has been disconnected.
  var held: [LiveEvent] { state.withLock(\.held) }

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

  /// Sends events without the results from now on.
  func omitContent() { state.withLock { $0.omitsContent = true } }

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
      if state.isEnded { return nil }
      guard state.latest != nil || state.isHeartbeatDue else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      let now = MonotonicTime.now()
      if credentials.haveLapsed(at: now) { return nil }
      state.lastPart = now
      if let event = state.latest {
        state.latest = nil
        state.isHeartbeatDue = false
        state.sending = event
        state.givenID = event.id
        return state.omitsContent ? event.notice : event.bytes
      }
      state.isHeartbeatDue = false
      return UnsafeRawBufferPointer(
        start: Self.heartbeat.utf8Start, count: Self.heartbeat.utf8CodeUnitCount)
    }
  }

  var chunk: UnsafeRawBufferPointer? {
    state.withLock { $0.omitsContent ? nil : $0.sending?.chunk }
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

/// What a client may listen by, until its credentials expire or are withdrawn.
struct LiveCredentials: Sendable {
  /// When they expire, in nanoseconds of the monotonic clock; nil for never.
  var expiry: UInt64?
  /// Returns whether the key that they were verified with is no longer accepted.
  var areWithdrawn: @Sendable () -> Bool = { false }

  /// Returns whether they no longer hold.
  func haveLapsed(at now: UInt64) -> Bool { expiry.map { now >= $0 } ?? false || areWithdrawn() }
}
