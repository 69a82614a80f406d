import KindredBackend
import KindredSQLiteBackend
import Synchronization
import Testing

@testable import KindredAPI
@testable import KindredRequests

/// The feed with the test in place of its workers, which decides who runs what, and when.
@Suite("Live results: the workers of the feed")
struct ChangeFeedTests {
  private let database: TestDatabase
  private let backend: SQLiteBackend
  private let feed: ChangeFeed

  init() throws {
    database = try TestDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    backend = try SQLiteBackend(database.pool)
    feed = try ChangeFeed(backend, LiveOptions(), lanes: [])
  }

  private func result(_ text: String) -> LiveResult {
    LiveResult(event: LiveEvent(Array(text.utf8), memory: feed.memory), tables: [])
  }

  /// Adds a listener with this result; if others have another one, the query waits to run again.
  private func listen(
    _ name: String = "q", with text: String, duration: UInt64 = 0,
    refresh: @escaping LiveQuery.Refresh = { _ in .failure }
  ) throws -> LiveListener {
    try #require(
      feed.listen(
        to: LiveQuery.Key(request: RequestKey(path: name[...], URLQuery(nil), .events), rights: []),
        result(text),
        version: backend.stateNumber,
        duration: duration,
        lastEventID: nil, refresh: refresh))
  }

  @Test
  func `equal requests wait for the one that makes the first result, whatever comes of it`() throws {
    struct Failed: Error {}
    let key = LiveQuery.Key(request: RequestKey(path: "q", URLQuery(nil), .events), rights: [])
    let other = LiveQuery.Key(request: RequestKey(path: "q", URLQuery(nil), .events), rights: [1])
    let calls = Atomic(0)
    func fail() throws {
      #expect(throws: FirstResults.Awaited.self) { try feed.firstResults.make(key) {} }
      feed.firstResults.whenMade(key) { calls.add(1, ordering: .relaxed) }
      let made = try feed.firstResults.make(other) { 1 }
      #expect(made == 1)
      #expect(calls.load(ordering: .relaxed) == 0)
      throw Failed()
    }
    #expect(throws: Failed.self) { try feed.firstResults.make(key, fail) }
    #expect(calls.load(ordering: .relaxed) == 1)
    feed.firstResults.whenMade(key) { calls.add(1, ordering: .relaxed) }
    #expect(calls.load(ordering: .relaxed) == 2, "nothing is being made")
    let made = try feed.firstResults.make(key) { 2 }
    #expect(made == 2)
  }

  @Test
  func `a long result is shared by later clients as long as one is being sent it`() throws {
    let text = String(repeating: "x", count: 100_000)
    let key = LiveQuery.Key(request: RequestKey(path: "q", URLQuery(nil), .events), rights: [])
    let first = try listen(with: text)
    let held = feed.memory.bytes
    let second = try #require(feed.join(key, lastEventID: nil, LiveCredentials()))
    #expect(feed.memory.bytes == held)
    #expect(event(first) == event(second))
    // Each holds it until it is sent, and then nothing does.
    for listener in [first, second] { #expect(listener.next()?.isEmpty == true) }
    #expect(feed.memory.bytes == 0)
    #expect(feed.join(key, lastEventID: nil, LiveCredentials()) == nil)
  }

  private func finish(_ run: ChangeFeed.Run, _ outcome: LiveQuery.Outcome, duration: UInt64 = 0)
    -> LiveDelivery
  {
    feed.finish(run, outcome, version: backend.stateNumber, duration: duration)
  }

  private func event(_ listener: LiveListener) -> String? {
    listener.next().map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
    }
  }

  @Test
  func `of two workers that run one query, the slower to send doesn't send what is older`() throws {
    var listeners = try [listen(with: "1"), listen(with: "2")]
    let first = try #require(feed.take(for: .short))
    #expect(feed.take(for: .short) == nil, "a query runs once at a time")
    let older = finish(first, .result(result("3")))
    listeners.append(try listen(with: "4"))
    let second = try #require(feed.take(for: .short), "it may run again before its result has been sent")
    finish(second, .result(result("5"))).send()
    older.send()
    for listener in listeners { #expect(event(listener) == "data: 5") }
    older.send()
    for listener in listeners { #expect(event(listener) == "") }
  }

  @Test
  func `a listener that comes while the query runs takes only later results`() throws {
    let first = try listen(with: "1")
    _ = try listen(with: "2")
    let run = try #require(feed.take(for: .short))
    let newcomer = try listen(with: "3")
    finish(run, .result(result("2"))).send()
    #expect(event(first) == "data: 2")
    #expect(event(newcomer) == "data: 3", "the run may have begun before its own")
    let next = try #require(feed.take(for: .short))
    finish(next, .result(result("3"))).send()
    #expect(event(first) == "data: 3")
    #expect(event(newcomer) == "", "it has it")
  }

  @Test
  func `a query that takes long leaves the worker of short ones`() throws {
    let limits = Limits()
    for text in ["1", "2"] {
      _ = try listen("long", with: text) { limit in
        limits.all.append(limit)
        return .late
      }
      _ = try listen("short", with: text)
    }
    func runAll(_ lane: LiveLane, duration: UInt64) -> Int {
      var count = 0
      while let run = feed.take(for: lane) {
        count += 1
        finish(run, run.refresh(), duration: duration).send()
        if count > 10 { break }
      }
      return count
    }
    #expect(runAll(.short, duration: 100_000_000) == 2)
    #expect(runAll(.short, duration: 0) == 0, "it waits for another worker")
    #expect(runAll(.medium, duration: 1_000_000_000) == 1)
    #expect(feed.take(for: .medium) == nil)
    _ = feed.take(for: .long)?.refresh()
    #expect(limits.all == [100_000_000, 1_000_000_000, nil])
  }

  /// The limits that a query ran with.
  private final class Limits: @unchecked Sendable {
    var all: [UInt64?] = []
  }

  @Test
  func `a worker of long queries runs short ones if there are no others`() throws {
    for text in ["1", "2"] {
      _ = try listen("short", with: text)
      _ = try listen("long", with: text, duration: 2_000_000_000)
    }
    let runs = [feed.take(for: .long), feed.take(for: .long), feed.take(for: .long)]
    #expect(runs.map { $0 != nil } == [true, true, false])
  }
}
