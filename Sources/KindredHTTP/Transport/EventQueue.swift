import CKindredLinux

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Says which sockets have something to do, to any number of threads.
///
/// Each event wakes one thread, and is told once (edge-triggered): no socket is armed again after an event,
/// which saves a system call per request.
final class EventQueue: Sendable {
  /// What has happened to a socket.
  struct Event: Sendable {
    /// What was given when the socket was added.
    var token: UInt64
    /// Whether the peer has ended its direction, or the connection is broken.
    var hasHungUp: Bool
  }

  /// The token of the event that ends the threads' waiting.
  private static let wakeToken = UInt64.max

  private let epoll: CInt
  private let wakeDescriptor: CInt

  /// Nil where the process has no more descriptors.
  init?() {
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, wakeDescriptor >= 0 else {
      if epoll >= 0 { close(epoll) }
      if wakeDescriptor >= 0 { close(wakeDescriptor) }
      return nil
    }
  }

  deinit {
    close(epoll)
    close(wakeDescriptor)
  }

  /// Has events of a connection told, until its descriptor is closed.
  func add(_ descriptor: CInt, token: UInt64) -> Bool {
    control(
      EPOLL_CTL_ADD, descriptor, token,
      EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
  }

  /// Has one event told when the socket has something to read.
  func addOnce(_ descriptor: CInt, token: UInt64) -> Bool {
    control(EPOLL_CTL_ADD, descriptor, token, EPOLLIN.rawValue | EPOLLONESHOT.rawValue)
  }

  /// Has one more event told, at once where there is something to read already.
  @discardableResult
  func armOnce(_ descriptor: CInt, token: UInt64) -> Bool {
    control(EPOLL_CTL_MOD, descriptor, token, EPOLLIN.rawValue | EPOLLONESHOT.rawValue)
  }

  /// Ends the waiting of all threads, now and from now on.
  func wakeAll() {
    guard control(EPOLL_CTL_ADD, wakeDescriptor, Self.wakeToken, EPOLLIN.rawValue) else { return }
    eventfd_write(wakeDescriptor, 1)
  }

  /// Waits for the next event; nil after `wakeAll`, or after `timeout` milliseconds.
  func next(timeout: CInt = -1) -> Event? {
    var event = epoll_event()
    while true {
      let count = epoll_wait(epoll, &event, 1, timeout)
      if count < 0 && errno == EINTR { continue }
      guard count > 0, event.data.u64 != Self.wakeToken else { return nil }
      let hangUp = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
      return Event(token: event.data.u64, hasHungUp: event.events & hangUp != 0)
    }
  }

  private func control(_ operation: CInt, _ descriptor: CInt, _ token: UInt64, _ events: UInt32) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.u64 = token
    return epoll_ctl(epoll, operation, descriptor, &event) == 0
  }
}
