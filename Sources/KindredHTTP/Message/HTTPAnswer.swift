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
    var response: HTTPResponse?
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// A response that isn't there yet.
  public init() {}

  /// Gives the response; to be called once, on any thread.
  public func fulfil(_ response: consuming sending HTTPResponse) {
    let given = State(response: response)
    let wake = state.withLock { state in
      defer { state = given }
      return state.wake
    }
    wake?()
  }

  /// The response where it is there; otherwise `wake` is called when it is, on the thread that gives it.
  func take(orWake wake: @escaping @Sendable () -> Void) -> HTTPResponse? {
    let taken = state.withLock { state -> State in
      defer { state = State(wake: state.response == nil ? wake : nil) }
      return State(response: state.response)
    }
    return taken.response
  }

  fileprivate func wait() -> HTTPResponse {
    let semaphore = DispatchSemaphore(value: 0)
    while true {
      if let response = take(orWake: { semaphore.signal() }) { return response }
      semaphore.wait()
    }
  }
}
