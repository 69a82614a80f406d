/// Metrics in Prometheus' text format, version 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
struct PrometheusText {
  static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram, summary
  }

  private(set) var text = ""
  /// Whether metrics without a value are listed, too, as in a reference.
  var listsAll = false

  /// Adds a metric with a single value.
  mutating func append(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    append(name, kind, help, [("", value)])
  }

  /// Adds the gauge `kindred_NAME`, unless it has no value.
  mutating func gauge(_ name: String, _ help: String, _ value: Int?) {
    if let value = value ?? absent { append("kindred_\(name)", .gauge, help, value) }
  }

  /// Adds the counter `kindred_NAME_total`, unless it has no value.
  mutating func counter(_ name: String, _ help: String, _ value: Int?) {
    if let value = value ?? absent { append("kindred_\(name)_total", .counter, help, value) }
  }

  /// What stands for a missing value.
  private var absent: Int? { listsAll ? 0 : nil }

  /// Adds a metric with a value for each set of labels, which are written verbatim.
  mutating func append(_ name: String, _ kind: Kind, _ help: String, _ values: [(labels: String, value: Int)])
  {
    begin(name, kind, help)
    for (labels, value) in values { appendSample(name, labels, "\(value)") }
  }

  /// Returns a text as the value of a label can contain it.
  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// Adds a metric whose value isn't an integer.
  mutating func append(_ name: String, _ kind: Kind, _ help: String, real value: Double) {
    begin(name, kind, help)
    appendSample(name, "", "\(value)")
  }

  /// The metrics that have been added.
  private(set) var descriptions: [MetricDescription] = []

  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    if listsAll { descriptions.append(MetricDescription(name: name, kind: kind.rawValue, text: help)) }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  mutating func appendSample(_ name: String, _ labels: String, _ value: String) {
    text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }
}

/// A metric of `/-/metrics`, for the reference of all metrics.
package struct MetricDescription {
  package let name: String
  /// `counter`, `gauge`, `histogram` or `summary`.
  package let kind: String
  package let text: String
}
