extension ValueObservation {
  /// Returns the values as an asynchronous sequence, which ends when the consuming task is cancelled, or by
  /// throwing the error of a fetch that fails.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    in reader: some DatabaseReader,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation {
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
  }

  /// Returns the values as an asynchronous sequence, to which they are added on a queue.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: The queue on which values are added, in order if it is a serial one.
  ///   - bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationQueueScheduler,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy) {
      start(in: reader, scheduling: scheduler, onError: $0, onChange: $1)
    }
  }

  /// Returns the values as an asynchronous sequence, to which they are added on the main queue.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: When the first value is fetched and added.
  ///   - bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationMainActorScheduler,
    bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Reducer.Value> {
    AsyncValueObservation(bufferingPolicy) {
      start(in: reader, scheduling: scheduler, onError: $0, onChange: $1)
    }
  }
}
