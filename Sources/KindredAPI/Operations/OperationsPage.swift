/// A page of Kindred's own, under `/-/`, where no table can be in its way.
enum OperationsPage: String {
  case health
  case metrics
  case openAPI = "openapi.json"
  case errors
  case schema
  case complete
  case describe

  /// The page's path.
  var path: String { "/-/\(rawValue)" }
}
