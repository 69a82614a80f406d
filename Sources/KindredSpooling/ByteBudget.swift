import Synchronization

/// A number of bytes that all clients share: of temporary files for long contents of requests and for results that are
/// read ahead of their clients, or of memory for other contents.
///
/// A client, whatever tells it from others, may use a part of them, so that none takes the room of all others.
public final class ByteBudget: Sendable {
  private struct State {
    var used = 0
    /// Clients that use nothing have no entry; the key nil is that of requests without a connection.
    var byClient: [AnyHashable?: Int] = [:]
  }

  /// The number of bytes for all.
  public let maximum: Int
  /// The number of bytes that a client may use.
  public let share: Int
  private let state = Mutex(State())

  /// Creates a budget, none of which is used.
  ///
  /// - Parameter share: The number of bytes that a client may use; a quarter by default.
  public init(maximum: Int = 4 << 30, share: Int? = nil) {
    self.maximum = maximum
    self.share = share ?? maximum / 4
  }

  /// The number of bytes in use.
  public var used: Int { state.withLock(\.used) }

  /// Takes bytes for a client; returns false if that is more than its share, or than there is.
  ///
  /// - Parameter client: Nil for requests that come from no connection, which have a share together.
  func take(_ count: Int, for client: (any Hashable & Sendable)?) -> Bool {
    state.withLock { state in
      let client = client.map { AnyHashable($0) }
      let own = state.byClient[client, default: 0] + count
      guard state.used + count <= maximum, own <= share else { return false }
      state.used += count
      state.byClient[client] = own
      return true
    }
  }

  /// Returns bytes that a client took.
  func giveBack(_ count: Int, of client: (any Hashable & Sendable)?) {
    guard count > 0 else { return }
    state.withLock { state in
      let client = client.map { AnyHashable($0) }
      state.used -= count
      let rest = state.byClient[client, default: 0] - count
      state.byClient[client] = rest > 0 ? rest : nil
    }
  }
}
