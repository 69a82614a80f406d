import Synchronization

/// The plans of requests by their shapes, for one schema.
final class RequestPlanCache: Sendable {
  /// What is known of a shape.
  enum Entry: Sendable {
    /// Its plan, with marks in place of values.
    case planned(PlannedShape)
    /// Its statements depend on its values.
    case dependsOnValues
  }

  private struct State {
    var version: DatabaseSchema.Version?
    var entries: [[UInt8]: Entry] = [:]
  }

  /// The maximum number of shapes, and of the bytes of one.
  private static let capacity = (shapes: 500, bytes: 16_384)

  private let state = Mutex(State())

  func entry(_ shape: [UInt8], _ version: DatabaseSchema.Version) -> Entry? {
    state.withLock { $0.version == version ? $0.entries[shape] : nil }
  }

  func keep(_ entry: Entry, _ shape: [UInt8], _ version: DatabaseSchema.Version) {
    guard shape.count <= Self.capacity.bytes else { return }
    state.withLock { state in
      if state.version != version || state.entries.count >= Self.capacity.shapes {
        state = State(version: version)
      }
      state.entries[shape] = entry
    }
  }
}
