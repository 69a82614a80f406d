/// The events that listeners hold, each counted once.
struct HeldEvents {
  private var holders: [ObjectIdentifier: Int] = [:]
  /// The size of all events in bytes.
  private(set) var bytes = 0

  init(_ listeners: [LiveListener]) {
    for event in listeners.flatMap(\.held) {
      if holders[ObjectIdentifier(event), default: 0] == 0 { bytes += event.bytes.count }
      holders[ObjectIdentifier(event), default: 0] += 1
    }
  }

  /// Returns the keys of other events, the longest first, without which no more bytes than `maximum` are in memory.
  func excess(of others: [LiveQuery.Key: LiveEvent], over maximum: Int) -> [LiveQuery.Key] {
    let others = others.filter { holders[ObjectIdentifier($0.value)] == nil }
      .sorted { $0.value.bytes.count > $1.value.bytes.count }
    var bytes = others.reduce(bytes) { $0 + $1.value.bytes.count }
    return others.prefix { other in
      guard bytes > maximum else { return false }
      bytes -= other.value.bytes.count
      return true
    }.map(\.key)
  }

  /// Removes the events of a listener.
  mutating func remove(_ events: [LiveEvent]) {
    for event in events {
      guard let count = holders[ObjectIdentifier(event)], count > 0 else { continue }
      holders[ObjectIdentifier(event)] = count - 1
      if count == 1 { bytes -= event.bytes.count }
    }
  }
}
