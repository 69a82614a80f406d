import KindredBackend
import KindredHTTP
import KindredModel
import KindredRequests
import KindredTools
import KindredExplorer
import KindredSpooling
import Synchronization

/// Answers requests about the server and its model: the index and the pages under `/-/`.
final class OperationsService: Sendable {
  private let context: ServiceContext
  private let tools: ToolsService
  /// Whether the last check found that the database can be used.
  private let isReady = Atomic(true)
  /// The last report of success, which is the same for most health checks.
  private let success = Mutex(SuccessReport(engine: nil))

  init(in context: ServiceContext) {
    self.context = context
    let options = context.options
    tools = ToolsService(
      limits: options.limits, cursors: context.parts.cursors, queryTime: options.queryTime,
      basePath: options.basePath)
  }

  private var parts: ServiceParts { context.parts }
  private var options: KindredService.Options { context.options }

  /// Returns `/`: every resource with its columns, associations and link.
  func index(_ asked: RequestContext) throws -> HTTPResponse {
    let (request, principal) = (asked.request, asked.principal)
    _ = try ToolParameters(asked.query, [])
    let type = try context.types.documentType(for: request)
    let index = IndexDocument(
      model: try context.models.latest().seen(by: principal).model, basePath: options.basePath)
    var representation = type == .html ? index.page : Representation(index.json)
    // RFC 8631 §4.1
    representation.headers.append(
      "Link", "</-/\(OperationsPage.openAPI.rawValue)>; rel=\"service-desc\"; type=\"application/json\"")
    return representation.response(to: request, compressionLevel: options.compressionLevel)
  }

  /// Returns a page under `/-/`.
  func respond(with page: OperationsPage, to asked: RequestContext) throws -> HTTPResponse {
    let (request, principal) = (asked.request, asked.principal)
    if page == .metrics { try context.access.checkOperator(principal, page.rawValue) }
    let parameters =
      try page.parameters.map { try ToolParameters(asked.query, $0, lists: page.listParameters) }
      ?? ToolParameters()
    // The model contains only what the principal may read.
    func version() throws -> ModelVersion { try context.models.latest().seen(by: principal) }
    func description() throws -> Representation {
      let version = try version()
      return try tools.description(
        request, parameters, in: version.model, version.dialect, for: principal.standing)
    }
    let representation =
      switch page {
      case .health: ok
      case .ready: try readiness()
      case .metrics: try metricsText()
      case .openAPI: try openAPI(of: parameters["resource"], in: version())
      case .errors:
        try context.types.documentType(for: request) == .html
          ? ErrorDescription.page(below: options.basePath) : Representation(ErrorDescription.json)
      case .schema:
        Representation(
          try SchemaDocument(model: version().model, limits: options.limits, basePath: options.basePath)
            .json(of: parameters["resource"]))
      case .complete: try tools.completions(parameters, in: version().model)
      case .describe: try description()
      case .diagramSVG: try tools.diagramSVG(parameters, of: version().model)
      case .diagramMermaid: try tools.diagramMermaid(parameters, of: version().model)
      case .modelFileSchema:
        Representation(ModelFileSchema.mediaType, ModelFileSchema(model: try version().model).json.bytes)
      }
    return representation.response(to: request, compressionLevel: options.compressionLevel)
  }

  /// Returns the OpenAPI document of some resources; nil for all.
  private func openAPI(of names: String?, in version: ModelVersion) throws -> Representation {
    func document(_ model: Model) -> OpenAPIDocument {
      OpenAPIDocument(
        model: model, limits: options.limits, isWritable: context.isWritable, basePath: options.basePath)
    }
    guard let names else { return version.openAPI { document($0).bytes } }
    return Representation(try document(version.model).part(of: names))
  }

  /// Checks that the database can be used, on a separate connection, so that it works while all others are in use.
  private func readiness() throws -> Representation {
    let failure: (any Error)?
    do {
      try parts.backend.probe()
      _ = try context.models.latest()
      failure = nil
    } catch {
      // What is only read can be read from a copy.
      let hasCopy = parts.backend.replication?.standings.contains(where: \.isUp) ?? false
      failure = context.isWritable || !hasCopy ? error : nil
    }
    // Monitors ask again and again, so only changes are logged.
    let isReady = failure == nil
    if self.isReady.exchange(isReady, ordering: .relaxed) != isReady {
      context.problems.note(readiness: failure)
    }
    if let failure {
      // A monitor is told what is missing; other causes are in the log.
      let full = (failure as? any BackendError).flatMap { $0.kind == .full ? Problem($0) : nil }
      throw full ?? Problem.unavailable
    }
    return ok
  }

  /// That the server, or the database, can be used.
  private var ok: Representation {
    let engine = parts.backend.engine
    return success.withLock { success in
      if success.engine != engine { success = SuccessReport(engine: engine) }
      return success
    }.representation
  }

  private func metricsText() throws -> Representation {
    guard options.showsMetrics else { throw Problem.hidden("the metrics") }
    var text = PrometheusText()
    ProcessStatus.append(to: &text, version: options.version)
    if let engine = parts.backend.engine { text.append(engine: engine) }
    parts.metrics.append(to: &text)
    text.append(parts.planCounts.snapshot)
    if !parts.changeFeeds.isEmpty { text.append(parts.changeFeeds) }
    if let replication = parts.backend.replication { text.append(replication.standings) }
    let statistics = parts.backend.statistics
    text.append(statistics)
    text.appendContents(received: options.contents.received.used, read: parts.contentSlots.taken)
    text.appendSnapshots(
      parts.databases.reduce(0) { $0 + $1.snapshots.count }, spooled: options.spools.used, statistics)
    if context.isWritable { text.appendWrites(of: statistics) }
    if let serverCounters = parts.metrics.serverCounters { text.append(serverCounters) }
    text.append(droppedLogLines: options.droppedLogLines?())
    return Representation(PrometheusText.mediaType, Array(text.text.utf8), cacheControl: "no-store")
  }
}

/// The report that all is well.
private struct SuccessReport {
  let engine: String?
  private let headers: HTTPHeaders
  private let bytes: [UInt8]
  private let tag: ContentHash.Digest

  /// - Parameter engine: The name and version of the database's engine; nil for none.
  init(engine: String?) {
    self.engine = engine
    let report: JSONValue = ["status": "ok", "engine": engine.map(JSONValue.string)]
    bytes = report.bytes
    let representation = Representation(MediaType.json.rawValue, bytes, cacheControl: "no-store")
    (headers, tag) = (representation.headers, representation.tag)
  }

  var representation: Representation { Representation(headers: headers, content: .bytes(bytes), tag: tag) }
}
