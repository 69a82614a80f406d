import KindredHTTP
import Synchronization

/// Counts the service's responses and their durations.
///
/// Each counter is a separate atomic, so that requests on different processors don't wait for one another.
final class ServiceMetrics: Sendable {
  private final class Counter: Sendable {
    let value = Atomic(0)

    func increase(by amount: Int = 1) { value.wrappingAdd(amount, ordering: .relaxed) }
    var count: Int { value.load(ordering: .relaxed) }
  }

  private static let methods = HTTPMethod.supported
  /// The upper bounds of the histogram's buckets, as text in seconds and in nanoseconds.
  private static let bounds: [(text: String, nanoseconds: UInt64)] = [
    ("0.001", 1_000_000), ("0.0025", 2_500_000), ("0.005", 5_000_000), ("0.01", 10_000_000),
    ("0.025", 25_000_000),
    ("0.05", 50_000_000), ("0.1", 100_000_000), ("0.25", 250_000_000), ("0.5", 500_000_000),
    ("1", 1_000_000_000),
    ("2.5", 2_500_000_000), ("5", 5_000_000_000), ("10", 10_000_000_000),
  ]

  /// Indexed by method, with unknown ones last, and by class of status.
  private let requests = (0...(methods.count)).map { _ in (1...5).map { _ in Counter() } }
  /// Indexed by bucket; the last is unbounded.
  private let durations = (0...(bounds.count)).map { _ in Counter() }
  private let nanoseconds = Counter()
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
  func count(_ method: HTTPMethod, _ status: HTTPStatus, nanoseconds duration: UInt64) {
    let row = Self.methods.firstIndex(of: method) ?? Self.methods.count
    requests[row][min(max(status.code / 100, 1), 5) - 1].increase()
    durations[Self.bounds.firstIndex { duration <= $0.nanoseconds } ?? Self.bounds.count].increase()
    nanoseconds.increase(by: Int(clamping: duration))
  }

  /// Counts a 304 response that needed no query.
  func countUnchanged() { unchanged.increase() }

  /// Counts a response with status 500.
  func countDefect() { defects.increase() }

  func append(to text: inout PrometheusText) {
    var answers: [(String, Int)] = []
    for (row, method) in (Self.methods.map(\.token) + ["other"]).enumerated() {
      for (column, counter) in requests[row].enumerated() where counter.count > 0 {
        answers.append(("method=\"\(method)\",status=\"\(column + 1)xx\"", counter.count))
      }
    }
    text.append("kindred_http_requests_total", .counter, "Answered requests.", answers)
    appendHistogram(to: &text)
    text.append(
      "kindred_unchanged_answers_total", .counter, "Responses with status 304 that needed no query.",
      unchanged.count)
    text.append(
      "kindred_defects_total", .counter, "Responses with status 500; the log has the details.", defects.count)
  }

  private func appendHistogram(to text: inout PrometheusText) {
    let name = "kindred_http_request_duration_seconds"
    text.begin(name, .histogram, "The time from a request to the last byte of its response.")
    var sum = 0
    for (counter, bound) in zip(durations, Self.bounds.map(\.text) + ["+Inf"]) {
      sum += counter.count
      text.appendSample("\(name)_bucket", "le=\"\(bound)\"", "\(sum)")
    }
    text.appendSample("\(name)_sum", "", "\(Double(nanoseconds.count) / 1e9)")
    text.appendSample("\(name)_count", "", "\(sum)")
  }
}
