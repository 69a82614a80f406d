/// A page of Kindred itself, under `/-/`, where it can't conflict with a table.
package enum OperationsPage: String, CaseIterable {
  case health
  case ready
  case metrics
  case openAPI = "openapi.json"
  case errors
  case schema
  case complete
  case describe
  case diagramSVG = "diagram.svg"
  case diagramMermaid = "diagram.mmd"
  case modelFileSchema = "schema.json"

  /// The path of the page.
  package var path: String { "/-/\(rawValue)" }

  /// The names of the parameters of requests for the page; nil if it ignores parameters.
  package var parameters: [String]? {
    switch self {
    // Monitors may add anything to its URL.
    case .health: nil
    case .complete: ["url", "position"]
    case .describe: ["url"]
    case .diagramSVG, .diagramMermaid: ["around", "depth"]
    case .schema, .openAPI: ["resource"]
    case .ready, .metrics, .errors, .modelFileSchema: []
    }
  }

  /// The names of the parameters whose values are lists separated by commas.
  package var listParameters: [String] { self == .openAPI ? ["resource"] : [] }
}
