import KindredAssociations
import KindredBackend
import KindredHTTP
import Logging
import OrderedCollections
import Synchronization

extension KindredService {
  /// Returns `/`: every resource with its columns, associations and link.
  func index(_ request: HTTPRequest, _ principal: Principal) throws -> HTTPResponse {
    let type = try documentType(for: request)
    let index = IndexDocument(model: try latestVersion().seen(by: principal).model)
    var representation = type == .html ? index.page(for: request) : Representation(index.json)
    // RFC 8631 §4.1
    representation.headers.append(
      "Link", "</-/\(OperationsPage.openAPI.rawValue)>; rel=\"service-desc\"; type=\"application/json\"")
    return deliver(representation, to: request)
  }

  /// Returns a page under `/-/`.
  func respond(
    with page: OperationsPage, to request: HTTPRequest, _ principal: Principal
  ) throws -> HTTPResponse {
    if isForOperators(page) { try checkOperator(principal, page.rawValue) }
    // The model contains only what the principal may read.
    func version() throws -> ModelVersion { try latestVersion().seen(by: principal) }
    let representation =
      switch page {
      case .health: try health()
      case .metrics: try metrics()
      case .openAPI:
        try version().openAPI {
          OpenAPIDocument(model: $0, limits: options.limits, isWritable: isWritable).json
        }
      case .errors:
        try documentType(for: request) == .html ? ErrorIndex.page : Representation(ErrorIndex.json)
      case .schema: Representation(SchemaDocument(model: try version().model, limits: options.limits).json)
      case .complete: try completions(request, in: version().model)
      case .describe: try description(request, in: version().model, for: principal)
      case .diagramSVG: try diagramSVG(request, of: version().model)
      case .diagramMermaid: try diagramMermaid(request, of: version().model)
      case .modelFileSchema:
        Representation(ModelFileSchema.mediaType, ModelFileSchema(model: try version().model).json.bytes)
      }
    return deliver(representation, to: request)
  }

  private func documentType(for request: HTTPRequest) throws -> MediaType {
    try MediaType.negotiate(request.headers.values(for: "Accept"), among: documentTypes)
  }

  /// Returns whether a page is for operators only: the schema is if the configuration names operators.
  private func isForOperators(_ page: OperationsPage) -> Bool {
    page == .metrics || (page == .schema && options.access?.operatorRoles != nil)
  }

  /// - Throws: `RequestError` (`forbidden`) unless the principal is an operator.
  func checkOperator(_ principal: Principal, _ name: String) throws {
    // The user who runs the program is an operator, even on behalf of others.
    guard options.impersonated != nil || principal.hasRole(among: options.access?.operatorRoles ?? []) else {
      throw RequestError.forbidden(name)
    }
  }

  /// Checks that the database responds, on a separate connection, so that it works while all others are in use.
  private func health() throws -> Representation {
    do {
      try backend.probe()
    } catch {
      throw unavailable(error)
    }
    return Representation(
      headers: Self.healthHeaders, content: .bytes(Self.healthContent), tag: Self.healthTag)
  }

  // Created once, because monitors ask often.
  private static let healthContent = JSONValue.object([("status", "ok")]).bytes
  private static let healthHeaders = Representation.headers(MediaType.json.rawValue, cacheControl: "no-store")
  private static let healthTag = Representation(MediaType.json.rawValue, healthContent).tag

  private func metrics() throws -> Representation {
    guard options.showsMetrics else { throw Problem.hidden("the metrics") }
    var text = PrometheusText()
    serviceMetrics.append(to: &text)
    text.append(models.planCounts.snapshot)
    if let changeFeed { text.append(changeFeed.counts) }
    let statistics = backend.statistics
    text.append(statistics)
    if isWritable { text.appendWrites(of: statistics) }
    if let serverCounters { text.append(serverCounters) }
    return Representation(PrometheusText.mediaType, Array(text.text.utf8), cacheControl: "no-store")
  }
}
