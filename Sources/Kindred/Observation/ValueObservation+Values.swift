/// The values of an observation as an asynchronous sequence.
public typealias AsyncValueObservation<Element> = AsyncThrowingStream<Element, any Error>

extension ValueObservation {
  /// Returns the values as an asynchronous sequence, which ends when the consuming task is cancelled, or by
  /// throwing the error of a fetch that fails.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    in reader: some DatabaseReader,
    bufferingPolicy: AsyncThrowingStream<Reducer.Value, any Error>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncThrowingStream<Reducer.Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: bufferingPolicy) { continuation in
      let task = ObservationTask(self, in: reader) { _, event in
        event.send({ continuation.yield($0) }, { continuation.finish(throwing: $0) })
      }
      // Set before the observation starts: a handler that is set after termination is never called.
      continuation.onTermination = { _ in task.cancel() }
      // The first fetch may block, which this thread must not.
      task.startInBackground()
    }
  }

  /// Returns the values as an asynchronous sequence, to which they are added on a queue.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: The queue on which values are added, in order if it is a serial one.
  ///   - bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationQueueScheduler,
    bufferingPolicy: AsyncThrowingStream<Reducer.Value, any Error>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncThrowingStream<Reducer.Value, any Error> {
    AsyncThrowingStream(
      bufferingPolicy: bufferingPolicy,
      observing: { start(in: reader, scheduling: scheduler, onError: $0, onChange: $1) })
  }

  /// Returns the values as an asynchronous sequence, to which they are added on the main queue.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: When the first value is fetched and added.
  ///   - bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationMainActorScheduler,
    bufferingPolicy: AsyncThrowingStream<Reducer.Value, any Error>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncThrowingStream<Reducer.Value, any Error> {
    AsyncThrowingStream(
      bufferingPolicy: bufferingPolicy,
      observing: { start(in: reader, scheduling: scheduler, onError: $0, onChange: $1) })
  }
}

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
  /// Creates a stream of the values of an observation that `start` starts, until the stream ends.
  init(
    bufferingPolicy: Continuation.BufferingPolicy,
    observing start: (
      _ onError: @escaping @Sendable (any Error) -> Void, _ onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable
  ) {
    self.init(bufferingPolicy: bufferingPolicy) { continuation in
      let token = start({ continuation.finish(throwing: $0) }, { continuation.yield($0) })
      continuation.onTermination = { _ in token.cancel() }
    }
  }
}
