import KindredPooling
import Synchronization
import Testing

@Suite("Slots")
struct SlotQueueTests {
  /// The numbers of granted requests, in order.
  private final class Grants: Sendable {
    private let state = Mutex<[UInt64]>([])
    var numbers: [UInt64] { state.withLock { $0 } }
    func add(_ number: UInt64) { state.withLock { $0.append(number) } }
  }

  private let grants = Grants()

  @Test
  func `are granted in the order of the requests`() {
    var queue = SlotQueue(count: 1)
    let first = queue.enqueue(grants.add)
    let claimsFirst = queue.claim(first.number)
    #expect(first.isGranted && claimsFirst)
    let second = queue.enqueue(grants.add)
    let third = queue.enqueue(grants.add)
    #expect(!second.isGranted && !third.isGranted)
    let takes = queue.takeIfFree()
    #expect(!takes, "others wait")
    #expect(queue.waiting == 2 && queue.waits == 2)
    queue.release()?()
    #expect(grants.numbers == [second.number])
    let claims = [third, second, second].map { queue.claim($0.number) }
    #expect(claims == [false, true, false], "a slot is claimed once, by whom it was granted to")
    queue.release()?()
    #expect(grants.numbers == [second.number, third.number])
    #expect(queue.taken == 1)
  }

  @Test
  func `that are not wanted any more go to the next request`() {
    var queue = SlotQueue(count: 1)
    let takes = queue.takeIfFree()
    #expect(takes)
    let first = queue.enqueue(grants.add)
    let second = queue.enqueue(grants.add)
    let third = queue.enqueue(grants.add)
    queue.withdraw(first.number, isOverdue: true)?()
    #expect(grants.numbers.isEmpty && queue.timeouts == 1)
    queue.release()?()
    #expect(grants.numbers == [second.number])
    queue.withdraw(second.number, isOverdue: false)?()
    #expect(grants.numbers == [second.number, third.number])
    let claims = queue.claim(third.number)
    #expect(claims)
    queue.withdraw(third.number, isOverdue: false)?()
    #expect(queue.taken == 1, "it has been claimed")
    #expect(queue.timeouts == 1, "who has gone has not waited for too long")
    let next = queue.release()
    #expect(next == nil && queue.taken == 0)
  }

  @Test
  func `are granted to all when the queue is closed`() {
    var queue = SlotQueue(count: 1)
    let takes = queue.takeIfFree()
    #expect(takes)
    let first = queue.enqueue(grants.add)
    let second = queue.enqueue(grants.add)
    queue.close()()
    #expect(grants.numbers == [first.number, second.number])
    let isFree = queue.takeIfFree()
    let third = queue.enqueue(grants.add)
    #expect(queue.isClosed && isFree && third.isGranted)
  }

  @Test
  func `long work waits for a place, and short requests pass it`() {
    var queue = SlotQueue(count: 2, longCount: 1)
    let first = queue.enqueue(isLong: true, grants.add)
    let second = queue.enqueue(isLong: true, grants.add)
    #expect(first.isGranted && !second.isGranted && queue.isLong(first.number))
    let claims = queue.claim(first.number)
    let takesPlace = queue.takeLong()
    #expect(claims && !takesPlace)
    let passes = queue.takeIfFree()
    #expect(passes, "there is a slot, but no place")
    queue.releaseLong()?()
    #expect(grants.numbers.isEmpty, "there is a place, but no slot")
    let overtakes = queue.takeLong()
    #expect(!overtakes, "another one waits for it")
    queue.release()?()
    #expect(grants.numbers == [second.number])
    queue.withdraw(second.number, isOverdue: false)?()
    #expect(queue.longTaken == 0 && queue.taken == 1)
    let takesFreePlace = queue.takeLong()
    #expect(takesFreePlace)
  }
}
