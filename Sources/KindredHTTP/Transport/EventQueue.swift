/// Distributes the events of sockets to any number of threads.
///
/// Each event wakes one thread, once. That thread then reads or writes until the call would block, and calls
/// ``rearm(_:of:token:)``.
protocol EventQueue: AnyObject, Sendable {
  /// Watches a connection; returns false on an error.
  func add(_ descriptor: CInt, token: UInt64) -> Bool

  /// Watches a listening socket for one event; returns false on an error.
  func addOnce(_ descriptor: CInt, token: UInt64) -> Bool

  /// Watches a listening socket for one more event, which comes at once if a connection is waiting.
  func armOnce(_ descriptor: CInt, token: UInt64)

  /// Reports the next event when the directions that blocked become ready.
  func rearm(_ directions: Directions, of descriptor: CInt, token: UInt64)

  /// Stops watching, and calls `close`, which closes the descriptor, now or shortly afterwards.
  func forget(_ descriptor: CInt, token: UInt64, then close: @escaping @Sendable () -> Void)

  /// Reports an event that comes from no socket; such events are reported in the order in which they were posted.
  func post(_ token: UInt64)

  /// Makes `next` return nil on all threads from now on.
  func end()

  /// Blocks until the next event; returns nil after `end`.
  func next() -> SocketEvent?
}

/// An event of a socket.
struct SocketEvent: Sendable {
  /// Why a thread was woken.
  enum Kind: Hashable, Sendable {
    /// The socket has become readable or writable.
    case ready
    /// The peer has closed its sending direction, or the connection is broken.
    case hungUp
    /// `post` was called; nothing happened to the socket.
    case posted
  }

  /// The token that the socket was added with.
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
    /// With epoll(7): reading and writing are the only system calls between two requests of a connection.
    case epoll
  #endif
  /// With Dispatch sources, which every platform has.
  case dispatchSources

  /// The fastest way that the platform has.
  package static var standard: SocketWaiting { allCases[0] }

  /// Returns a new queue, or nil if the process has no descriptors left.
  func makeQueue() -> (any EventQueue)? {
    switch self {
    #if os(Linux)
      case .epoll: return EpollQueue()
    #endif
    case .dispatchSources: return DispatchSourceQueue()
    }
  }
}
