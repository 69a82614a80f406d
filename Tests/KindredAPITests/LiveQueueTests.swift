import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("The order in which live queries run again")
struct LiveQueueTests {
  private let memory = LiveMemory()
  private static let targets = ["/one", "/short", "/long"] + (1...5).map { "/many\($0)" }

  private static func key(_ target: String) -> RequestKey {
    RequestKey(path: target[...], URLQuery(nil), .events)
  }

  /// A query of a principal with these rights that takes so many seconds, and begins to wait at the first moment.
  private func query(_ target: String, of principal: UInt8, seconds: Double) -> LiveQuery {
    let result = LiveResult(event: LiveEvent([0x31], memory: memory), tables: nil)
    let query = LiveQuery(
      LiveQuery.Key(request: Self.key(target), rights: [principal]),
      result, version: 1,
      duration: UInt64(seconds * 1e9)
    ) { _ in .end }
    query.doubt(at: 1_000_000_000)
    return query
  }

  private func order(of queries: [LiveQuery], in queue: inout LiveQueue) -> [String] {
    queue.add(queries)
    var targets: [String] = []
    while let query = queue.take(for: .long, where: { _ in true }) {
      targets += Self.targets.filter { Self.key($0) == query.key.request }
    }
    return targets
  }

  @Test
  func `one principal's long queries hold up another's no longer than one of them`() {
    var queue = LiveQueue()
    let many = (1...5).map { query("/many\($0)", of: 1, seconds: 5) }
    let order = order(of: many + [query("/one", of: 2, seconds: 6)], in: &queue)
    #expect(order == ["/many1", "/one", "/many2", "/many3", "/many4", "/many5"])
  }

  @Test
  func `short ones overtake long ones of the same principal`() {
    var queue = LiveQueue()
    let queries = [query("/long", of: 1, seconds: 9), query("/short", of: 1, seconds: 2)]
    #expect(order(of: queries, in: &queue) == ["/short", "/long"])
  }

  @Test
  func `one that is added later has its place by its own principal's others`() {
    var queue = LiveQueue()
    queue.add((1...3).map { query("/many\($0)", of: 1, seconds: 5) })
    queue.add(query("/one", of: 2, seconds: 6))
    #expect(order(of: [], in: &queue) == ["/many1", "/one", "/many2", "/many3"])
  }
}
