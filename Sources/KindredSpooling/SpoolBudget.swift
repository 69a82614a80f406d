import Synchronization

/// The bytes of temporary files that all clients share: for long contents of requests, and for results that are read
/// ahead of their clients.
///
/// An address may use a quarter of them, so that no client takes the room of all others.
public final class SpoolBudget: Sendable {
  private struct State {
    var used = 0
    /// Addresses that use nothing have no entry.
    var byClient: [ClientAddress?: Int] = [:]
  }

  /// The number of bytes of all files.
  public let maximum: Int
  private let state = Mutex(State())

  /// Creates a budget, none of which is used.
  public init(maximum: Int = 4 << 30) { self.maximum = maximum }

  /// The number of bytes that an address may use.
  public var share: Int { maximum / 4 }

  /// The number of bytes in use.
  public var used: Int { state.withLock(\.used) }

  /// Takes bytes for a client; returns false if that is more than its share, or than there is.
  ///
  /// - Parameter client: Nil for requests that come from no connection, which share a quarter.
  func take(_ count: Int, for client: ClientAddress?) -> Bool {
    state.withLock { state in
      let own = state.byClient[client, default: 0] + count
      guard state.used + count <= maximum, own <= share else { return false }
      state.used += count
      state.byClient[client] = own
      return true
    }
  }

  /// Returns bytes that a client took.
  func giveBack(_ count: Int, of client: ClientAddress?) {
    guard count > 0 else { return }
    state.withLock { state in
      state.used -= count
      let rest = state.byClient[client, default: 0] - count
      state.byClient[client] = rest > 0 ? rest : nil
    }
  }
}
