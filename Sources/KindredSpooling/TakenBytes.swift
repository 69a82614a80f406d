import Synchronization

/// The bytes of a budget that a client has taken for one purpose; they are given back when nothing refers to it.
package final class TakenBytes: Sendable {
  private let budget: ByteBudget
  private let client: (any Hashable & Sendable)?
  private let taken = Atomic(0)

  /// - Parameter client: The client that the bytes are for; nil for a request that comes from no connection.
  package init(of budget: ByteBudget, for client: (any Hashable & Sendable)?) {
    self.budget = budget
    self.client = client
  }

  deinit { budget.giveBack(count, of: client) }

  /// The number of bytes.
  package var count: Int { taken.load(ordering: .relaxed) }

  /// Takes more bytes; returns false if the budget has no room for them.
  package func take(_ more: Int) -> Bool {
    guard budget.take(more, for: client) else { return false }
    taken.wrappingAdd(more, ordering: .relaxed)
    return true
  }
}
