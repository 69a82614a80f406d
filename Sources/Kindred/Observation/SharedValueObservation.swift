import Dispatch
import Synchronization

/// An observation whose fetches and values are shared by all of its subscribers.
///
///     let shared = ValueObservation.tracking { db in try Player.fetchAll(db) }.shared(in: dbQueue)
///     let cancellable = shared.start(onError: { … }, onChange: { players in … })
public final class SharedValueObservation<Element: Sendable>: Sendable {
  private struct State {
    var subscribers: [Int: ObservationSubscriber<Element>] = [:]
    var next = 0
    var last: Element?
    /// The number of the run, so that what a cancelled one still notifies is ignored.
    var run = 0
    var cancellable: AnyDatabaseCancellable?
  }

  /// What an event removes from the state, to be released outside the lock: values and closures are the program's, and
  /// what they own may use the observation.
  private struct Ended {
    var last: Element?
    var cancellable: AnyDatabaseCancellable?
  }

  typealias Start =
    @Sendable (
      _ onError: @escaping @Sendable (any Error) -> Void, _ onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable

  private let extent: SharedValueObservationExtent
  /// Calls a closure where the observation notifies its values.
  private let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let begin: Start
  private let state = Mutex(State())

  init(
    extent: SharedValueObservationExtent,
    perform: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    begin: @escaping Start
  ) {
    (self.extent, self.perform, self.begin) = (extent, perform, begin)
  }

  /// Subscribes to the values, until the returned token is deallocated or cancelled.
  ///
  /// The first subscriber starts the observation; a later one is notified of the last value at once, on this thread.
  /// Each receives its values one after the other, in their order.
  ///
  /// - Parameters:
  ///   - onError: Receives the error that ends the observation; the next subscriber starts it again.
  ///   - onChange: Receives the values.
  public func start(
    onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
  ) -> AnyDatabaseCancellable {
    let subscriber = ObservationSubscriber(onError: onError, onChange: onChange)
    let (number, run, last, isFirst) = state.withLock { state in
      let number = state.next
      state.next += 1
      state.subscribers[number] = subscriber
      // Under the lock, so that it comes before any later value.
      if let last = state.last { subscriber.enqueue(.success(last)) }
      let isFirst = state.cancellable == nil && state.subscribers.count == 1
      if isFirst { state.run += 1 }
      return (number, state.run, state.last, isFirst)
    }
    // A later value that has arrived meanwhile is notified where all are.
    if last != nil, subscriber.deliver(atMost: 1) { perform { _ = subscriber.deliver() } }
    if isFirst, last == nil || extent == .whileObserved {
      // Outside the lock: the first value may be notified before the observation has started.
      let cancellable = begin(
        { [weak self] in self?.notify(.failure($0), run) }, { [weak self] in self?.notify(.success($0), run) }
      )
      state.withLock { if $0.run == run { $0.cancellable = cancellable } }
    }
    // The subscription keeps the observation.
    return AnyDatabaseCancellable { self.unsubscribe(number) }
  }

  /// Returns the values as an asynchronous sequence, which ends when the consuming task is cancelled, or by throwing
  /// the error that ends the observation.
  ///
  /// - Parameter bufferingPolicy: The values that are kept for a slow consumer; all by default.
  public func values(
    bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .unbounded
  ) -> AsyncValueObservation<Element> {
    AsyncValueObservation(bufferingPolicy) { self.start(onError: $0, onChange: $1) }
  }

  /// Passes an event of a run to all subscribers, in the order in which they have subscribed; an error ends the run.
  private func notify(_ event: Result<Element, any Error>, _ run: Int) {
    let (subscribers, ended) = state.withLock { state -> ([ObservationSubscriber<Element>], Ended) in
      guard state.run == run else { return ([], Ended()) }
      let subscribers = state.subscribers.sorted { $0.key < $1.key }.map(\.value)
      for subscriber in subscribers { subscriber.enqueue(event) }
      var ended = Ended(last: state.last)
      switch event {
      case .success(let value): state.last = value
      case .failure:
        ended.cancellable = state.cancellable
        (state.subscribers, state.last, state.cancellable) = ([:], nil, nil)
        state.run += 1
      }
      return (subscribers, ended)
    }
    for subscriber in subscribers { _ = subscriber.deliver() }
    withExtendedLifetime(ended) {}
  }

  private func unsubscribe(_ number: Int) {
    let (subscriber, ended) = state.withLock { state -> (ObservationSubscriber<Element>?, Ended) in
      guard let subscriber = state.subscribers.removeValue(forKey: number) else { return (nil, Ended()) }
      guard state.subscribers.isEmpty, extent == .whileObserved else { return (subscriber, Ended()) }
      defer { (state.last, state.cancellable) = (nil, nil) }
      state.run += 1
      return (subscriber, Ended(last: state.last, cancellable: state.cancellable))
    }
    subscriber?.cancel()
    ended.cancellable?.cancel()
  }
}

/// How long a shared observation runs.
public enum SharedValueObservationExtent: Sendable, CaseIterable {
  /// From the first subscription, as long as the observation is referred to.
  case observationLifetime
  /// As long as there are subscribers.
  case whileObserved
}

extension ValueObservation {
  /// Returns the observation with fetches and values that all of its subscribers share, notified on the main queue.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: When the first value is fetched and notified.
  ///   - extent: How long it runs.
  public func shared(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationMainActorScheduler = .mainActor,
    extent: SharedValueObservationExtent = .whileObserved
  ) -> SharedValueObservation<Reducer.Value> {
    SharedValueObservation(extent: extent) {
      DispatchQueue.main.async(execute: $0)
    } begin: { onError, onChange in
      self.start(in: reader, scheduling: scheduler, onError: { onError($0) }, onChange: { onChange($0) })
    }
  }

  /// Returns the observation with fetches and values that all of its subscribers share.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: The queue on which values are notified.
  ///   - extent: How long it runs.
  public func shared(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationQueueScheduler,
    extent: SharedValueObservationExtent = .whileObserved
  ) -> SharedValueObservation<Reducer.Value> {
    SharedValueObservation(extent: extent) {
      scheduler.queue.async(execute: $0)
    } begin: { onError, onChange in
      self.start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
    }
  }
}
