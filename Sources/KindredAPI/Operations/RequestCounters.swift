import KindredHTTP
import Synchronization

/// An atomic that can be the element of an array.
final class Counter: Sendable {
  private let value = Atomic(0)

  func increase(by amount: Int = 1) { value.wrappingAdd(amount, ordering: .relaxed) }
  var count: Int { value.load(ordering: .relaxed) }
}

/// Counts responses by their status.
final class StatusCounters: @unchecked Sendable {
  // The memory stays the same, and each element is atomic.

  /// Indexed by code from ``first``; in one piece of memory, because thousands of objects would delay the start.
  private let counters: UnsafeMutablePointer<Atomic<Int>>
  private static let first = 100
  private static let count = 500

  init() {
    counters = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (counters + index).initialize(to: Atomic(0)) }
  }

  deinit {
    counters.deinitialize(count: Self.count)
    counters.deallocate()
  }

  func count(_ status: HTTPStatus) {
    counters[status.code - Self.first].wrappingAdd(1, ordering: .relaxed)
  }

  /// The statuses of responses, each with their number.
  var counts: [(status: Int, count: Int)] {
    (0..<Self.count).compactMap { index in
      let count = counters[index].load(ordering: .relaxed)
      return count > 0 ? (Self.first + index, count) : nil
    }
  }
}

/// Counts durations by their length.
final class DurationHistogram: Sendable {
  /// The upper bounds of the buckets, as text in seconds and in nanoseconds.
  private static let bounds: [(text: String, nanoseconds: UInt64)] = [
    ("0.001", 1_000_000), ("0.0025", 2_500_000), ("0.005", 5_000_000), ("0.01", 10_000_000),
    ("0.025", 25_000_000),
    ("0.05", 50_000_000), ("0.1", 100_000_000), ("0.25", 250_000_000), ("0.5", 500_000_000),
    ("1", 1_000_000_000),
    ("2.5", 2_500_000_000), ("5", 5_000_000_000), ("10", 10_000_000_000),
  ]

  /// Indexed by bucket; the last is unbounded.
  private let buckets = (0...bounds.count).map { _ in Counter() }
  private let sum = Counter()

  func count(_ nanoseconds: UInt64) {
    buckets[Self.bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? Self.bounds.count].increase()
    sum.increase(by: Int(clamping: nanoseconds))
  }

  /// Adds the samples, unless there are none.
  func append(to text: inout PrometheusText, _ name: String, label: String) {
    let counts = buckets.map(\.count)
    guard counts.contains(where: { $0 > 0 }) else { return }
    var total = 0
    for (count, bound) in zip(counts, Self.bounds.map(\.text) + ["+Inf"]) {
      total += count
      text.appendSample("\(name)_bucket", "\(label),le=\"\(bound)\"", "\(total)")
    }
    text.appendSample("\(name)_sum", label, "\(Double(sum.count) / 1e9)")
    text.appendSample("\(name)_count", label, "\(total)")
  }
}

/// Sums up the durations of requests by the shape of their plan.
final class ShapeDurations: Sendable {
  private struct Sum {
    var count = 0
    var nanoseconds: UInt64 = 0
  }

  private let sums = Mutex<[String: Sum]>([:])

  /// The number of shapes that are told apart, because clients can name the nodes of a request as they like.
  private static let maximum = 200
  /// The shape of those beyond.
  private static let others = "other"

  func count(_ shape: String, _ nanoseconds: UInt64) {
    sums.withLock { sums in
      let shape = sums[shape] != nil || sums.count < Self.maximum ? shape : Self.others
      sums[shape, default: Sum()].count += 1
      sums[shape, default: Sum()].nanoseconds &+= nanoseconds
    }
  }

  func append(to text: inout PrometheusText) {
    let name = "kindred_plan_duration_seconds"
    text.begin(
      name, .summary, "The time of requests by the nodes of their plan, of the first \(Self.maximum) plans.")
    for (shape, sum) in sums.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      let label = "shape=\"\(PrometheusText.escaped(shape))\""
      text.appendSample("\(name)_sum", label, "\(Double(sum.nanoseconds) / 1e9)")
      text.appendSample("\(name)_count", label, "\(sum.count)")
    }
  }
}
