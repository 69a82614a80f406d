import CKindredLinux
import Synchronization

import Glibc

/// Says which sockets have something to do, to any number of threads.
///
/// Each event wakes one thread, and is told once (edge-triggered): no socket is armed again after an event,
/// which saves a system call per request.
final class EventQueue: Sendable {
  /// Why a thread was woken.
  enum Kind: Hashable, Sendable {
    /// The socket can be read from, or written to.
    case ready
    /// The peer has ended its direction, or the connection is broken.
    case hungUp
    /// Nothing happened to the socket: somebody called `post`.
    case posted
  }

  /// What is to be looked at.
  struct Event: Sendable {
    /// What was given when the socket was added.
    var token: UInt64
    var kind: Kind
  }

  /// The token of the event that ends the threads' waiting.
  private static let endToken = UInt64.max
  /// The token of the event that says that there are posted tokens.
  private static let postToken = UInt64.max - 1

  private let epoll: CInt
  private let endDescriptor: CInt
  private let postDescriptor: CInt
  private let posted = Mutex<[UInt64]>([])

  /// Nil where the process has no more descriptors.
  init?() {
    epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
    endDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    postDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, endDescriptor >= 0, postDescriptor >= 0,
      control(EPOLL_CTL_ADD, postDescriptor, Self.postToken, EPOLLIN.rawValue | EPOLLET.rawValue)
    else { return nil }
  }

  deinit {
    for descriptor in [epoll, endDescriptor, postDescriptor] where descriptor >= 0 { close(descriptor) }
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

  /// Has an event told that comes from no socket.
  func post(_ token: UInt64) {
    posted.withLock { $0.append(token) }
    eventfd_write(postDescriptor, 1)
  }

  /// Ends the waiting of all threads, now and from now on.
  func end() {
    guard control(EPOLL_CTL_ADD, endDescriptor, Self.endToken, EPOLLIN.rawValue) else { return }
    eventfd_write(endDescriptor, 1)
  }

  /// Waits for the next event; nil after `end`.
  func next() -> Event? {
    var event = epoll_event()
    while true {
      guard epoll_wait(epoll, &event, 1, -1) > 0 else {
        if errno == EINTR { continue }
        return nil
      }
      switch event.data.u64 {
      case Self.endToken:
        return nil
      case Self.postToken:
        if let token = takePosted() { return Event(token: token, kind: .posted) }
      default:
        let hangUp = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        return Event(token: event.data.u64, kind: event.events & hangUp == 0 ? .ready : .hungUp)
      }
    }
  }

  private func takePosted() -> UInt64? {
    let (token, hasMore) = posted.withLock { posted in (posted.popLast(), !posted.isEmpty) }
    // Posts that come together make one event: each that is taken has the next one told, to another thread.
    if hasMore { eventfd_write(postDescriptor, 1) }
    return token
  }

  private func control(_ operation: CInt, _ descriptor: CInt, _ token: UInt64, _ events: UInt32) -> Bool {
    var event = epoll_event()
    event.events = events
    event.data.u64 = token
    return epoll_ctl(epoll, operation, descriptor, &event) == 0
  }
}
