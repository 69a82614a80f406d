import Testing

@testable import KindredHTTP

@Suite("A queue of events")
struct EventQueueTests {
  @Test(
    "gives posted tokens in their order, however they are mixed with taking",
    arguments: SocketWaiting.allCases)
  func order(waiting: SocketWaiting) throws {
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
}
