import Dispatch
import KindredSQLSyntax
import Synchronization

/// Derives what many need at the same time once: the first derives it, and the others wait.
final class SingleFlight<Key: ExactKey, Value: Sendable>: Sendable {
  /// One derivation that is under way; nil as its result means that it has failed.
  private final class Flight: Sendable {
    let end = DispatchGroup()
    let result = Mutex<Value?>(nil)

    init() { end.enter() }
  }

  private let flights = Mutex<[Key: Flight]>([:])

  /// Returns the value of a key; where another thread is making it, that one.
  ///
  /// If that one fails, perhaps because its request was cancelled, another makes it.
  ///
  /// - Parameter known: Returns the value if it has been made before.
  func value(for key: Key, known: () -> Value?, _ make: () throws -> Value) rethrows -> Value {
    while true {
      if let value = known() { return value }
      let (flight, isFirst) = flights.withLock { flights in
        if let flight = flights[key] { return (flight, false) }
        let flight = Flight()
        flights[key] = flight
        return (flight, true)
      }
      guard isFirst else {
        flight.end.wait()
        if let value = flight.result.withLock({ $0 }) { return value }
        continue
      }
      defer {
        flights.withLock { $0[key] = nil }
        flight.end.leave()
      }
      // Another may have ended just before this one began.
      let value = try known() ?? make()
      flight.result.withLock { $0 = value }
      return value
    }
  }
}
