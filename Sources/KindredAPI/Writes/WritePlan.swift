import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// A write whose target, permission and type of content have been checked by the head of its request.
///
/// An object, because every request carries one or none.
final class ScreenedWrite: Sendable {
  let version: ModelVersion
  let target: WriteTarget
  /// The form of the content; nil for DELETE, whose content means nothing, and for a change that is only computed.
  let form: WriteContent.Form?

  /// Checks the head of a request.
  ///
  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  init(_ segments: [Substring], _ request: HTTPRequest, in version: ModelVersion) throws {
    self.version = version
    target = try WriteTarget(segments, for: request.method, in: version.model)
    if target.column != nil {
      form = nil
      try target.checkValueType(of: request)
    } else {
      form =
        request.method == .delete || request.isOnlyComputed ? nil : try WriteContent.form(of: request)
    }
  }
}

extension HTTPRequest {
  /// Whether it changes records by `set` alone, without a content.
  fileprivate var isOnlyComputed: Bool {
    guard method == .patch, headers["Content-Type"] == nil, !hasContent else { return false }
    let query = URLQuery(query)
    return query.parameters.contains { query.isNamed($0, ComputedChange.parameter) }
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
  /// Whether parameters change what a record of the answer has.
  let isShaped: Bool
  /// The format of an import, whose records are added as they are read.
  let importFormat: ImportFormat?
  /// The records to change, if the path leads to several.
  let selection: WriteSelection?
  /// The columns by which an existing record is found in an upsert.
  let conflictColumns: [String]
  /// What `set` computes; nil without it.
  let computed: ComputedChange?
  /// How nested records find existing ones.
  let conflicts: NestedConflicts
  /// Finds the records that are linked, if the write replaces all links.
  let linked: ExecutableLookup?

  /// Whether the content is a value whose record takes too much memory to be read back.
  var hasVeryLongValue: Bool { change?.longValue.map { $0.byteCount > LongValue.readableByteCount } ?? false }

  /// The content of a change of one record, or of several in the same way; nil if there is none.
  var change: RecordDraft? {
    content?.drafts.first ?? computed.map { _ in RecordDraft(pointer: JSONPointer()) }
  }

  /// Whether it writes several records, which may refer to one another in any order.
  var writesSeveral: Bool {
    let drafts = content?.drafts ?? []
    return importFormat != nil || drafts.count > 1 || drafts.contains { !$0.nested.isEmpty }
  }

  /// Whether it may take much memory for a short content: of the records that it selects, or of the JSON that it changes in
  /// part.
  var takesStoredValues: Bool {
    selection != nil || change?.assignments.contains(where: \.isPatch) ?? false
  }

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
      if request.method != .delete, request.hasContent, target.column == nil {
        form = try WriteContent.form(of: request)
      }
    }
    if target.column != nil, !asked.isPart { try target.checkValueType(of: request) }
    let isOnlyComputed = request.isOnlyComputed
    let resource = version.written(target.resource)
    self.resource = resource
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    preferences = try WritePreferences(request)
    let purpose = WriteParameters.Purpose(
      of: target.effect(of: request.method), isSingle: target.path.isSingle, preferences.resolution)
    try target.checkParameters(asked.query)
    let parameters = try WriteParameters(asked.query, of: resource, for: purpose)
    conflicts = try NestedConflicts(
      parameters.nestedConflicts, below: resource, preferences.resolution, in: version)
    if let column = target.column {
      importFormat = nil
      let draft = try RecordDraft(
        column, in: request, of: resource, version.model, takesBytes: target.takesBytes && !asked.isPart)
      content = WriteContent.Records(drafts: [draft])
    } else if request.method == .delete || target.isLink(for: request) || isOnlyComputed {
      importFormat = nil
      content = nil
    } else {
      let form = try form ?? WriteContent.form(of: request)
      importFormat = form.importFormat
      content =
        importFormat == nil
        ? try Self.content(of: request, form, purpose, target, resource, version, limits, conflicts, check)
        : nil
    }
    let computed =
      parameters.computing.isEmpty
      ? nil : try ComputedChange(parameters.computing, of: resource, in: version, limits, check: check)
    self.computed = computed
    for draft in content?.drafts ?? [] { try computed?.check(draft) }
    conflictColumns =
      try parameters.conflictColumns.map { try resource.uniqueKey($0, of: WriteParameters.conflictName) }
      ?? (resource.table.isKeyUnchecked ? [] : resource.keyColumns)
    // Finding records by a key that the client can't see would reveal it.
    guard
      preferences.resolution == nil && purpose != .linking
        || !conflictColumns.isEmpty && conflictColumns.allSatisfy(resource.columns.contains(named:))
    else {
      throw RequestError(
        .invalidValue,
        "\(resource.name) has no primary key that identifies existing records; name a unique key with `onConflict`\(purpose == .linking ? "" : ", or leave out `resolution`")"
      )
    }
    isShaped = parameters.shapeRecords
    answer = try WriteAnswer(
      of: resource, paths: content?.paths ?? [], parameters: parameters, version: version, limits: limits,
      check: check)
    linked = try purpose == .linking ? Self.linked(target, resource, version, limits, check) : nil
    selection =
      purpose.isOfMany
      ? try WriteSelection(
        segments, asked, parameters.selecting, target, resource,
        draft: content?.drafts.first ?? computed.map { _ in RecordDraft(pointer: JSONPointer()) },
        computed,
        returnsRecords: preferences.content.map { $0 == .representation } ?? (request.method == .patch),
        in: version, limits, check: check)
      : nil
  }

  private static func content(
    of request: HTTPRequest, _ form: WriteContent.Form, _ purpose: WriteParameters.Purpose,
    _ target: WriteTarget, _ resource: WrittenResource, _ version: ModelVersion, _ limits: RequestLimits,
    _ conflicts: NestedConflicts, _ check: @escaping () throws -> Void
  ) throws -> WriteContent.Records {
    let shape: WriteContent.Shape =
      request.method == .post ? .objectOrArray : purpose == .linking ? .array : .object
    let content = try WriteContent.records(
      in: request, isMergePatch: form.isMergePatch, shape, of: resource, version: version, limits: limits,
      conflicts: conflicts, check: check)
    guard !target.links(by: request.method) || content.drafts.allSatisfy(\.isEmpty) else {
      throw Problem.refusedValue(
        "a request that links two records has no content; leave it out", at: JSONPointer())
    }
    return content
  }

  /// Returns the lookup of the records that are linked to that of the path, as far as the client sees them and in the order
  /// in which a GET returns them.
  private static func linked(
    _ target: WriteTarget, _ resource: WrittenResource, _ version: ModelVersion, _ limits: RequestLimits,
    _ check: @escaping () throws -> Void
  ) throws -> ExecutableLookup? {
    guard case .join(let join) = target.linkage else { return nil }
    var request = FetchRequest(path: target.path, root: RequestNode())
    request.literals = target.literals
    let columns = WrittenResource.once(resource.identifyingColumns + join.far.destinationColumns)
    return ExecutableLookup(
      try version.planner(limits: limits.planning, check: check).lookup(request, columns: columns))
  }
}

extension WriteTarget {
  /// Whether a method links two existing records.
  fileprivate func links(by method: HTTPMethod) -> Bool {
    if method == .put, key != nil, case .join = linkage { true } else { false }
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
  /// The largest number of records.
  let limit: Int64
  /// Whether that is as many as the memory of a request allows, and the client allows more.
  let isLimitOfMemory: Bool

  /// The largest memory of all records, and about the bytes that each takes: what locates it, each further column, a change,
  /// and what is returned of it.
  private static let memory = 56 << 20
  private static let (recordMemory, columnMemory, changeMemory, returnedMemory) = (208, 96, 752, 128)

  /// - Parameter check: Throws if planning must stop.
  /// - Throws: `RequestError`, also if there are no conditions.
  init(
    _ segments: [Substring], _ asked: RequestContext, _ query: QueryParameters, _ target: WriteTarget,
    _ resource: WrittenResource, draft: RecordDraft?, _ computed: ComputedChange?, returnsRecords: Bool,
    in version: ModelVersion, _ limits: RequestLimits, check: @escaping () throws -> Void
  ) throws {
    var limits = limits
    limits.pageSize = limits.maximumPageSize
    var parser = FetchRequestParser(model: version.model, limits: limits)
    var parsed = try parser.parse(
      path: target.path, literals: target.literals, segments: segments, parameters: query)
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
    var columns = RecordDeletion.columns(toDelete: resource)
    if let draft {
      columns = RecordWriter.columns(
        of: resource, for: draft, and: computed?.columnsOfReferences(of: resource) ?? [])
    }
    if case .join(let join) = target.linkage {
      columns += join.far.destinationColumns.filter { !columns.containsExactly($0) }
    }
    let size =
      Self.recordMemory + max(0, columns.count - 1) * Self.columnMemory
      + (draft == nil ? 0 : Self.changeMemory) + (returnsRecords ? Self.returnedMemory : 0)
    let most = Int64(Self.memory / size)
    isLimitOfMemory = parsed.limit.map { $0 > most } ?? true
    limit = isLimitOfMemory ? most : parsed.limit ?? most
    if isLimitOfMemory {
      parsed.fetchRequest.root.limit = parsed.fetchRequest.literals.number(of: .integer(limit))
    }
    lookup = ExecutableLookup(
      try version.planner(limits: limits.planning, check: check)
        .lookup(parsed.fetchRequest, columns: columns))
    parameters = Parameters(
      literals: parsed.fetchRequest.literals.values, claims: asked.principal.claims)
  }
}
