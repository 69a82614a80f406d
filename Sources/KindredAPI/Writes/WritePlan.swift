import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredRequests

/// A write whose target, permission and type of content have been checked by the head of its request.
struct ScreenedWrite: Sendable {
  let version: ModelVersion
  let target: WriteTarget
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
    if let screened = asked.screened, screened.version === version {
      target = screened.target
    } else {
      target = try WriteTarget(segments, in: version.model)
      try target.checkPermission(for: request.method, in: version.model)
      try target.checkMethod(request.method, in: version.model)
      if request.method != .delete, request.hasContent { try WriteContent.checkType(of: request) }
    }
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    preferences = try WritePreferences(request)
    let resource = target.resource
    let isMany = !target.path.isSingle && request.method != .post
    let parameters = try WriteParameters(
      asked.query, of: resource, for: isMany ? .many : preferences.resolution == nil ? .single : .upsert)
    importFormat = WriteContent.importFormat(of: request)
    content = try Self.content(of: request, target, version.model, limits)
    conflictColumns =
      try parameters.conflictColumns.map { try resource.uniqueKey($0) }
      ?? resource.table.primaryKey.map { resource.table.columns[$0].name }
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
        segments, asked, target, draft: content?.drafts.first, in: version, limits, check: check)
      : nil
  }

  private static func content(
    of request: HTTPRequest, _ target: WriteTarget, _ model: Model, _ limits: RequestLimits
  ) throws -> WriteContent.Records? {
    if request.method == .delete { return nil }
    if WriteContent.importFormat(of: request) != nil {
      try WriteContent.checkType(of: request)
      return nil
    }
    var isLink = false
    if request.method == .put, case .join = target.linkage { isLink = true }
    if isLink, request.body.isEmpty { return nil }
    let content = try WriteContent.records(
      in: request, of: target.resource, model: model, limits: limits)
    guard !isLink || content.drafts.allSatisfy(\.isEmpty) else {
      throw Problem.refusedValue(
        "a request that links two records has no content; leave it out", at: JSONPointer())
    }
    return content
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
    _ segments: [Substring], _ asked: RequestContext, _ target: WriteTarget, draft: RecordDraft?,
    in version: ModelVersion, _ limits: RequestLimits, check: @escaping () throws -> Void
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
    var columns = target.resource.table.identifyingColumns
    if let draft { columns = RecordWriter.columns(of: target.resource.table, for: draft, and: []) }
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
