/// The values of an observation as an asynchronous sequence.
///
/// Each iteration starts an observation, which ends when the consuming task is cancelled or the iterator is released. So
/// a sequence can be kept, and iterated again.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
  /// The values that are kept for a slow consumer.
  public typealias BufferingPolicy = AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

  /// The values of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var values: AsyncThrowingStream<Element, any Error>.AsyncIterator

    fileprivate init(_ values: AsyncThrowingStream<Element, any Error>) {
      self.values = values.makeAsyncIterator()
    }

    /// Returns the next value; nil when the consuming task has been cancelled.
    ///
    /// - Throws: The error that ends the observation.
    public mutating func next() async throws -> Element? { try await values.next() }
  }

  private let start: @Sendable () -> AsyncThrowingStream<Element, any Error>

  /// Creates a sequence, each of whose iterations reads a stream that `start` returns.
  package init(_ start: @escaping @Sendable () -> AsyncThrowingStream<Element, any Error>) {
    self.start = start
  }

  /// Creates a sequence, each of whose iterations reads the values of an observation that `start` starts.
  init(
    _ policy: BufferingPolicy,
    observing start:
      @escaping @Sendable (
        _ onError: @escaping @Sendable (any Error) -> Void, _ onChange: @escaping @Sendable (Element) -> Void
      ) -> AnyDatabaseCancellable
  ) {
    self.init {
      AsyncThrowingStream(bufferingPolicy: policy) { continuation in
        let token = start({ continuation.finish(throwing: $0) }, { continuation.yield($0) })
        continuation.onTermination = { _ in token.cancel() }
      }
    }
  }

  /// Starts an observation, and returns the iterator of its values.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start()) }
}
