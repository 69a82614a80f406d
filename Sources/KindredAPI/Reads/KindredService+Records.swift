import KindredAssociations
import KindredBackend
import KindredHTTP
import KindredOutput

/// A request for the records that a path leads to.
///
/// An object, so that passing it on doesn't copy all parts of the request.
final class RecordsRequest: Sendable {
  let segments: [Substring]
  let request: HTTPRequest
  let principal: Principal
  let type: MediaType
  /// Whether a browser should save the response instead of showing it.
  let isAttachment: Bool
  let key: RepresentationCache.Key
  /// The state of the database when the request arrived, or an earlier one; nil if unknown.
  let version: Int64?
  let condition: EntityTag.Condition?

  init(
    segments: [Substring], request: HTTPRequest, principal: Principal, type: MediaType, isAttachment: Bool,
    key: RepresentationCache.Key, version: Int64?, condition: EntityTag.Condition?
  ) {
    self.segments = segments
    self.request = request
    self.principal = principal
    self.type = type
    self.isAttachment = isAttachment
    self.key = key
    self.version = version
    self.condition = condition
  }
}

extension KindredService {
  /// Returns the records that a path and its parameters select.
  func records(
    _ segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    // Without a copy of the request, unless it is a long one.
    if let expanded = try longRequests.expanded(request, for: principal.standing) {
      try plannedAgain { try records(at: segments, expanded, principal, $0 ?? readers, &timing) }
    } else {
      try plannedAgain { try records(at: segments, request, principal, $0 ?? readers, &timing) }
    }
  }

  /// Runs `body`, and once more with any free connection if the schema has changed since it was read.
  private func plannedAgain(_ body: (ReaderSource?) throws -> HTTPResponse) throws -> HTTPResponse {
    do {
      return try body(nil)
    } catch let error as any BackendError where error.isOfEarlierSchema {
      do {
        return try body(.free)
      } catch is ReaderSource.NoneFree {
        throw error
      }
    }
  }

  private func records(
    at segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    let format = MediaType(formatIn: request.query)
    let accepted = Result {
      if let format, !recordTypes.contains(format) {
        throw Problem.notAcceptable("this server has no explorer")
      }
      let accept = request.headers.values(for: "Accept")
      return try format ?? (accept.isEmpty ? .json : MediaType.negotiate(accept, among: recordTypes))
    }
    if let changeFeed, case .success(.events) = accepted {
      return try live(segments, request, principal, readers, changeFeed)
    }
    let type = (try? accepted.get()) ?? .json
    let condition = EntityTag.Condition(request.headers.values(for: "If-None-Match"))
    let asked = RecordsRequest(
      segments: segments, request: request, principal: principal, type: type,
      isAttachment: format?.isUnpaged ?? false,
      key: RepresentationCache.Key(target: request.target, type: type, rights: principal.rights),
      // Read before the snapshot is taken: after a commit in between, the response counts as older than it is, which
      // only costs another query.
      version: condition == nil ? nil : backend.stateNumber, condition: condition)
    if case .success = accepted, let response = unchanged(asked) { return response }
    // The time in the queue counts towards the query time.
    let waited = if case .queued = readers { Double(timing.nanoseconds) / 1e9 } else { 0.0 }
    let role = try principal.databaseRole()
    let reading = try backend.read(
      readers, as: role, cancellation: request.cancellation,
      seconds: options.queryTime.map { max(0, $0 - waited) })
    do {
      let stateNumber = try asked.version ?? reading.stateNumber()
      let version = try models.version(for: reading).seen(by: principal).readable(by: role, in: reading)
      let planned = try plan(asked, version) { try reading.checkInterruption() }
      timing.mark("plan")
      if planned.isColumnValue {
        defer { reading.close() }
        return try columnValue(planned, for: request, reading)
      }
      // Report an error in the request before an unacceptable media type.
      _ = try accepted.get()
      if planned.explains {
        guard options.showsPlans else { throw Problem.hidden("how requests are run") }
        try checkOperator(principal, "explain")
        defer { reading.close() }
        if format == nil {
          _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: documentTypes)
        }
        let explanation = try Explanation(planned).document(in: reading, HiddenNames(in: version.model))
        return deliver(
          type == .html ? ExplanationPage(explanation, request).representation : Representation(explanation),
          to: request)
      }
      let result = RecordsReading(planned, for: asked, at: stateNumber, reading, self)
      do {
        let representation = try result.representation()
        timing.mark("query")
        return deliver(representation, to: request)
      } catch {
        result.close()
        throw error
      }
    } catch {
      reading.close()
      throw error
    }
  }

  /// Returns 304 without a query if the client has the last response and nothing has been written since.
  private func unchanged(_ asked: RecordsRequest) -> HTTPResponse? {
    guard let condition = asked.condition, asked.request.headers["If-Match"] == nil,
      let version = asked.version,
      let known = representations.entry(for: asked.key), known.version == version
    else { return nil }
    let coding = Representation.coding(
      for: asked.request, isLong: known.isLong, compressionLevel: options.compressionLevel)
    guard let held = condition.match(known.tag, coding: coding) else { return nil }
    serviceMetrics.countUnchanged()
    return Representation.notModified(held)
  }

  /// Returns the planned request; its plan is shared by all requests of its shape.
  ///
  /// - Parameter check: Throws if planning must stop.
  func plan(
    _ asked: RecordsRequest, _ version: ModelVersion, check: @escaping () throws -> Void = {}
  ) throws -> PlannedRequest {
    let type = asked.type
    let shape = RequestShape(
      path: asked.segments, query: asked.request.query, type: type, vocabulary: version.shapes,
      limits: options.limits, isUnpaged: type.isUnpaged, principal: asked.principal)
    return try version.plans.request(for: shape, cursors) {
      var parser = FetchRequestParser(
        model: version.model, limits: options.limits, isUnpaged: type.isUnpaged)
      parser.cursors = cursors
      parser.principal = asked.principal.standing
      let parsed = try parser.parse(path: asked.segments, query: asked.request.query.map(String.init))
      let planner = Planner(model: version.model, limits: options.limits.planning, check: check)
      if type == .html, !parsed.explains, !parsed.isColumnValue {
        let page = PageRequest(parsed.fetchRequest, in: version.model)
        let added = try? self.planned(parsed, as: page.request, .html(page.layout), asked, version, planner)
        // The additions of a page must not make a valid request fail.
        if let added { return added }
      }
      let format = parsed.isColumnValue ? ResultFormat.json : ResultFormat(type)
      return try self.planned(parsed, as: parsed.fetchRequest, format, asked, version, planner)
    }
  }

  private func planned(
    _ parsed: ParsedRequest, as fetchRequest: FetchRequest, _ format: ResultFormat, _ asked: RecordsRequest,
    _ version: ModelVersion, _ planner: Planner
  ) throws -> PlannedRequest {
    let plan = try planner.plan(fetchRequest)
    do {
      return PlannedRequest(
        plan: try ExecutablePlan(plan, format: format),
        isTimeless: version.timelessness.holds(for: plan), readsLiterals: plan.readsLiterals,
        explains: parsed.explains,
        isTabular: asked.type == .html && (try? ExecutablePlan(plan, format: .csv)) != nil,
        parameters: Parameters(
          literals: fetchRequest.literals.values, cursor: fetchRequest.after, claims: asked.principal.claims),
        limit: parsed.limit.map { Int($0) }, isColumnValue: parsed.isColumnValue,
        name: fetchRequest.path.name,
        order: RequestOrder(
          segments: asked.segments, terms: parsed.orderTerms, principal: asked.principal.standing))
    } catch {
      throw Problem.notAcceptable(
        "`\(error.path.joined(separator: "."))` has no place in \(asked.type.rawValue), for it is not one value: "
          + "leave it out, or ask for \(MediaType.json.rawValue)")
    }
  }
}

extension ResultFormat {
  init(_ type: MediaType) {
    self =
      switch type {
      case .json, .events: .json
      case .lines, .jsonLines: .lines
      case .csv: .csv
      case .html: .html(HTMLLayout([:]))
      }
  }
}
