import KindredClock
import Synchronization

/// What the listeners of a query receive after a run.
struct LiveDelivery {
  private let feed: ChangeFeed
  var listeners: [LiveListener] = []
  /// The event with the result; nil if there is none any more.
  var event: LiveEvent?
  var run = 0

  init(of feed: ChangeFeed) { self.feed = feed }

  /// Sends the result to all whose own isn't later; without a result, their streams end.
  func send() {
    guard let event else {
      for listener in listeners { listener.end() }
      return
    }
    let now = MonotonicTime.now()
    // One after the other: between two passes, sending would evict the listeners from the processor's caches.
    for listener in listeners {
      if listener.hasLapsed(at: now) {
        listener.end()
      } else if listener.take(event, of: run) {
        feed.sentEvents.wrappingAdd(1, ordering: .relaxed)
        listener.announce()
      }
    }
  }
}
