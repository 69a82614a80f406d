import KindredOutput
import Synchronization

/// How often a plan was found, and how often not, since the service began.
final class PlanCounts: Sendable {
  struct Snapshot {
    var hits: Int
    var misses: Int
  }

  private let hits = Atomic(0)
  private let misses = Atomic(0)

  func add(isHit: Bool) {
    if isHit {
      hits.wrappingAdd(1, ordering: .relaxed)
    } else {
      misses.wrappingAdd(1, ordering: .relaxed)
    }
  }

  var snapshot: Snapshot {
    Snapshot(hits: hits.load(ordering: .relaxed), misses: misses.load(ordering: .relaxed))
  }
}

/// Plans by the shape of what was asked: requests that differ in their literals share one.
///
/// Their number is bounded, and so is their size: a plan may be as long as a request can make it.
final class PlanCache: Sendable {
  private struct Entry {
    var request: PlannedRequest
    var size: Int
    var lastUse: UInt64
  }

  private struct State {
    var entries: [RequestShape.Key: Entry] = [:]
    var uses: UInt64 = 0
    /// Of all entries.
    var size = 0

    mutating func request(for key: RequestShape.Key) -> PlannedRequest? {
      guard let index = entries.index(forKey: key) else { return nil }
      uses += 1
      entries.values[index].lastUse = uses
      return entries.values[index].request
    }

    /// Removes the half that was not used for longest: at once, so that this is rare.
    mutating func removeHalf() {
      let uses = entries.values.map(\.lastUse).sorted()
      let median = uses.isEmpty ? 0 : uses[uses.count / 2]
      entries = entries.filter { $0.value.lastUse > median }
      size = entries.values.reduce(0) { $0 + $1.size }
    }
  }

  private static let capacity = 1024
  /// Bytes of all entries.
  private static let maximumSize = 32 << 20
  private let state = Mutex(State())

  private let counts: PlanCounts

  init(_ counts: PlanCounts) {
    self.counts = counts
  }

  /// The request with its plan, made where no request of its shape has one that fits.
  ///
  /// - Parameter cursors: reads the cursor of the request.
  func request(
    for shape: RequestShape, _ cursors: CursorCoding, _ make: () throws -> PlannedRequest
  ) throws -> PlannedRequest {
    let found = found(for: shape, cursors)
    counts.add(isHit: found != nil)
    if let found { return found }
    let made = try make()
    // The literals that the shape found must be those that the parser found, in the same order.
    let isShared =
      shape.isShareable && !made.readsLiterals && shape.literals == made.parameters.literals
    add(made, for: isShared ? shape.key : shape.wholeKey)
    return made
  }

  /// The request of this name with its plan, made where there is none.
  func request(named name: String, _ make: () throws -> PlannedRequest) throws -> PlannedRequest {
    let key = RequestShape.key(of: name)
    let found = state.withLock { $0.request(for: key) }
    counts.add(isHit: found != nil)
    if let found { return found }
    let made = try make()
    add(made, for: key)
    return made
  }

  private func add(_ made: PlannedRequest, for key: RequestShape.Key) {
    let size = made.size + key.size
    // One that would drive out many others is rather made again.
    guard size <= Self.maximumSize / 8 else { return }
    state.withLock { state in
      while state.entries.count >= Self.capacity || state.size + size > Self.maximumSize {
        state.removeHalf()
      }
      state.uses += 1
      state.size += size - (state.entries[key]?.size ?? 0)
      state.entries[key] = Entry(request: made, size: size, lastUse: state.uses)
    }
  }

  private func found(for shape: RequestShape, _ cursors: CursorCoding) -> PlannedRequest? {
    if shape.isShareable, let shared = state.withLock({ $0.request(for: shape.key) }),
      let request = shape.applied(to: shared, cursors)
    {
      return request
    }
    return state.withLock { $0.request(for: shape.wholeKey) }
  }
}
