import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Kindred

@Suite("Shared observations and their events", .timeLimit(.minutes(10)))
struct SharedObservationTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.execute(
        sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER); CREATE TABLE award (id)")
    }
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func append(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private let fetches = Lines()

  private var count: ValueObservation<ValueReducers.Fetch<Int>> {
    let fetches = fetches
    return .tracking { db throws in
      fetches.append("fetch")
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
    }
  }

  @Test
  func `the subscribers of a shared observation share its fetches, and a late one gets the last value`()
    async throws
  {
    let shared = count.shared(in: queue, scheduling: .task)
    var first = shared.values().makeAsyncIterator()
    #expect(try await first.next() == 0)
    var second = shared.values().makeAsyncIterator()
    #expect(try await second.next() == 0)
    #expect(fetches.all.count == 1)
    try await queue.write { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
    #expect(try await first.next() == 1)
    #expect(try await second.next() == 1)
    #expect(fetches.all.count == 2)
  }

  @Test
  func `a shared observation ends with its last subscriber, and starts again with the next`() async throws {
    let shared = count.shared(in: queue, scheduling: .task, extent: .whileObserved)
    for _ in 0..<2 {
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let token = shared.start(onError: { Issue.record($0) }, onChange: { continuation.yield($0) })
      var values = stream.makeAsyncIterator()
      #expect(await values.next() == 0)
      token.cancel()
    }
    #expect(fetches.all.count == 2)
  }

  @Test
  func `an error ends a shared observation for all subscribers`() async throws {
    let shared = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT * FROM nowhere") }
      .shared(in: queue, scheduling: .task)
    await #expect(throws: DatabaseError.self) {
      for try await _ in shared.values() { Issue.record("a value") }
    }
  }

  @Test
  func `the events of an observation are reported in order`() async throws {
    let lines = Lines()
    let observation = count.handleEvents(
      willStart: { lines.append("start") }, willFetch: { lines.append("fetch") },
      willTrackRegion: { lines.append("region \($0)") }, databaseDidChange: { lines.append("change") },
      didReceiveValue: { lines.append("value \($0)") }, didCancel: { lines.append("cancel") })
    var values = observation.values(in: queue).makeAsyncIterator()
    #expect(try await values.next() == 0)
    try await queue.write { db in try db.execute(sql: "INSERT INTO award VALUES (1)") }
    try await queue.write { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
    #expect(try await values.next() == 1)
    #expect(
      lines.all == ["start", "fetch", "region player(*)", "value 0", "change", "fetch", "value 1"]
        || lines.all == ["start", "fetch", "region player()", "value 0", "change", "fetch", "value 1"])
  }

  @Test
  func `an observation prints its events`() async throws {
    final class Output: TextOutputStream, @unchecked Sendable {
      let text = Mutex("")
      func write(_ string: String) { text.withLock { $0 += string } }
    }
    let output = Output()
    var values = count.print("players", to: output).values(in: queue).makeAsyncIterator()
    #expect(try await values.next() == 0)
    let text = output.text.withLock { $0 }
    #expect(text.hasPrefix("players: start\nplayers: fetch\n") && text.contains("players: value: 0\n"))
  }

  @Test
  func `an observation of given regions is fetched again after their changes alone`() async throws {
    let observation = ValueObservation.tracking(region: Table("award")) { db throws in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
    }
    var values = observation.values(in: queue).makeAsyncIterator()
    #expect(try await values.next() == 0)
    try await queue.write { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
    try await queue.write { db in try db.execute(sql: "INSERT INTO award VALUES (1)") }
    #expect(try await values.next() == 1)
  }

  @Test
  func `an observation that requires write access can write in its fetches`() async throws {
    var observation = ValueObservation.tracking { db throws in
      try db.execute(sql: "INSERT INTO award VALUES (1)")
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
    }
    observation.requiresWriteAccess = true
    var values = observation.values(in: queue).makeAsyncIterator()
    #expect(try await values.next() == 0)
  }

  @Test
  func `a subscriber that is still busy with the last value receives a newer one after it`() async throws {
    let shared = count.shared(in: queue, scheduling: .task, extent: .observationLifetime)
    let first = shared.values()
    var earlier = first.makeAsyncIterator()
    #expect(try await earlier.next() == 0)
    let received = Mutex<[Int]>([])
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    // The first call, with the last value, takes until the other subscriber has received a newer one.
    let newer = DispatchSemaphore(value: 0)
    let isBusy = DispatchSemaphore(value: 0)
    let queue = queue
    let subscribing = Task.detached {
      shared.start(
        onError: { Issue.record($0) },
        onChange: { value in
          if value == 0 {
            isBusy.signal()
            newer.wait()
          }
          received.withLock { $0.append(value) }
          continuation.yield(value)
        })
    }
    await Task.detached { isBusy.wait() }.value
    try await queue.write { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
    #expect(try await earlier.next() == 1)
    newer.signal()
    let token = await subscribing.value
    var values = stream.makeAsyncIterator()
    #expect(await values.next() == 0)
    #expect(await values.next() == 1)
    #expect(received.withLock { $0 } == [0, 1])
    token.cancel()
  }

  /// Owns a subscription, as a view does whose closures own it.
  private final class Owner: Sendable {
    let token = Mutex<AnyDatabaseCancellable?>(nil)
    func use() {}
  }

  @Test
  func `a subscriber may own another subscription of the same observation`() throws {
    let shared = count.shared(in: queue, scheduling: .task)
    let token: AnyDatabaseCancellable
    do {
      let owner = Owner()
      owner.token.withLock { $0 = shared.start(onError: { _ in }, onChange: { _ in }) }
      token = shared.start(onError: { _ in }, onChange: { _ in owner.use() })
    }
    token.cancel()
    // The observation has ended with its subscriptions, so that the next one fetches again.
    let again = shared.start(onError: { _ in }, onChange: { _ in })
    again.cancel()
  }

  @Test
  func `a shared value may own a subscription of its observation`() throws {
    let shared = Mutex<SharedValueObservation<Owner>?>(nil)
    let observation = ValueObservation.tracking { db -> Owner in
      _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
      return Owner()
    }
    let values = observation.shared(in: queue, scheduling: .task)
    shared.withLock { $0 = values }
    let received = DispatchSemaphore(value: 0)
    let token = values.start(
      onError: { Issue.record($0) },
      onChange: { owner in
        owner.token.withLock { token in
          token = shared.withLock { $0 }?.start(onError: { _ in }, onChange: { _ in })
        }
        received.signal()
      })
    received.wait()
    try queue.write { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
    received.wait()
    token.cancel()
    shared.withLock { $0 = nil }
  }

  @Test
  func `values are fetched by each iteration of their sequence, and not before`() async throws {
    let values = count.values(in: queue)
    let shared = count.shared(in: queue, scheduling: .task).values()
    #expect(fetches.all.isEmpty)
    for expected in [0, 1] {
      for try await value in values {
        #expect(value == expected)
        break
      }
      for try await value in shared {
        #expect(value == expected)
        break
      }
      try await queue.write { db in try db.execute(sql: "INSERT INTO player DEFAULT VALUES") }
    }
  }
}
