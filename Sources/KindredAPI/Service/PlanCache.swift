import KindredExecution
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

/// Plans by what was asked.
final class PlanCache: Sendable {
  /// A request as parsed, and its plan.
  struct Entry: Sendable {
    var request: ParsedRequest
    var plan: ExecutablePlan
    /// Whether its result follows from the database alone.
    var isTimeless: Bool
  }

  private struct State {
    var entries: [String: (entry: Entry, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
  }

  private static let capacity = 1024
  private let state = Mutex(State())

  private let counts: PlanCounts

  init(_ counts: PlanCounts) {
    self.counts = counts
  }

  func entry(for key: String, _ make: () throws -> Entry) throws -> Entry {
    let found = state.withLock { state -> Entry? in
      state.uses += 1
      guard let entry = state.entries[key]?.entry else { return nil }
      state.entries[key]?.lastUse = state.uses
      return entry
    }
    counts.add(isHit: found != nil)
    if let found { return found }
    let entry = try make()
    state.withLock { state in
      if state.entries.count >= Self.capacity {
        // The half that was not used for longest goes at once, so that this is rare.
        let median = state.uses - UInt64(state.entries.count / 2)
        state.entries = state.entries.filter { $0.value.lastUse > median }
        if state.entries.count >= Self.capacity { state.entries.removeAll() }
      }
      state.entries[key] = (entry, state.uses)
    }
    return entry
  }
}
