import Synchronization

/// A subscriber of a shared observation, with the events of which it hasn't been notified yet.
///
/// Whoever has enqueued an event delivers it; an event that arrives while another is being delivered waits for it, so
/// that a subscriber keeps the latest value.
final class ObservationSubscriber<Element: Sendable>: Sendable {
  private struct State {
    var events: [Result<Element, any Error>] = []
    /// Whether a thread is notifying the subscriber.
    var isDelivering = false
    var isCancelled = false
  }

  private let onError: @Sendable (any Error) -> Void
  private let onChange: @Sendable (Element) -> Void
  private let state = Mutex(State())

  init(onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void) {
    (self.onError, self.onChange) = (onError, onChange)
  }

  /// Appends an event, which a call of `deliver(atMost:)` must follow.
  func enqueue(_ event: Result<Element, any Error>) {
    state.withLock { if !$0.isCancelled { $0.events.append(event) } }
  }

  /// Notifies the subscriber of its events in their order, unless another thread is doing so.
  ///
  /// - Parameter limit: The number of events, at most.
  /// - Returns: Whether events are left that no thread will deliver.
  func deliver(atMost limit: Int = .max) -> Bool {
    var count = 0
    var isDelivering = false
    while true {
      let event = state.withLock { state -> Result<Element, any Error>? in
        guard isDelivering || !state.isDelivering, !state.events.isEmpty, count < limit else {
          if isDelivering { state.isDelivering = false }
          return nil
        }
        (state.isDelivering, isDelivering) = (true, true)
        return state.events.removeFirst()
      }
      guard let event else { break }
      count += 1
      switch event {
      case .success(let value): onChange(value)
      case .failure(let error): onError(error)
      }
    }
    return count == limit && state.withLock { !$0.isDelivering && !$0.events.isEmpty }
  }

  /// Ends the subscription: no further event is delivered.
  func cancel() {
    // The events are released outside the lock, because values are the program's.
    let dropped = state.withLock { state in
      defer { (state.isCancelled, state.events) = (true, []) }
      return state.events
    }
    withExtendedLifetime(dropped) {}
  }
}
