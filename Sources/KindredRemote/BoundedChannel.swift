import Synchronization

/// Elements on their way from one producer to one consumer, which hold the producer up while they are too long.
final class BoundedChannel<Element: Sendable>: Sendable {
  private struct Batch {
    let elements: [Element]
    /// The length of the elements in bytes.
    let length: Int
    var next = 0
  }

  private struct State {
    var batches: [Batch] = []
    /// The number of batches at the beginning that have been taken.
    var taken = 0
    /// The length of all batches, of which the first may have been taken in part.
    var length = 0
    /// Why there are no more elements after those that wait; nil while there may be.
    var end: Result<Void, any Error>?
    /// Whether the consumer takes no more.
    var isClosed = false
    /// The consumer, which waits for an element.
    var consumer: CheckedContinuation<Element?, any Error>?
    /// The producer, which waits for room.
    var producer: CheckedContinuation<Void, Never>?
    /// Called once when there is room again, or no more is taken.
    var onRoom: (@Sendable () -> Void)?
  }

  private let limit: Int
  private let state = Mutex(State())

  /// Creates a channel.
  ///
  /// - Parameter limit: The length in bytes beyond which the producer waits.
  init(limit: Int) { self.limit = limit }

  // MARK: Producing

  /// Whether the elements that wait are shorter than the limit, or no more are taken.
  var hasRoom: Bool { state.withLock { hasRoom($0) } }

  private func hasRoom(_ state: State) -> Bool { state.isClosed || state.length < limit }

  /// Appends elements of a length in bytes, and waits until there is room for more.
  ///
  /// - Throws: `CancellationError` if no more are taken.
  func send(_ elements: [Element], length: Int) async throws {
    put(elements, length: length)
    await withCheckedContinuation { producer in
      let isFree = state.withLock { state in
        guard !hasRoom(state) else { return true }
        state.producer = producer
        return false
      }
      if isFree { producer.resume() }
    }
    if state.withLock({ $0.isClosed }) { throw CancellationError() }
  }

  /// Appends elements of a length in bytes, whether there is room or not.
  func put(_ elements: [Element], length: Int) {
    guard !elements.isEmpty else { return }
    let consumer = state.withLock { state -> (CheckedContinuation<Element?, any Error>, Element)? in
      guard !state.isClosed, state.end == nil else { return nil }
      state.batches.append(Batch(elements: elements, length: length))
      state.length += length
      guard let consumer = state.consumer, let element = Self.take(&state) else { return nil }
      state.consumer = nil
      return (consumer, element)
    }
    consumer.map { $0.resume(returning: $1) }
  }

  /// Calls a closure as soon as there is room, or no more elements are taken.
  func whenRoom(_ body: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      guard !hasRoom(state) else { return true }
      state.onRoom = body
      return false
    }
    if isFree { body() }
  }

  /// Ends the elements, by an error if there is one.
  func finish(throwing error: (any Error)? = nil) {
    let consumer = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
      guard state.end == nil else { return nil }
      state.end = error.map { .failure($0) } ?? .success(())
      defer { state.consumer = nil }
      return state.consumer
    }
    if let error { consumer?.resume(throwing: error) } else { consumer?.resume(returning: nil) }
  }

  // MARK: Consuming

  /// Takes the next element, for which it waits if none is there; nil after the last one.
  ///
  /// - Throws: The error that ends the elements; `CancellationError` if the task is cancelled meanwhile.
  func next() async throws -> Element? {
    let (known, waiting) = state.withLock { state -> (Result<Element?, any Error>?, Waiting) in
      let outcome = Self.outcome(&state)
      return (outcome, waitingForRoom(&state))
    }
    waiting.resume()
    if let known { return try known.get() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { consumer in
        let outcome = state.withLock { state -> Result<Element?, any Error>? in
          if let outcome = Self.outcome(&state) { return outcome }
          if Task.isCancelled { return .failure(CancellationError()) }
          state.consumer = consumer
          return nil
        }
        if let outcome { consumer.resume(with: outcome) }
      }
    } onCancel: {
      let consumer = state.withLock { state in
        defer { state.consumer = nil }
        return state.consumer
      }
      consumer?.resume(throwing: CancellationError())
    }
  }

  /// Takes no more elements, for which the producer need not wait any longer.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      (state.batches, state.taken, state.length) = ([], 0, 0)
      return waitingForRoom(&state)
    }
    waiting.resume()
  }

  /// Who waits for room.
  private struct Waiting {
    let producer: CheckedContinuation<Void, Never>?
    let onRoom: (@Sendable () -> Void)?

    func resume() {
      producer?.resume()
      onRoom?()
    }
  }

  /// Takes those out of the state who no longer need to wait for room.
  private func waitingForRoom(_ state: inout State) -> Waiting {
    guard hasRoom(state) else { return Waiting(producer: nil, onRoom: nil) }
    defer { (state.producer, state.onRoom) = (nil, nil) }
    return Waiting(producer: state.producer, onRoom: state.onRoom)
  }

  private static func outcome(_ state: inout State) -> Result<Element?, any Error>? {
    if let element = take(&state) { return .success(element) }
    return state.end.map { end in end.map { nil } }
  }

  private static func take(_ state: inout State) -> Element? {
    guard state.taken < state.batches.count else { return nil }
    let batch = state.batches[state.taken]
    if batch.next + 1 == batch.elements.count {
      state.taken += 1
      // Half of them at once, so that the time for each stays the same.
      if state.taken * 2 >= state.batches.count {
        state.batches.removeFirst(state.taken)
        state.taken = 0
      }
      state.length -= batch.length
    } else {
      state.batches[state.taken].next += 1
    }
    return batch.elements[batch.next]
  }
}

extension BoundedChannel {
  /// Returns the elements as an asynchronous sequence.
  ///
  /// - Parameter onEnd: Called once nobody reads them any more.
  func elements(onEnd: @escaping @Sendable () -> Void) -> AsyncThrowingStream<Element, any Error> {
    let reader = Reader(channel: self, onEnd: onEnd)
    return AsyncThrowingStream { try await reader.channel.next() }
  }

  /// Ends the reading of a channel with its own life.
  private final class Reader: Sendable {
    let channel: BoundedChannel
    private let onEnd: @Sendable () -> Void

    init(channel: BoundedChannel, onEnd: @escaping @Sendable () -> Void) {
      (self.channel, self.onEnd) = (channel, onEnd)
    }

    deinit {
      channel.close()
      onEnd()
    }
  }
}
