import Dispatch
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@testable import KindredHTTP

@Suite("A queue of events")
struct EventQueueTests {
  @Test(arguments: SocketWaiting.allCases)
  func `gives posted tokens in their order, however they are mixed with taking`(waiting: SocketWaiting) throws
  {
    let queue = try #require(waiting.makeQueue())
    var taken: [UInt64] = []
    var posted: UInt64 = 0
    for round in 1...20 {
      for _ in 0..<round {
        posted += 1
        queue.post(posted)
      }
      for _ in 0..<(round / 2) { taken.append(try #require(queue.next()).token) }
    }
    while taken.count < Int(posted) { taken.append(try #require(queue.next()).token) }
    #expect(taken == Array(1...posted))
    queue.end()
    #expect(queue.next() == nil)
  }

  @Test(arguments: SocketWaiting.allCases)
  func `every posted token reaches a thread, however many wait or are between two waits`(
    waiting: SocketWaiting
  ) throws {
    let queue = try #require(waiting.makeQueue())
    let count = 20_000
    let taken = Mutex<Set<UInt64>>([])
    let isComplete = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    for worker in 0..<3 {
      DispatchQueue(label: "worker \(worker)").async(group: group) {
        while let event = queue.next() {
          let isLast = taken.withLock { $0.insert(event.token).inserted && $0.count == count }
          if isLast { isComplete.signal() }
        }
      }
    }
    DispatchQueue.concurrentPerform(iterations: 2) { half in
      for number in 0..<count / 2 { queue.post(UInt64(half * count / 2 + number)) }
    }
    #expect(isComplete.wait(timeout: .now() + .seconds(60)) == .success)
    queue.end()
    #expect(group.wait(timeout: .now() + .seconds(60)) == .success)
  }

  #if os(Linux)
    @Test
    func `with epoll, posts wait no longer behind many busy sockets than each of them`() throws {
      let queue = try #require(EpollQueue())
      var sockets: [CInt] = []
      defer { for socket in sockets { close(socket) } }
      for token in 0..<40 {
        var pair: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        sockets += pair
        // It is ready at once, because it can be written to.
        #expect(queue.add(pair[0], token: UInt64(token)))
      }
      for token in 100..<120 { queue.post(UInt64(token)) }
      let first = try (0..<40).map { _ in try #require(queue.next()) }
      #expect(first.count { $0.kind == .posted } >= 19)
      #expect(first.count { $0.kind == .ready } >= 19)
    }
  #endif
}
