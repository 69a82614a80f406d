import KindredOutput
import KindredRequests
import KindredSQLSyntax
import Synchronization

/// The hits and misses of all plan caches since the service was started.
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

/// Caches the plans of all views of a model by the shape of requests: requests that differ only in their literals share
/// one.
///
/// Both their number and their total size are bounded for all views together, because requests can make long plans, and
/// clients can have many sets of roles.
final class PlanCache: Sendable {
  private struct Entry {
    var request: PlannedRequest
    var size: Int
    var lastUse: UInt64
  }

  private struct State {
    var entries: [PlanKey: Entry] = [:]
    var uses: UInt64 = 0
    /// The number of views that have been added.
    var views = 0
    /// The size of all entries in bytes.
    var size = 0

    mutating func request(for key: PlanKey) -> PlannedRequest? {
      guard let index = entries.index(forKey: key) else { return nil }
      uses += 1
      entries.values[index].lastUse = uses
      return entries.values[index].request
    }

    /// Removes the least recently used half, all at once, so that this is rare.
    mutating func removeHalf() {
      let uses = entries.values.map(\.lastUse).sorted()
      let median = uses.isEmpty ? 0 : uses[uses.count / 2]
      entries = entries.filter { $0.value.lastUse > median }
      size = entries.values.reduce(0) { $0 + $1.size }
    }
  }

  private static let capacity = 4096
  /// The largest size of all entries in bytes.
  private static let maximumSize = 32 << 20
  private let state = Mutex(State())

  private let counts: PlanCounts

  init(_ counts: PlanCounts) {
    self.counts = counts
  }

  /// Returns the plans of another view of the model.
  func addView() -> PlansOfView {
    PlansOfView(
      cache: self,
      view: state.withLock { state in
        state.views += 1
        return state.views
      })
  }

  fileprivate func count(isHit: Bool) { counts.add(isHit: isHit) }

  fileprivate func request(for key: PlanKey) -> PlannedRequest? { state.withLock { $0.request(for: key) } }

  fileprivate func add(_ made: PlannedRequest, for key: PlanKey) {
    let size = made.size + key.size
    // A plan this large would evict many others, so it isn't cached.
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
}

/// The plans of one view of a model, in the cache that all views share.
struct PlansOfView: Sendable {
  fileprivate let cache: PlanCache
  /// A number that no other view has, even if it no longer exists.
  fileprivate let view: Int

  /// Returns the planned request, calling `make` if the cache has no plan that fits.
  ///
  /// - Parameter cursors: Decodes the cursor of the request.
  func request(
    for shape: RequestShape, _ cursors: CursorCoding, _ make: () throws -> PlannedRequest
  ) throws -> PlannedRequest {
    let found = found(for: shape, cursors)
    cache.count(isHit: found != nil)
    if let found { return found }
    let made = try make()
    // A plan is shared only if the shape and the parser found the same literals in the same order.
    let isShared =
      shape.isShareable && !made.readsLiterals && shape.literals == made.parameters.literals
    cache.add(made, for: key(isShared ? shape.sharedContent : shape.ownContent))
    return made
  }

  /// Returns the plan of the answer to a write, calling `make` if the cache has none.
  ///
  /// - Parameters:
  ///   - paths: The paths of the associations in the answer.
  ///   - shape: The parameters that shape it.
  ///   - keyCount: How many literals precede those of the parameters.
  func answer(
    of resource: String, paths: [[String]], _ shape: RequestShape, keyCount: Int,
    _ make: () throws -> PlannedRequest
  ) throws -> (planned: PlannedRequest, literals: [SQLValue]) {
    func key(_ pattern: RequestShape.Pattern) -> PlanKey {
      self.key(
        .written(resource: ExactText(resource), paths: paths.map(\.exactTexts), shaping: pattern))
    }
    let keyLiterals = [SQLValue](repeating: .null, count: keyCount)
    let sharedLiterals = keyLiterals + shape.literals
    if shape.isShareable, let shared = cache.request(for: key(shape.pattern)),
      shared.literalCount == sharedLiterals.count
    {
      cache.count(isHit: true)
      return (shared, sharedLiterals)
    }
    let own = cache.request(for: key(shape.ownPattern))
    cache.count(isHit: own != nil)
    if let own { return (own, own.parameters.literals) }
    let made = try make()
    let isShared =
      shape.isShareable && !made.readsLiterals && made.parameters.literals == sharedLiterals
    cache.add(made, for: key(isShared ? shape.pattern : shape.ownPattern))
    return (made, made.parameters.literals)
  }

  private func found(for shape: RequestShape, _ cursors: CursorCoding) -> PlannedRequest? {
    if shape.isShareable, let shared = cache.request(for: key(shape.sharedContent)),
      let request = shape.applied(to: shared, cursors)
    {
      return request
    }
    return cache.request(for: key(shape.ownContent))
  }

  private func key(_ content: PlanKey.Content) -> PlanKey { PlanKey(view: view, content: content) }
}

/// What a plan depends on: one field for each thing, so that no two plans share a key by accident.
struct PlanKey: ExactKey {
  /// What is planned.
  enum Content: ExactKey {
    /// All requests of a shape.
    case shape(RequestShape.Pattern, MediaType)
    /// Exactly this request of a principal, whose cursor may be planned with it.
    case request(RequestKey, standing: [UInt8])
    /// The answer to a write: a record of a resource with these associations, shaped by these parameters.
    case written(resource: ExactText, paths: [[ExactText]], shaping: RequestShape.Pattern)
  }

  /// The number of the view of the model, which no other view has.
  let view: Int
  let content: Content

  /// The approximate size in memory, in bytes.
  var size: Int {
    switch content {
    case .shape(let pattern, _): pattern.bytes.count + 64
    case .request(let request, let standing): request.size + standing.count + 64
    case .written(let resource, let paths, let shaping):
      paths.joined().reduce(resource.length + shaping.bytes.count) { $0 + $1.length + 32 } + 64
    }
  }
}
