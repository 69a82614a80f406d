import Synchronization

/// The signals that have been posted to a connection, and whether a thread is working on it.
struct PostedSignals: ~Copyable, Sendable {
  private let bits = Atomic<UInt8>(0)
  /// The bit that is set while a thread is working on the connection.
  private static let busy: UInt8 = 128

  /// The signals that have been posted but not taken yet.
  var current: ConnectionSignals {
    ConnectionSignals(rawValue: bits.load(ordering: .relaxed) & ~Self.busy)
  }

  /// Stores signals for the thread that takes them next.
  func add(_ new: ConnectionSignals) {
    bits.bitwiseOr(new.rawValue, ordering: .acquiringAndReleasing)
  }

  /// Stores signals; returns whether the caller must work on the connection, because no other thread does.
  func begin(_ new: ConnectionSignals) -> Bool {
    let old = bits.bitwiseOr(new.rawValue | Self.busy, ordering: .acquiringAndReleasing).oldValue
    return old & Self.busy == 0
  }

  /// Returns the signals, which the caller then processes.
  func take() -> ConnectionSignals {
    let old = bits.bitwiseAnd(Self.busy, ordering: .acquiringAndReleasing).oldValue
    return ConnectionSignals(rawValue: old & ~Self.busy)
  }

  /// Ends the work on the connection; returns false if there are more signals, which the caller must then take.
  func end() -> Bool {
    bits.compareExchange(expected: Self.busy, desired: 0, ordering: .acquiringAndReleasing).exchanged
  }

  /// Ends the work on the connection, whatever has been posted.
  func abandon() { bits.bitwiseAnd(~Self.busy, ordering: .acquiringAndReleasing) }
}
