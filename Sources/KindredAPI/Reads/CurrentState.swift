import Dispatch
import KindredBackend
import Synchronization

/// The current state of a database that has to be asked for it: requests that wait at the same time share a question that
/// began after they arrived, and wait without a thread.
final class CurrentState: Sendable {
  /// A state, and how far the changes have come that it shows.
  struct Answer {
    /// Nil if it is unknown.
    let number: Int64?
    let position: Position?
  }

  /// Thrown by a request that has to know the state of a database before it can go on.
  struct Wanted: Error {
    /// The number of the database.
    let database: Int
  }

  private struct State {
    var isAsking = false
    /// The requests that wait for the next question.
    var waiting: [@Sendable (Answer) -> Void] = []
  }

  private let backend: any Backend
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "kindred.state")
  private let latest = Atomic<Int64>(.min)

  init(of backend: any Backend) { self.backend = backend }

  /// Whether a response that showed a state may still be current; without a question, this is known only of older ones.
  func mayBe(_ number: Int64) -> Bool { number >= latest.load(ordering: .relaxed) }

  /// Notes a state that the database has reached.
  func note(_ number: Int64) { _ = latest.max(number, ordering: .relaxed) }

  /// Asks for the state, and returns the answer; nil if another question is under way, after which `body` is called with
  /// the answer to the next one, on another thread.
  func ask(orLater body: @escaping @Sendable (Answer) -> Void) -> Answer? {
    let isFirst = state.withLock { state in
      if state.isAsking { state.waiting.append(body) }
      defer { state.isAsking = true }
      return !state.isAsking
    }
    guard isFirst else { return nil }
    let answer = answer()
    let hasMore = state.withLock { state in
      state.isAsking = !state.waiting.isEmpty
      return state.isAsking
    }
    if hasMore { queue.async { self.askForOthers() } }
    return answer
  }

  /// Asks for those who wait until nobody does.
  private func askForOthers() {
    while true {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        state.isAsking = !state.waiting.isEmpty
        return state.waiting
      }
      if waiting.isEmpty { return }
      let answer = answer()
      for body in waiting { body(answer) }
    }
  }

  private func answer() -> Answer {
    let answer = Answer(number: backend.stateNumber, position: backend.lastPosition)
    if let number = answer.number { note(number) }
    return answer
  }
}
