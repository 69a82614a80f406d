extension HTTPConnection {
  /// Why a connection is to be looked at.
  struct Signals: OptionSet, Sendable {
    let rawValue: UInt8
    /// The socket has something.
    static let event = Signals(rawValue: 1)
    /// The peer has ended its direction, or the connection is broken.
    static let hangUp = Signals(rawValue: 2)
    /// The deadline may be over.
    static let deadline = Signals(rawValue: 4)
    /// The server ends, when the request under way is answered.
    static let shutdown = Signals(rawValue: 8)
    /// The server ends now.
    static let abort = Signals(rawValue: 16)
    /// The body of the answer asks to be looked at.
    static let body = Signals(rawValue: 32)
    /// Somebody works on the connection.
    static let busy = Signals(rawValue: 128)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ kind: SocketEvent.Kind) {
      switch kind {
      case .ready: self = .event
      case .hungUp: self = [.event, .hangUp]
      // Its signals were left before.
      case .posted: self = []
      }
    }
  }
}
