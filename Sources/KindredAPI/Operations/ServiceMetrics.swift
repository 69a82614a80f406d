import KindredHTTP
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
  private let unchanged = Atomic(0)
  private let defects = Atomic(0)

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
  func countUnchanged() { unchanged.wrappingAdd(1, ordering: .relaxed) }

  /// Counts a response with status 500.
  func countDefect() { defects.wrappingAdd(1, ordering: .relaxed) }

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
    text.append(
      "kindred_unchanged_answers_total", .counter, "Responses that needed no query: 304, or a cached content.",
      unchanged.load(ordering: .relaxed))
    text.append(
      "kindred_defects_total", .counter, "Responses with status 500; the log has the details.",
      defects.load(ordering: .relaxed))
  }
}
