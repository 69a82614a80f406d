import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredRequests

/// A write whose target, permission and type of content have been checked by the head of its request.
///
/// An object, because every request carries one or none.
final class ScreenedWrite: Sendable {
  let version: ModelVersion
  let target: WriteTarget
  /// The form of the content; nil for DELETE, whose content means nothing.
  let form: WriteContent.Form?

  /// Checks the head of a request.
  ///
  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  init(_ segments: [Substring], _ request: HTTPRequest, in version: ModelVersion) throws {
    self.version = version
    target = try WriteTarget(segments, for: request.method, in: version.model)
    form = request.method == .delete ? nil : try WriteContent.form(of: request)
  }
}

extension WriteTarget {
  /// Creates the target of a method that the client may use there.
  ///
  /// - Throws: `RequestError` (403 or 404); `Problem` (405).
  fileprivate convenience init(_ segments: [Substring], for method: HTTPMethod, in model: Model) throws {
    try self.init(segments, in: model)
    try checkPermission(for: method, in: model)
    try checkMethod(method, in: model)
  }
}

/// A write whose names have been resolved in one version of the model.
///
/// An object, so that the steps of a write share it without copying its parts.
final class WritePlan: Sendable {
  let version: ModelVersion
  /// The segments of the path as received.
  let segments: [Substring]
  let principal: Principal
  let target: WriteTarget
  /// The resource of the records.
  let resource: WrittenResource
  let preferences: WritePreferences
  /// The records to write; nil if there is no content, or if it is read during an import.
  let content: WriteContent.Records?
  let answer: WriteAnswer
  /// The format of an import, whose records are added as they are read.
  let importFormat: ImportFormat?
  /// The records to change, if the path leads to several.
  let selection: WriteSelection?
  /// The columns by which an existing record is found in an upsert.
  let conflictColumns: [String]

  /// Whether it may change several records in the same way.
  var concernsMany: Bool {
    let drafts = content?.drafts ?? []
    return selection != nil || drafts.count > 1 || drafts.contains(where: \.containsMany)
  }

  /// - Parameter check: Throws if planning must stop.
  /// - Throws: `Problem`, `RequestError`.
  init(
    _ segments: [Substring], _ asked: RequestContext, in version: ModelVersion, _ limits: RequestLimits,
    check: @escaping () throws -> Void
  ) throws {
    let (request, principal) = (asked.request, asked.principal)
    self.version = version
    self.segments = segments
    self.principal = principal
    var form: WriteContent.Form?
    if let screened = asked.screened, screened.version === version {
      (target, form) = (screened.target, screened.form)
    } else {
      target = try WriteTarget(segments, for: request.method, in: version.model)
      if request.method != .delete, request.hasContent { form = try WriteContent.form(of: request) }
    }
    let resource = version.written(target.resource)
    self.resource = resource
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    preferences = try WritePreferences(request)
    let isMany = !target.path.isSingle && request.method != .post
    let parameters = try WriteParameters(
      asked.query, of: resource, for: isMany ? .many : preferences.resolution == nil ? .single : .upsert)
    if request.method == .delete || target.isLink(for: request) {
      importFormat = nil
      content = nil
    } else {
      let form = try form ?? WriteContent.form(of: request)
      importFormat = form.importFormat
      content =
        importFormat == nil
        ? try Self.content(of: request, form, target, resource, version, limits) : nil
    }
    conflictColumns =
      try parameters.conflictColumns.map { try resource.uniqueKey($0) }
      ?? resource.keyColumns
    // Finding records by a key that the client can't see would reveal it.
    guard
      preferences.resolution == nil
        || !conflictColumns.isEmpty && conflictColumns.allSatisfy(resource.columns.contains(named:))
    else {
      throw RequestError(
        .invalidValue,
        "\(resource.name) has no primary key that identifies existing records; name a unique key with `onConflict`, or leave out `resolution`"
      )
    }
    answer = try WriteAnswer(
      of: resource, paths: content?.paths ?? [], parameters: parameters, version: version, limits: limits,
      check: check)
    selection =
      isMany
      ? try WriteSelection(
        segments, asked, target, resource, draft: content?.drafts.first, in: version, limits, check: check)
      : nil
  }

  private static func content(
    of request: HTTPRequest, _ form: WriteContent.Form, _ target: WriteTarget, _ resource: WrittenResource,
    _ version: ModelVersion, _ limits: RequestLimits
  ) throws -> WriteContent.Records {
    let content = try WriteContent.records(
      in: request, isMergePatch: form.isMergePatch, of: resource, version: version, limits: limits)
    guard !target.links(by: request.method) || content.drafts.allSatisfy(\.isEmpty) else {
      throw Problem.refusedValue(
        "a request that links two records has no content; leave it out", at: JSONPointer())
    }
    return content
  }
}

extension WriteTarget {
  /// Whether a method links two existing records.
  fileprivate func links(by method: HTTPMethod) -> Bool {
    if method == .put, case .join = linkage { true } else { false }
  }

  /// Whether a request only links two existing records, without any content.
  fileprivate func isLink(for request: HTTPRequest) -> Bool {
    links(by: request.method) && request.body.isEmpty
  }
}

extension RequestNode {
  /// Whether the node selects records by conditions.
  fileprivate var hasConditions: Bool {
    !filters.isEmpty || !equalities.isEmpty || !searches.isEmpty || !havings.isEmpty
  }
}

/// The records that a bulk change applies to.
struct WriteSelection {
  let lookup: ExecutableLookup
  let parameters: Parameters
  /// The largest number of records; nil for no limit.
  let limit: Int64?

  /// - Parameter check: Throws if planning must stop.
  /// - Throws: `RequestError`, also if there are no conditions.
  init(
    _ segments: [Substring], _ asked: RequestContext, _ target: WriteTarget, _ resource: WrittenResource,
    draft: RecordDraft?, in version: ModelVersion, _ limits: RequestLimits, check: @escaping () throws -> Void
  ) throws {
    var limits = limits
    limits.pageSize = limits.maximumPageSize
    var parser = FetchRequestParser(model: version.model, limits: limits)
    let parsed = try parser.parse(path: segments, query: asked.query)
    let root = parsed.fetchRequest.root
    guard root.hasConditions else {
      throw RequestError(
        .invalidValue, "select the records with `filter`; `filter=true` selects all of them",
        at: Origin(parameter: "filter"))
    }
    if let nested = draft?.nested.first(where: { !$0.records.isEmpty }) {
      throw Problem.refusedValue(
        "associated records can be written only together with a single record; leave out `\(nested.association.key)`",
        at: nested.pointer)
    }
    var columns = resource.identifyingColumns
    if let draft { columns = RecordWriter.columns(of: resource, for: draft, and: []) }
    if case .join(let join) = target.linkage {
      columns += join.far.destinationColumns.filter { !columns.containsExactly($0) }
    }
    lookup = ExecutableLookup(
      try version.planner(limits: limits.planning, check: check)
        .lookup(parsed.fetchRequest, columns: columns))
    parameters = Parameters(
      literals: parsed.fetchRequest.literals.values, claims: asked.principal.claims)
    limit = parsed.limit
  }
}
