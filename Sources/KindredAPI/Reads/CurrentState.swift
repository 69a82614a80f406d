import Dispatch
import KindredBackend
import KindredClock
import Synchronization

/// The current state of a database that has to be queried for it: requests that wait at the same time share a query
/// that began after they arrived, and wait without a thread.
final class CurrentState: Sendable {
  /// A state, and how far the changes have come that it shows, or a later position.
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
    /// When the question under way began, in nanoseconds of `MonotonicTime`; nil if there is none.
    var askedSince: UInt64?
    /// The requests that wait for the question under way, and for the next one.
    var asking: [@Sendable (Answer) -> Void] = []
    var waiting: [@Sendable (Answer) -> Void] = []
    /// Whether the timer runs that ends their patience.
    var isTimed = false
  }

  /// Asks the database, which takes a round trip.
  private let answer: @Sendable () -> Answer
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "kindred.state")
  private let timer = DispatchQueue(label: "kindred.state.timer")
  private let latest = Atomic<Int64>(.min)
  /// How often, of late, asking has saved a reading, less how often it was in vain.
  private let score = Atomic(0)
  private let doubts = Atomic(0)

  /// How long a question may take before those who wait for it go on without the state, in nanoseconds: the records can
  /// as well be read.
  private static let patience: UInt64 = 100_000_000

  /// - Parameter answer: Asks the database; called by one thread at a time.
  init(_ answer: @escaping @Sendable () -> Answer) { self.answer = answer }

  init(of backend: any Backend) {
    answer = { Answer(number: backend.stateNumber, position: backend.lastPosition) }
  }

  /// Returns false if a later state has been seen, so that a response that showed this one is outdated.
  func mayBe(_ number: Int64) -> Bool { number >= latest.load(ordering: .relaxed) }

  /// Notes a state that the database has reached.
  func note(_ number: Int64) { _ = latest.max(number, ordering: .relaxed) }

  /// Notes whether the last response was current in a queried state.
  func note(wasCurrent: Bool) {
    let score = score.load(ordering: .relaxed)
    self.score.store(wasCurrent ? min(score + 1, 64) : max(score - 4, -64), ordering: .relaxed)
  }

  /// Returns whether to ask, because it is likely to save a reading: where others commit all the time, one request in 32
  /// tries it.
  func shouldAsk() -> Bool {
    score.load(ordering: .relaxed) >= 0 || doubts.add(1, ordering: .relaxed).newValue % 32 == 0
  }

  /// Asks for the state, and returns the answer, on this thread.
  ///
  /// If another question is under way, returns nil, and calls `body` later, on another thread, with the answer to the next
  /// one. That has no number if it takes too long.
  func ask(orLater body: @escaping @Sendable (Answer) -> Void) -> Answer? {
    let now = MonotonicTime.now()
    enum Turn { case first, later, never }
    let (turn, startsTimer) = state.withLock { state -> (Turn, Bool) in
      guard let since = state.askedSince else {
        state.askedSince = now
        return (.first, false)
      }
      guard now < since + Self.patience else { return (.never, false) }
      state.waiting.append(body)
      defer { state.isTimed = true }
      return (.later, !state.isTimed)
    }
    if startsTimer { startTimer() }
    switch turn {
    case .later: return nil
    case .never: return Answer(number: nil, position: nil)
    case .first: break
    }
    let answer = noted()
    let hasMore = state.withLock { state in
      if state.waiting.isEmpty { state.askedSince = nil }
      return state.askedSince != nil
    }
    if hasMore { queue.async { self.askForOthers() } }
    return answer
  }

  /// Queries the state for waiting requests until none waits.
  private func askForOthers() {
    while true {
      let isDone = state.withLock { state in
        (state.asking, state.waiting) = (state.waiting, [])
        state.askedSince = state.asking.isEmpty ? nil : MonotonicTime.now()
        return state.asking.isEmpty
      }
      if isDone { return }
      let answer = noted()
      let asking = state.withLock { state in
        defer { state.asking = [] }
        return state.asking
      }
      for body in asking { body(answer) }
    }
  }

  private func startTimer() {
    timer.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.patience))) { self.endPatience() }
  }

  /// Lets those who wait go on without the state if the question under way takes too long.
  private func endPatience() {
    let now = MonotonicTime.now()
    let late = state.withLock { state -> [@Sendable (Answer) -> Void]? in
      guard let since = state.askedSince else {
        state.isTimed = false
        return nil
      }
      guard now >= since + Self.patience else { return [] }
      defer { (state.asking, state.waiting) = ([], []) }
      return state.asking + state.waiting
    }
    guard let late else { return }
    for body in late { body(Answer(number: nil, position: nil)) }
    startTimer()
  }

  private func noted() -> Answer {
    let answer = answer()
    if let number = answer.number { note(number) }
    return answer
  }
}
