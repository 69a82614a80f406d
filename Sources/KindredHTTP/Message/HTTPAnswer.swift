import Dispatch
import Synchronization

/// A handler's answer to a request: a response now, or later.
public enum HTTPAnswer {
  /// The response is ready.
  case now(HTTPResponse)
  /// The response comes later; until then the request occupies no thread.
  case later(HTTPPendingResponse)

  /// Blocks until the response is ready, and returns it.
  public consuming func wait() -> HTTPResponse {
    switch self {
    case .now(let response): response
    case .later(let pending): pending.wait()
    }
  }
}

/// A response that another thread will deliver.
public final class HTTPPendingResponse: Sendable {
  private struct State {
    var answer: (@Sendable () -> HTTPAnswer)?
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Creates a pending response.
  public init() {}

  /// Delivers a closure that makes the answer, which runs on a thread that serves requests.
  ///
  /// Call this once, on any thread.
  public func resume(_ answer: @escaping @Sendable () -> HTTPAnswer) {
    let wake = state.withLock { state in
      defer { state = State(answer: answer) }
      return state.wake
    }
    wake?()
  }

  /// Returns the answer if it is ready; otherwise `wake` is called once it is, on the thread that delivers it.
  func take(orWake wake: @escaping @Sendable () -> Void) -> HTTPAnswer? {
    let answer = state.withLock { state in
      defer { state = State(wake: state.answer == nil ? wake : nil) }
      return state.answer
    }
    return answer?()
  }

  /// Returns a response that will be made of this one, on a thread that serves requests.
  ///
  /// Nobody else may take this one.
  public func map(_ transform: @escaping @Sendable (HTTPResponse) -> HTTPResponse) -> HTTPPendingResponse {
    let mapped = HTTPPendingResponse()
    whenReady { [self] in
      mapped.resume { [self] in
        switch take(orWake: {}) {
        case .now(let response): .now(transform(response))
        case .later(let pending): .later(pending.map(transform))
        case nil: .later(map(transform))
        }
      }
    }
    return mapped
  }

  /// Calls `wake` once the answer is ready.
  private func whenReady(_ wake: @escaping @Sendable () -> Void) {
    let isReady = state.withLock { state in
      if state.answer == nil { state.wake = wake }
      return state.answer != nil
    }
    if isReady { wake() }
  }

  fileprivate func wait() -> HTTPResponse {
    let semaphore = DispatchSemaphore(value: 0)
    while true {
      if let answer = take(orWake: { semaphore.signal() }) { return answer.wait() }
      semaphore.wait()
    }
  }
}
