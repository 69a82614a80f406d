import Synchronization

/// The times of a connection that the watch reads ten times a second.
///
/// Those of all connections are next to each other, so that the watch reads them fast, and neither touches nor retains
/// the connections.
struct ConnectionClock: @unchecked Sendable {
  // The table that has made the clock outlives its connections.
  fileprivate let times: UnsafeMutablePointer<Times>

  fileprivate struct Times: ~Copyable {
    let deadline = Atomic<UInt64>(.max)
    let runningSince = Atomic<UInt64>(0)
  }

  /// The time at which the connection must be checked, in nanoseconds.
  var deadline: UInt64 {
    get { times.pointee.deadline.load(ordering: .relaxed) }
    nonmutating set { times.pointee.deadline.store(newValue, ordering: .relaxed) }
  }

  /// The time since which the request's code has been running, in nanoseconds; 0 if it isn't.
  var runningSince: UInt64 {
    get { times.pointee.runningSince.load(ordering: .relaxed) }
    nonmutating set { times.pointee.runningSince.store(newValue, ordering: .relaxed) }
  }

  /// How long a request runs before it is worth checking whether its client is still connected.
  private static let departureDelay = Duration.milliseconds(50)

  /// Returns whether the deadline has passed.
  func isOverdue(at now: Moment) -> Bool { now.nanoseconds >= deadline }

  /// Returns whether the request's code has been running long enough that its client may have disconnected.
  func isBusy(at now: Moment) -> Bool {
    let since = runningSince
    return since != 0 && now > Moment(nanoseconds: since) + Self.departureDelay
  }
}

/// The clocks of all connections, by their index.
struct ConnectionClocks: ~Copyable {
  private var pages: [UnsafeMutablePointer<ConnectionClock.Times>] = []
  /// The number of clocks of a page.
  private static let pageLength = 256

  deinit {
    for page in pages {
      page.deinitialize(count: Self.pageLength)
      page.deallocate()
    }
  }

  /// Returns the clock with an index, which is less than the number of clocks.
  subscript(index: Int) -> ConnectionClock {
    ConnectionClock(times: pages[index / Self.pageLength] + index % Self.pageLength)
  }

  /// Returns a clock for a new connection.
  mutating func reset(_ index: Int) -> ConnectionClock {
    while index / Self.pageLength >= pages.count {
      let page = UnsafeMutablePointer<ConnectionClock.Times>.allocate(capacity: Self.pageLength)
      for position in 0..<Self.pageLength { (page + position).initialize(to: ConnectionClock.Times()) }
      pages.append(page)
    }
    let clock = self[index]
    clock.deadline = .max
    clock.runningSince = 0
    return clock
  }
}
