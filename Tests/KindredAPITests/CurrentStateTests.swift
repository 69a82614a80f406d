import Dispatch
import Synchronization
import Testing

@testable import KindredAPI

@Suite("The current state of a database that has to be asked for it")
struct CurrentStateTests {
  @Test
  func `those who wait for a question that takes too long go on without the state`() {
    let (begun, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let state = CurrentState {
      begun.signal()
      isReleased.wait()
      return CurrentState.Answer(number: 7, position: nil)
    }
    let first = DispatchSemaphore(value: 0)
    Thread { number in
      if number == 7 { first.signal() }
    }.ask(state)
    begun.wait()
    let late = DispatchSemaphore(value: 0)
    let answer = state.ask { if $0.number == nil { late.signal() } }
    // Nothing has released the question.
    #expect(answer == nil || answer?.number == nil)
    if answer == nil { late.wait() }
    isReleased.signal()
    first.wait()
    #expect(state.mayBe(7) && !state.mayBe(6))
  }

  /// Queries the state on a separate thread.
  private struct Thread {
    let body: @Sendable (Int64?) -> Void

    func ask(_ state: CurrentState) {
      DispatchQueue(label: "test").async { body(state.ask { _ in }?.number) }
    }
  }

  @Test
  func `asking that was in vain is tried only now and then, until it pays off again`() {
    let state = CurrentState { CurrentState.Answer(number: 1, position: nil) }
    #expect(state.shouldAsk())
    for _ in 1...10 { state.note(wasCurrent: false) }
    #expect((1...320).count { _ in state.shouldAsk() } == 10)
    for _ in 1...40 { state.note(wasCurrent: true) }
    #expect((1...320).allSatisfy { _ in state.shouldAsk() })
  }
}
