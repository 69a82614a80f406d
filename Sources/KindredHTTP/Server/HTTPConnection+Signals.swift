extension HTTPConnection {
  /// The reasons to work on a connection.
  struct Signals: OptionSet, Sendable {
    let rawValue: UInt8
    /// The socket has become readable or writable.
    static let event = Signals(rawValue: 1)
    /// The peer has closed its sending direction, or the connection is broken.
    static let hangUp = Signals(rawValue: 2)
    /// The deadline may have passed.
    static let deadline = Signals(rawValue: 4)
    /// The server shuts down: end after the request under way.
    static let shutdown = Signals(rawValue: 8)
    /// The server shuts down now.
    static let abort = Signals(rawValue: 16)
    /// The body of the response has called `wake`.
    static let body = Signals(rawValue: 32)
    /// A thread is working on the connection.
    static let busy = Signals(rawValue: 128)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ kind: SocketEvent.Kind) {
      switch kind {
      case .ready: self = .event
      case .hungUp: self = [.event, .hangUp]
      // `signal` has already stored the signals.
      case .posted: self = []
      }
    }
  }
}
