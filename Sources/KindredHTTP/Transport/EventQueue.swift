/// Says which sockets have something to do, to any number of threads.
///
/// Each event wakes one thread, and is told once: after it, whoever works on the socket reads or writes until that would
/// block, and then calls ``rearm(_:of:token:)``.
protocol EventQueue: AnyObject, Sendable {
  /// Watches a connection; false where that is not possible.
  func add(_ descriptor: CInt, token: UInt64) -> Bool

  /// Has one event told when a listening socket has a connection; false where that is not possible.
  func addOnce(_ descriptor: CInt, token: UInt64) -> Bool

  /// Has one more event told, at once where there is a connection already.
  func armOnce(_ descriptor: CInt, token: UInt64)

  /// Has the next event told once the socket can do again what would have blocked.
  func rearm(_ directions: Directions, of descriptor: CInt, token: UInt64)

  /// Ends the watching; `close` closes the descriptor, now or a little later.
  func forget(_ descriptor: CInt, token: UInt64, then close: @escaping @Sendable () -> Void)

  /// Has an event told that comes from no socket.
  func post(_ token: UInt64)

  /// Ends the waiting of all threads, now and from now on.
  func end()

  /// Waits for the next event; nil after `end`.
  func next() -> SocketEvent?
}

/// What is to be looked at.
struct SocketEvent: Sendable {
  /// Why a thread was woken.
  enum Kind: Hashable, Sendable {
    /// The socket can be read from, or written to.
    case ready
    /// The peer has ended its direction, or the connection is broken.
    case hungUp
    /// Nothing happened to the socket: somebody called `post`.
    case posted
  }

  /// What was given when the socket was added.
  var token: UInt64
  var kind: Kind
}

/// The directions of a connection.
struct Directions: OptionSet, Hashable, Sendable {
  let rawValue: UInt8
  static let input = Directions(rawValue: 1)
  static let output = Directions(rawValue: 2)

  init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// How a server waits for its sockets.
package enum SocketWaiting: Hashable, Sendable, CaseIterable {
  #if os(Linux)
    /// By epoll(7): no system call between two requests of a connection but those that read and write.
    case epoll
  #endif
  /// By the sources of Dispatch, which every system has.
  case dispatchSources

  /// The faster one of those that the system has.
  package static var standard: SocketWaiting { allCases[0] }

  /// Nil where the process has no more descriptors.
  func makeQueue() -> (any EventQueue)? {
    switch self {
    #if os(Linux)
      case .epoll: return EpollQueue()
    #endif
    case .dispatchSources: return DispatchSourceQueue()
    }
  }
}
