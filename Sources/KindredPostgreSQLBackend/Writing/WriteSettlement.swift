import KindredBackend
import KindredPostgreSQL
import Synchronization

/// Tells the result of a write, once, although a COMMIT may outlast the time of its request.
final class WriteSettlement<Value: Sendable>: Sendable {
  typealias Completion = @Sendable (Result<Value, any Error>, Position?) -> Void

  /// What is called with the result; nil once it has been.
  private let completion: Mutex<Completion?>
  private let whenOutcomeIsKnown: (@Sendable () -> Void)?

  /// - Parameter whenOutcomeIsKnown: Called when the write ends, if its outcome was open before.
  init(_ completion: @escaping Completion, whenOutcomeIsKnown: (@Sendable () -> Void)?) {
    self.completion = Mutex(completion)
    self.whenOutcomeIsKnown = whenOutcomeIsKnown
  }

  /// Answers the request although the COMMIT is still awaited.
  func leaveOpen() {
    take()?(
      .failure(
        PostgreSQLError.unknownOutcome("the server has not responded to COMMIT in time", isOpen: true)), nil)
  }

  /// Notes the end of the write.
  func settle(_ result: Result<Value, any Error>, _ position: Position?) {
    if let completion = take() {
      completion(result, position)
    } else {
      whenOutcomeIsKnown?()
    }
  }

  private func take() -> Completion? {
    completion.withLock { completion in
      defer { completion = nil }
      return completion
    }
  }
}
