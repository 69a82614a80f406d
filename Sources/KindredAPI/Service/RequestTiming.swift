import KindredClock

/// Measures how long the steps of a request take.
struct RequestTiming {
  let start = MonotonicTime.now()
  private var last: UInt64
  private var steps: [(name: StaticString, nanoseconds: UInt64)] = []
  private let isOn: Bool
  /// The shape of the plan that answers the request; nil if none does.
  var shape: String?

  /// - Parameter isOn: Whether steps are recorded.
  init(isOn: Bool) {
    self.isOn = isOn
    last = start
  }

  /// Notes the end of a step.
  mutating func mark(_ name: StaticString) {
    guard isOn else { return }
    let now = MonotonicTime.now()
    steps.append((name, now - last))
    last = now
  }

  var nanoseconds: UInt64 { MonotonicTime.now() - start }

  /// The value of `Server-Timing` (W3C, Server Timing §2): milliseconds up to the head of the response.
  var field: String {
    (steps + [("total", nanoseconds)]).map { "\($0.name);dur=\(Self.milliseconds($0.nanoseconds))" }
      .joined(separator: ", ")
  }

  /// Returns milliseconds with three decimals.
  static func milliseconds(_ nanoseconds: UInt64) -> String {
    let microseconds = nanoseconds / 1000
    let rest = String(microseconds % 1000)
    return "\(microseconds / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }
}
