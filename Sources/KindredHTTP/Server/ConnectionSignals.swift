import Synchronization

/// The reasons to work on a connection.
struct ConnectionSignals: OptionSet, Sendable {
  let rawValue: UInt8
  /// The socket has become readable or writable.
  static let event = ConnectionSignals(rawValue: 1)
  /// The peer has closed its sending direction, or the connection is broken.
  static let hangUp = ConnectionSignals(rawValue: 2)
  /// The deadline may have passed.
  static let deadline = ConnectionSignals(rawValue: 4)
  /// The server shuts down: end after the request in progress.
  static let shutdown = ConnectionSignals(rawValue: 8)
  /// The server shuts down now.
  static let abort = ConnectionSignals(rawValue: 16)
  /// The body of the response has called `wake`.
  static let body = ConnectionSignals(rawValue: 32)
  /// The answer to the request is ready.
  static let answer = ConnectionSignals(rawValue: 64)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ kind: SocketEvent.Kind) {
    switch kind {
    case .ready: self = .event
    case .hungUp: self = [.event, .hangUp]
    // `HTTPConnection.signal` has stored the signals.
    case .posted: self = []
    }
  }
}

/// The signals that have been posted to a connection, and whether a thread is working on it: at first, who makes it.
struct PostedSignals: ~Copyable, Sendable {
  private let bits = Atomic<UInt8>(busy)
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
