import Dispatch
@testable import KindredHTTP
import KindredRequests
import Synchronization
import Testing

@testable import KindredAPI

@Suite("Long contents are read in turns, and what they take is bounded")
struct LongContentTests {
  /// The slots of the contents that may be read.
  private final class Granted: Sendable {
    let slots = Mutex<[ContentSlot]>([])

    var count: Int { slots.withLock(\.count) }
  }

  /// Signals when nothing refers to it any more.
  private final class Dropped: Sendable {
    let isDropped = DispatchSemaphore(value: 0)

    deinit { isDropped.signal() }
  }

  /// 4,000 bytes for what is made of each.
  private static let content = [UInt8](repeating: 0, count: 2000)

  @Test
  func `as many contents are read at once as there are slots, and the next one follows each`() {
    let slots = ContentSlots(FreedMemory(), count: 2, memory: 1 << 20)
    let granted = Granted()
    for _ in 0..<5 {
      slots.whenFree(for: HTTPCancellation(), Self.content) { slot in
        granted.slots.withLock { $0 += slot.map { [$0] } ?? [] }
      }
    }
    #expect(granted.count == 2)
    granted.slots.withLock { $0[0] }.endReading()
    #expect(granted.count == 3)
    // A second end of the same turn admits no request.
    granted.slots.withLock { $0[0] }.endReading()
    #expect(granted.count == 3)
    granted.slots.withLock { Array($0[1...2]) }.forEach { $0.endReading() }
    #expect(granted.count == 5)
  }

  @Test
  func `contents wait until there is memory for what is made of them, in their order`() {
    var queue = ContentQueue(processors: 4, memory: 100)
    let begun = Mutex<[Int]>([])
    func enqueue(_ size: Int) -> UInt64 {
      queue.enqueue(size) { isGranted in begun.withLock { $0.append(isGranted ? size : -size) } }
    }
    func go() { for call in queue.next() { call() } }
    for size in [60, 30, 20] { _ = enqueue(size) }
    let withdrawn = enqueue(100)
    _ = enqueue(5)
    go()
    #expect(begun.withLock(\.self) == [60, 30] && queue.taken == 90)
    queue.endReading()
    go()
    #expect(begun.withLock(\.count) == 2, "what has been read takes its memory until it has been carried out")
    queue.giveBack(60)
    go()
    #expect(begun.withLock(\.self) == [60, 30, 20], "none overtakes the one that needs all")
    queue.withdraw(withdrawn)?()
    go()
    #expect(begun.withLock(\.self) == [60, 30, 20, -100, 5] && queue.taken == 55)
    #expect(queue.withdraw(withdrawn) == nil)
  }

  @Test
  func `a content is given all memory at most, and alone`() {
    let slots = ContentSlots(FreedMemory(), count: 2, memory: 1000)
    let granted = Granted()
    for _ in 0..<2 {
      slots.whenFree(for: HTTPCancellation(), Self.content) { slot in
        granted.slots.withLock { $0 += slot.map { [$0] } ?? [] }
      }
    }
    #expect(granted.count == 1 && slots.taken == 1000)
  }

  @Test
  func `the slot of a request whose client has left is free again`() {
    let slots = ContentSlots(FreedMemory(), count: 1, memory: 4000)
    slots.whenFree(for: HTTPCancellation(), Self.content) { _ in }
    let isGranted = DispatchSemaphore(value: 0)
    slots.whenFree(for: HTTPCancellation(), Self.content) { _ in isGranted.signal() }
    #expect(isGranted.wait(timeout: .now() + 60) == .success)
  }

  @Test
  func `a content that waits is given up when its client leaves`() throws {
    let slots = ContentSlots(FreedMemory(), count: 1, memory: 4000)
    let first = Granted()
    slots.whenFree(for: HTTPCancellation(), Self.content) { slot in
      first.slots.withLock { $0 += slot.map { [$0] } ?? [] }
    }
    let client = HTTPCancellation()
    let content = Dropped()
    let isDropped = content.isDropped
    let isGiven = Granted()
    slots.whenFree(for: client, Self.content) { [content] slot in
      withExtendedLifetime(content) { isGiven.slots.withLock { $0 += slot.map { [$0] } ?? [] } }
    }
    _ = consume content
    client.cancel()
    #expect(isDropped.wait(timeout: .now() + 60) == .success)
    #expect(first.count == 1 && isGiven.count == 0)
  }

  @Test
  func `a request that waits for its turn is answered when its client leaves, so that its connection ends`()
    throws
  {
    var options = KindredService.Options()
    options.isWritable = true
    options.contents = ContentMemory(2 << 20)
    let database = try TestDatabase(
      "CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)", options: options)
    let content = Array(#"{"name":"\#(String(repeating: "x", count: 600_000))"}"#.utf8)
    func later(_ client: HTTPCancellation) throws -> HTTPAnswer {
      let request = HTTPRequest(
        method: .post, target: "/authors", headers: ["Content-Type": "application/json"], body: content,
        cancellation: client)
      guard case .receive(_, let answer) = database.service.consider(request),
        case .later(let response) = answer(request)
      else { throw NotPending() }
      return .later(response)
    }
    // The first has the memory of all until it is answered.
    let first = try later(HTTPCancellation())
    let client = HTTPCancellation()
    let second = try later(client)
    client.cancel()
    #expect(second.wait().status.code == 503)
    #expect(first.wait().status.code == 201)
  }

  private struct NotPending: Error {}

  @Test
  func `a content whose records take too much memory is 400 and says how to send them`() throws {
    let database = try TestDatabase.writable("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
    let content = "[" + Array(repeating: "{}", count: 200_000).joined(separator: ",") + "]"
    let response = try database.send(.post, "/authors", content)
    #expect(response.status == 400)
    #expect(response.text.contains("one in each line as application/x-ndjson"))
  }

  @Test
  func `reading a content stops when its client leaves`() throws {
    let database = try TestDatabase.writable("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
    let cancellation = HTTPCancellation()
    cancellation.cancel()
    let content = "[" + Array(repeating: #"{"name":"x"}"#, count: 1000).joined(separator: ",") + "]"
    let response = database.service.respond(
      to: HTTPRequest(
        method: .post, target: "/authors", headers: ["Content-Type": "application/json"],
        body: Array(content.utf8), cancellation: cancellation))
    #expect(response.status.code == 503)
  }

  @Test
  func `the records of all parts of a batch are bounded together`() throws {
    let database = try TestDatabase.writable("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
    let records = "[" + Array(repeating: "{}", count: 40_000).joined(separator: ",") + "]"
    func batch(_ count: Int) -> String {
      let part = #"{"method":"POST","url":"/authors","body":\#(records)}"#
      return "[" + Array(repeating: part, count: count).joined(separator: ",") + "]"
    }
    let headers: HTTPHeaders = ["Prefer": "tx=rollback, return=minimal"]
    let response = try database.send(.post, "/-/batch", batch(3), headers: headers)
    #expect(response.status == 400)
    #expect(response.text.contains("the records of the content take too much memory"))
    #expect(response.text.contains("#/2"))
  }

  @Test(arguments: [
    (#"[{"name":"a"},{"nope":1},{"name":"b"]"#, 400, "malformed-json"),
    (#"[{"name":"a"},{"nope":1},{"name":"b"}]"#, 422, "#/1/nope"), ("[] []", 400, "malformed-json"),
    ("\u{FEFF}[{}]", 201, "null"),
  ])
  func `an array is read record by record, and what is no JSON goes before what the table refuses`(
    content: String, status: Int, part: String
  ) throws {
    let database = try TestDatabase.writable("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)")
    let response = try database.send(.post, "/authors", content)
    #expect(response.status == status)
    #expect(response.text.contains(part), "\(response.text)")
  }
}
