import Dispatch
import KindredHTTP
import KindredBackend
import KindredPostgreSQL
import KindredPostgreSQLBackend
import Synchronization
import Testing

@testable import KindredAPI

@Suite("Contents that are cached on PostgreSQL", .enabled(if: Cluster.isAvailable))
struct CachedContentTests {
  private func served() throws -> Served {
    try Served(
      "CREATE TABLE counter (id int PRIMARY KEY, value int)",
      "INSERT INTO counter SELECT n, 0 FROM generate_series(1, 50) n")
  }

  /// Returns the content of a response that may come later.
  private func answer(_ target: String, on served: Served) -> String {
    served.service.answer(HTTPRequest(method: .get, target: target)).wait().body.text
  }

  private func value(in text: String) -> Int? {
    text.firstMatch(of: /"value":(\d+)/).flatMap { Int($0.1) }
  }

  @Test(arguments: ["/counters/1", "/counters?limit=2"])
  func `the third answer is the content of the second, until anything is committed`(target: String) throws {
    let served = try served()
    let first = answer(target, on: served)
    for _ in 1...3 { #expect(answer(target, on: served) == first) }
    for number in 1...5 {
      try served.run("UPDATE counter SET value = \(number) WHERE id = 1")
      for _ in 1...3 { #expect(value(in: answer(target, on: served)) == number) }
    }
  }

  @Test
  func `a state isn't taken for the one before once the connection that watches it was lost`() throws {
    let served = try served()
    let state = try #require(served.backend.stateNumber)
    try served.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    let later = try #require(served.backend.stateNumber)
    #expect(later > state, "the server may have crashed, and lost what was committed")
  }

  @Test
  func `clients at once are never answered with an earlier state than one committed before they asked`()
    throws
  {
    let served = try served()
    let committed = Atomic(0)
    let isDone = Atomic(false)
    let late = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 9) { index in
      if index == 0 {
        for number in 1...60 {
          do { try served.run("UPDATE counter SET value = \(number) WHERE id = 1") } catch { break }
          committed.store(number, ordering: .sequentiallyConsistent)
        }
        isDone.store(true, ordering: .sequentiallyConsistent)
        return
      }
      let target = index % 2 == 0 ? "/counters/1" : "/counters?limit=2"
      while !isDone.load(ordering: .sequentiallyConsistent) {
        let least = committed.load(ordering: .sequentiallyConsistent)
        let text = answer(target, on: served)
        if (value(in: text) ?? -1) < least { late.withLock { $0.append("\(least): \(text)") } }
      }
    }
    #expect(late.withLock { $0 }.isEmpty)
    #expect(committed.load(ordering: .sequentiallyConsistent) == 60)
  }

  @Test
  func `those who ask at once share a question that began after they asked`() throws {
    let served = try served()
    let state = CurrentState(of: served.backend)
    let isLate = Mutex(false)
    for _ in 1...20 {
      let before = try #require(served.backend.stateNumber)
      try served.run("UPDATE counter SET value = value + 1 WHERE id = 1")
      let group = DispatchGroup()
      @Sendable func check(_ answer: CurrentState.Answer) {
        // On a busy machine, a question may take too long to be waited for.
        if let number = answer.number, number <= before { isLate.withLock { $0 = true } }
        group.leave()
      }
      DispatchQueue.concurrentPerform(iterations: 16) { _ in
        group.enter()
        if let answer = state.ask(orLater: check) { check(answer) }
      }
      #expect(group.wait(timeout: .now() + .seconds(60)) == .success)
    }
    #expect(!isLate.withLock { $0 })
  }
}
