import Dispatch
import KindredSQLite
import Synchronization
import Testing

@testable import KindredAPI

@Suite("What many need at the same time is derived once")
struct SingleFlightTests {
  private struct Failure: Error {}

  @Test
  func `others wait for the first`() {
    let flight = SingleFlight<Int, Int>()
    let made = Atomic(0)
    let known = Mutex<Int?>(nil)
    let isBegun = DispatchSemaphore(value: 0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let value = flight.value(for: 1, known: { known.withLock { $0 } }) {
        isBegun.signal()
        made.add(1, ordering: .relaxed)
        known.withLock { $0 = 7 }
        return 7
      }
      #expect(value == 7)
    }
    isBegun.wait()
    #expect(made.load(ordering: .relaxed) == 1)
  }

  @Test
  func `after a failure the next one tries`() throws {
    let flight = SingleFlight<Int, Int>()
    #expect(throws: Failure.self) { try flight.value(for: 1, known: { nil }) { throw Failure() } }
    #expect(flight.value(for: 1, known: { nil }) { 3 } == 3)
    #expect(flight.value(for: 2, known: { 4 }) { 3 } == 4)
  }

  @Test
  func `after a change of the schema the model is read once, however many ask`() throws {
    let database = try Library.database()
    _ = try database.answer("/books/1")
    let first = try #require(database.service.context.models.known?.number)
    try Connection(path: database.path, access: .readWrite).execute("ALTER TABLE book ADD COLUMN more TEXT")
    DispatchQueue.concurrentPerform(iterations: 12) { number in
      #expect((try? database.answer("/books?limit=\(number + 1)").text.contains("\"more\":null")) == true)
    }
    #expect(database.service.context.models.known?.number == first + 1)
  }
}
