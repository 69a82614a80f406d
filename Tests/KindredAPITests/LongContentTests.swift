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

  @Test
  func `as many contents are read at once as there are slots, and the next one follows each`() {
    let slots = ContentSlots(FreedMemory(), count: 2)
    let granted = Granted()
    for _ in 0..<5 {
      slots.whenFree(for: HTTPCancellation()) { slot in granted.slots.withLock { $0.append(slot) } }
    }
    #expect(granted.count == 2)
    granted.slots.withLock { $0[0] }.release()
    #expect(granted.count == 3)
    // A second release of the same slot admits no request.
    granted.slots.withLock { $0[0] }.release()
    #expect(granted.count == 3)
    granted.slots.withLock { Array($0[1...2]) }.forEach { $0.release() }
    #expect(granted.count == 5)
  }

  @Test
  func `the slot of a request whose client has left is free again`() {
    let slots = ContentSlots(FreedMemory(), count: 1)
    slots.whenFree(for: HTTPCancellation()) { _ in }
    let isGranted = DispatchSemaphore(value: 0)
    slots.whenFree(for: HTTPCancellation()) { _ in isGranted.signal() }
    #expect(isGranted.wait(timeout: .now() + 60) == .success)
  }

  @Test
  func `a content that waits is given up when its client leaves`() throws {
    let slots = ContentSlots(FreedMemory(), count: 1)
    let first = Granted()
    slots.whenFree(for: HTTPCancellation()) { slot in first.slots.withLock { $0.append(slot) } }
    let client = HTTPCancellation()
    let content = Dropped()
    let isDropped = content.isDropped
    slots.whenFree(for: client) { [content] _ in Issue.record("\(content) has its turn") }
    _ = consume content
    client.cancel()
    #expect(isDropped.wait(timeout: .now() + 60) == .success)
    #expect(first.count == 1)
  }

  @Test
  func `contents that wait are kept up to a sum, and what has been written makes room`() {
    let contents = HeldContents(FreedMemory())
    var held = (0..<4).map { _ in contents.hold(8 << 20) }
    #expect(held.map(\.isKept) == [true, true, true, true])
    #expect(!contents.hold(8 << 20).isKept)
    #expect(contents.hold(1000).isKept)
    held.removeLast()
    #expect(contents.hold(8 << 20).isKept)
  }

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
}
