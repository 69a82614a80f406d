#if os(Linux)
  import CKindredSockets
  import Synchronization

  import KindredSystem

  /// An event queue on epoll(7).
  ///
  /// It is edge-triggered: connections needn't be rearmed after an event, which saves a system call per request.
  final class EpollQueue: EventQueue {
    /// The token of the event that makes all threads stop waiting.
    private static let endToken = UInt64.max
    /// The token of the event that announces posted tokens.
    private static let postToken = UInt64.max - 1

    private let epoll: CInt
    private let endDescriptor: CInt
    private let postDescriptor: CInt
    private let posted = Mutex(FirstInFirstOut<UInt64>())
    /// The number of posted tokens; read without the lock.
    private let postedCount = Atomic(0)
    /// Counts the calls of ``next`` while tokens are posted, so that sockets and posts take turns.
    private let turn = Atomic(0)

    /// Creates a queue; returns nil if the process has no descriptors left.
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

    func add(_ descriptor: CInt, token: UInt64) -> Bool {
      control(
        EPOLL_CTL_ADD, descriptor, token,
        EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
    }

    func addOnce(_ descriptor: CInt, token: UInt64) -> Bool {
      control(EPOLL_CTL_ADD, descriptor, token, EPOLLIN.rawValue | EPOLLONESHOT.rawValue)
    }

    func armOnce(_ descriptor: CInt, token: UInt64) {
      _ = control(EPOLL_CTL_MOD, descriptor, token, EPOLLIN.rawValue | EPOLLONESHOT.rawValue)
    }

    func rearm(_ directions: Directions, of descriptor: CInt, token: UInt64) {
      // Nothing to do: epoll reports the next change anyway.
    }

    func forget(_ descriptor: CInt, token: UInt64, then close: @escaping @Sendable () -> Void) {
      // Closing a descriptor ends its watching (epoll(7)).
      close()
    }

    func post(_ token: UInt64) {
      posted.withLock { posted in
        posted.append(token)
        postedCount.increase()
      }
      eventfd_write(postDescriptor, 1)
    }

    func end() {
      guard control(EPOLL_CTL_ADD, endDescriptor, Self.endToken, EPOLLIN.rawValue) else { return }
      eventfd_write(endDescriptor, 1)
    }

    func next() -> SocketEvent? {
      // All posts share a descriptor, which would have one turn while each socket has one: with many busy sockets, the
      // posts of a group of writes would wait for them again and again.
      if postedCount.load(ordering: .relaxed) > 0,
        turn.wrappingAdd(1, ordering: .relaxed).newValue.isMultiple(of: 2), let token = takePosted()
      {
        return SocketEvent(token: token, kind: .posted)
      }
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
          if let token = takePosted() { return SocketEvent(token: token, kind: .posted) }
        default:
          let hangUp = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
          return SocketEvent(token: event.data.u64, kind: event.events & hangUp == 0 ? .ready : .hungUp)
        }
      }
    }

    private func takePosted() -> UInt64? {
      let (token, hasMore) = posted.withLock { posted in
        let token = posted.popFirst()
        if token != nil { postedCount.increase(by: -1) }
        return (token, !posted.isEmpty)
      }
      // Posts in quick succession make one event, so taking one token signals the next to another thread.
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
#endif
