import Dispatch
import Synchronization

/// What a handler makes of a request: a response, or the promise of one.
public enum HTTPAnswer {
  /// The response is there.
  case now(HTTPResponse)
  /// The response comes later; until then the request costs no thread.
  case later(HTTPPendingResponse)

  /// The response, for callers that can wait for it.
  public consuming func wait() -> HTTPResponse {
    switch self {
    case .now(let response): response
    case .later(let pending): pending.wait()
    }
  }
}

/// A response that some other thread will give.
public final class HTTPPendingResponse: Sendable {
  private struct State: @unchecked Sendable {
    // A response belongs to one thread at a time: the one that fulfils hands it over, and `take` gives it out once.
    var answer: (@Sendable () -> HTTPAnswer)?
    var response: HTTPResponse?
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// A response that isn't there yet.
  public init() {}

  /// Gives the response; to be called once, on any thread.
  public func fulfil(_ response: consuming sending HTTPResponse) {
    give(State(response: response))
  }

  /// Has the answer made by the threads that serve requests, in place of `fulfil`; to be called once, on any thread.
  public func resume(_ answer: @escaping @Sendable () -> HTTPAnswer) {
    give(State(answer: answer))
  }

  private func give(_ given: State) {
    let wake = state.withLock { state in
      defer { state = given }
      return state.wake
    }
    wake?()
  }

  /// The answer where it can be had; otherwise `wake` is called when it can, on the thread that gives it.
  func take(orWake wake: @escaping @Sendable () -> Void) -> HTTPAnswer? {
    let taken = state.withLock { state -> State in
      let taken = state
      let isThere = state.response != nil || state.answer != nil
      state = State(wake: isThere ? nil : wake)
      return taken
    }
    if let response = taken.response { return .now(response) }
    return taken.answer?()
  }

  fileprivate func wait() -> HTTPResponse {
    let semaphore = DispatchSemaphore(value: 0)
    while true {
      if let answer = take(orWake: { semaphore.signal() }) { return answer.wait() }
      semaphore.wait()
    }
  }
}
