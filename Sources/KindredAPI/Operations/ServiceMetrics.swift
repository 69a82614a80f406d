import KindredHTTP
import KindredSQLSyntax
import Synchronization

/// Counts the service's responses and their durations.
///
/// Each counter is a separate atomic, so that requests on different processors don't wait for one another.
final class ServiceMetrics: Sendable {
  private static let methods = HTTPMethod.supported

  /// Indexed by method, with unknown ones last.
  private let statuses = (0...methods.count).map { _ in StatusCounters() }
  private let durations = (0...methods.count).map { _ in DurationHistogram() }
  private let shapes = ShapeDurations()
  private let unchanged = Counter()
  private let defects = Counter()

  private let counterSource = Mutex<CounterSource?>(nil)

  /// Boxed: reading a bare closure through `Mutex` adds a reabstraction thunk on every access.
  private struct CounterSource {
    let read: @Sendable () -> HTTPServerCounters
  }

  /// Sets the source of the server's counters.
  func reportCounters(_ counters: @escaping @Sendable () -> HTTPServerCounters) {
    counterSource.withLock { $0 = CounterSource(read: counters) }
  }

  /// The counters of the server; nil before their source is set.
  var serverCounters: HTTPServerCounters? { counterSource.withLock { $0 }?.read() }

  /// Counts a response once its last byte has been generated.
  ///
  /// - Parameter shape: The shape of the plan that the request was answered by; nil if there was none.
  func count(_ method: HTTPMethod, _ status: HTTPStatus, _ shape: String?, nanoseconds: UInt64) {
    let row = Self.methods.firstIndex(of: method) ?? Self.methods.count
    statuses[row].count(status)
    durations[row].count(nanoseconds)
    if let shape { shapes.count(shape, nanoseconds) }
  }

  /// Counts a response to input that was refused before it was a complete request.
  func countRefusal(_ status: HTTPStatus) { statuses[Self.methods.count].count(status) }

  /// Counts a response that needed no query.
  func countUnchanged() { unchanged.increase() }

  /// Counts a response with status 500.
  func countDefect() { defects.increase() }

  func append(to text: inout PrometheusText) {
    let methods = Self.methods.map(\.token) + ["other"]
    text.append(
      "kindred_http_requests_total", .counter, "Answered requests.",
      zip(methods, statuses).flatMap { method, counters in
        counters.counts.map { status, count in
          ("method=\"\(method)\",status=\"\(status / 100)xx\",code=\"\(status)\"", count)
        }
      })
    let name = "kindred_http_request_duration_seconds"
    text.begin(name, .histogram, "The time from a request to the last byte of its response.")
    for (method, histogram) in zip(methods, durations) {
      histogram.append(to: &text, name, label: "method=\"\(method)\"")
    }
    shapes.append(to: &text)
    text.counter(
      "unchanged_answers", "Responses that needed no query: 304, or a cached content.", unchanged.count)
    text.counter("defects", "Responses with status 500; the log has the details.", defects.count)
  }
}

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

  private let sums = Mutex<[ExactText: Sum]>([:])

  /// The number of shapes that are told apart, because clients can name the nodes of a request as they like.
  private static let maximum = 200
  /// The shape of those beyond.
  private static let others: ExactText = "other"

  func count(_ shape: String, _ nanoseconds: UInt64) {
    let shape = ExactText(shape)
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
    for (shape, sum) in sums.withLock({ $0 }).sorted(by: { $0.key.text < $1.key.text }) {
      let label = "shape=\"\(PrometheusText.escaped(String(shape.text)))\""
      text.appendSample("\(name)_sum", label, "\(Double(sum.nanoseconds) / 1e9)")
      text.appendSample("\(name)_count", label, "\(sum.count)")
    }
  }
}
