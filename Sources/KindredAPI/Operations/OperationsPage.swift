/// A page of Kindred itself, under `/-/`, where it can't conflict with a table.
enum OperationsPage: String, CaseIterable {
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
  var path: String { "/-/\(rawValue)" }
}
