import KindredAssociations
import KindredBackend
import KindredHTTP
import KindredOutput

/// Answers requests that read records.
final class RecordsService: Sendable {
  let backend: any Backend
  let options: KindredService.Options
  private let planner: RequestPlanner
  let longRequests: LongRequests
  let snapshots: HeldSnapshots
  let representations = RepresentationCache()
  let tableStates: TableStates
  /// Whether pages let clients write.
  let isWritable: Bool
  let models: ModelSource
  private let access: AccessControl
  private let types: OfferedTypes
  private let metrics: ServiceMetrics
  /// Nil if live results are disabled.
  private let live: LiveService?

  init(
    _ database: ReadDatabase, _ options: KindredService.Options, _ models: ModelSource,
    _ planner: RequestPlanner, _ longRequests: LongRequests,
    _ access: AccessControl, _ types: OfferedTypes, _ metrics: ServiceMetrics,
    live: LiveService?, isWritable: Bool
  ) {
    backend = database.backend
    tableStates = database.tableStates
    snapshots = database.snapshots
    self.options = options
    self.models = models
    self.planner = planner
    self.longRequests = longRequests
    self.access = access
    self.types = types
    self.metrics = metrics
    self.live = live
    self.isWritable = isWritable
  }

  /// Returns the records that a path and its parameters select.
  func read(
    _ segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource,
    _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    // Without a copy of the request, unless it is a long one.
    if let expanded = try longRequests.expanded(request, for: principal.standing) {
      try tryingAgain {
        try read(at: segments, expanded, principal, $0 ?? readers, startsWithCursor: $1, &timing)
      }
    } else {
      try tryingAgain {
        try read(at: segments, request, principal, $0 ?? readers, startsWithCursor: $1, &timing)
      }
    }
  }

  /// Runs `body`, and once more with any free connection if the schema has changed since it was read, or if the cursor
  /// of the page has to be found before the records.
  ///
  /// That takes another snapshot: SQLite ends a transaction in which memory was exhausted
  /// (<https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>).
  private func tryingAgain(
    _ body: (ReaderSource?, _ startsWithCursor: Bool) throws -> HTTPResponse
  ) throws -> HTTPResponse {
    let first: any BackendError
    let startsWithCursor: Bool
    do {
      return try body(nil, false)
    } catch let error as any BackendError where error.isOfEarlierSchema {
      (first, startsWithCursor) = (error, false)
    } catch let twice as RecordsReading.SortedTwice {
      (first, startsWithCursor) = (twice.error, true)
    }
    do {
      return try body(.free, startsWithCursor)
    } catch is ReaderSource.NoneFree {
      if startsWithCursor { throw Problem.busy }
      throw first
    } catch let twice as RecordsReading.SortedTwice {
      throw twice.error
    }
  }

  private func read(
    at segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource,
    startsWithCursor: Bool, _ timing: inout RequestTiming
  ) throws -> HTTPResponse {
    let format = MediaType(formatIn: request.query)
    let accepted = Result {
      if let format, !types.ofRecords.contains(format) {
        throw Problem.notAcceptable("this server has no explorer")
      }
      let accept = request.headers.values(for: "Accept")
      return try format ?? (accept.isEmpty ? .json : MediaType.negotiate(accept, among: types.ofRecords))
    }
    if let live, case .success(.events) = accepted {
      return try live.events(of: segments, request, principal, readers)
    }
    let type = (try? accepted.get()) ?? .json
    let condition = EntityTag.Condition(request.headers.values(for: "If-None-Match"))
    let asked = RecordsRequest(
      segments: segments, request: request, principal: principal, type: type,
      isAttachment: format?.isUnpaged ?? false,
      // Read before the snapshot is taken: after a commit in between, the response counts as older than it is, which
      // only costs another query.
      version: condition == nil ? nil : backend.stateNumber, condition: condition,
      startsWithCursor: startsWithCursor)
    if case .success = accepted, let response = unchanged(asked, models.known?.number) {
      return response.telling(backend.lastPosition)
    }
    // The time in the queue, or of the first try, counts towards the query time.
    let isLate = if case .queued = readers { true } else { startsWithCursor }
    let waited = isLate ? Double(timing.nanoseconds) / 1e9 : 0
    let role = try principal.databaseRole()
    let reading = try backend.read(
      readers, as: role, cancellation: request.cancellation,
      seconds: options.queryTime.map { max(0, $0 - waited) })
    do {
      let stateNumber = try reading.stateNumber(since: asked.version)
      let version = try models.version(for: reading).seen(by: principal).readable(by: role, in: reading)
      let planned = try planner.plan(asked, version) { try reading.checkInterruption() }
      timing.mark("plan")
      timing.shape = planned.shape
      if planned.isColumnValue {
        defer { reading.close() }
        return try columnValue(planned, for: request, reading).telling(reading.position)
      }
      // Report an error in the request before an unacceptable media type.
      _ = try accepted.get()
      if planned.explains {
        guard options.showsPlans else { throw Problem.hidden("the query plans of requests") }
        try access.checkOperator(principal, "explain")
        defer { reading.close() }
        if format == nil {
          _ = try types.documentType(for: request)
        }
        let explanation = try Explanation(planned).document(in: reading, HiddenNames(in: version.model))
        return deliver(
          type == .html
            ? ExplanationPage(explanation, request, below: options.basePath).representation
            : Representation(explanation),
          to: request)
      }
      if held(by: asked) != nil {
        // Once the tables are known, the next such request needs no connection.
        _ = try? planned.plan.readTables.find { try reading.tables(readBy: planned.plan.plan) }
        if let response = unchanged(asked, version.number, planned.plan.readTables) {
          reading.close()
          return response.telling(backend.lastPosition)
        }
      }
      let result = RecordsReading(
        planned, for: asked, in: version.number, at: stateNumber, reading, self)
      do {
        let representation = try result.representation()
        timing.mark("query")
        return deliver(representation, to: request).telling(reading.position)
      } catch {
        result.close()
        throw error
      }
    } catch {
      reading.close()
      throw error
    }
  }

  /// Returns 304 without a query if the client has the last response, and nothing that it depends on has been written
  /// since.
  ///
  /// - Parameters:
  ///   - model: The number of the model.
  ///   - tables: The tables that the response depends on, if they aren't those of the last one.
  private func unchanged(
    _ asked: RecordsRequest, _ model: Int?, _ tables: ReadTables? = nil
  ) -> HTTPResponse? {
    guard let (known, held) = held(by: asked), known.model == model,
      known.isCurrent(at: asked.version, tables ?? known.tables, tableStates)
    else { return nil }
    metrics.countUnchanged()
    return Representation.notModified(held, with: known.fields)
  }

  /// Returns the last response, and its tag as the client has it; nil if the client doesn't have that response.
  private func held(by asked: RecordsRequest) -> (RepresentationCache.Entry, EntityTag)? {
    guard let condition = asked.condition, asked.request.headers["If-Match"] == nil,
      let known = representations.entry(for: asked.key)
    else { return nil }
    let coding = Representation.coding(
      for: asked.request, isLong: known.isLong, compressionLevel: options.compressionLevel)
    return condition.match(known.tag, coding: coding).map { (known, $0) }
  }

  /// Returns the value of one column: a BLOB as its bytes, any other value as JSON.
  ///
  /// - Parameter reading: A transaction with a snapshot, which the caller closes.
  private func columnValue(
    _ planned: PlannedRequest, for request: HTTPRequest, _ reading: any ReadTransaction
  ) throws -> HTTPResponse {
    let reader = reading.result(of: planned.plan, planned.parameters)
    defer { reader.close() }
    do {
      try reader.start()
    } catch let error as any BackendError where error.kind.isOfLength {
      throw RequestError(
        .limitExceeded, "the value is longer than the memory limit of a request, so it can't be sent")
    }
    guard let blob = reader.blob else {
      var json: [UInt8] = []
      while let part = try reader.next() { json += part }
      return deliver(Representation(MediaType.json.field, json), to: request)
    }
    let type = BlobType(sniffing: blob)
    var representation = Representation(type.mediaType, blob)
    representation.headers.append("Accept-Ranges", "bytes")
    // Whatever the bytes are, they get none of this origin's rights (W3C, Content Security Policy, "sandbox").
    representation.headers.append("Content-Security-Policy", "default-src 'none'; sandbox")
    if type.isActive {
      representation.headers.append(
        "Content-Disposition", ContentDisposition.attachment(named: "\(planned.name).\(type.fileExtension)"))
    }
    guard request.method == .get, let range = request.headers["Range"] else {
      return deliver(representation, to: request)
    }
    // A range refers to the plain bytes, so they aren't compressed.
    var response = representation.response(to: request, compressionLevel: nil)
    ByteRange.apply(range, ifRange: request.headers["If-Range"], to: &response, blob)
    return response
  }

  private func deliver(_ representation: consuming Representation, to request: HTTPRequest) -> HTTPResponse {
    representation.response(to: request, compressionLevel: options.compressionLevel)
  }
}

extension BackendErrorKind {
  /// Whether a value that is only read is too long.
  fileprivate var isOfLength: Bool {
    switch self {
    case .exceeded, .noValue: true
    case .busy, .cancelled, .timedOut, .full, .tooLarge, .constraint, .wrongKey, .brokenSchema,
      .misconfigured, .forbidden, .unavailable, .unsupported, .away, .defect:
      false
    }
  }
}
