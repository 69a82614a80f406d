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
