import KindredAssociations
import KindredHTTP

/// A request to write whose names are all found in one version of the model.
struct WritePlan {
  let version: ModelVersion
  let target: WriteTarget
  /// What is to be written; nil where there is no content to be read.
  let content: WriteContent.Records?
  let answer: WriteAnswer

  /// - Throws: `Problem`, `RequestError`.
  init(
    _ segments: [Substring], _ request: HTTPRequest, _ version: ModelVersion, _ service: KindredService
  ) throws {
    self.version = version
    target = try WriteTarget(segments, in: version.model)
    guard target.methods.contains(request.method) else {
      throw Problem.methodNotAllowed(request.method, allow: target.allow)
    }
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    content = try Self.content(of: request, target, version.model, service.options.limits)
    answer = try WriteAnswer(
      of: target.resource, paths: content?.paths ?? [], query: request.query, version: version,
      limits: service.options.limits)
  }

  private static func content(
    of request: HTTPRequest, _ target: WriteTarget, _ model: Model, _ limits: RequestLimits
  ) throws -> WriteContent.Records? {
    if request.method == .delete { return nil }
    var isLink = false
    if request.method == .put, case .join = target.linkage { isLink = true }
    if isLink, request.body.isEmpty { return nil }
    let content = try WriteContent.records(
      in: try WriteContent.document(of: request), of: target.resource, model: model, limits: limits,
      allowsArray: request.method == .post)
    guard !isLink || content.drafts.allSatisfy(\.isEmpty) else {
      throw Problem.refusedValue(
        "this links two records and changes neither: leave out the content", at: JSONPointer())
    }
    return content
  }
}
