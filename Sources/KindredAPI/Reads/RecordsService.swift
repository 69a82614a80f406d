import KindredBackend
import KindredExplorer
import KindredHTTP
import KindredModel
import KindredOutput
import KindredRequests
import Logging

/// Answers requests that read records.
final class RecordsService: Sendable {
  let database: ReadDatabase
  let context: ServiceContext
  let models: ModelSource
  let representations: RepresentationCache
  /// Nil if live results are disabled.
  private let live: LiveService?

  init(_ database: ReadDatabase, live: LiveService?, in context: ServiceContext) {
    self.database = database
    self.live = live
    self.context = context
    models = context.models(of: database)
    representations = RepresentationCache(contents: context.options.responseCache)
  }

  /// Returns the records that a path and its parameters select.
  ///
  /// Tries again with any free connection if the schema has changed since it was read, or if the cursor of the page has
  /// to be found before the records: SQLite ends a transaction in which memory was exhausted
  /// (<https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction>).
  ///
  /// - Parameter query: The parameters of the URL, and of the content of a QUERY.
  func records(
    at segments: [Substring], _ query: URLQuery, _ asked: inout RequestContext
  ) throws -> HTTPResponse {
    let path = asked.request.path
    let query = try context.longRequests.expanded(query, of: path, for: asked.principal.standing) ?? query
    do {
      return try answer(at: segments, query, &asked)
    } catch let error as any BackendError where error.kind.isOfLength {
      throw (try? tooLong(segments, query, asked)) ?? error
    }
  }

  /// Returns the error that names the value for which a request has no memory; nil if it isn't found.
  private func tooLong(
    _ segments: [Substring], _ query: URLQuery, _ asked: RequestContext
  ) throws -> RequestError? {
    let (request, principal) = (asked.request, asked.principal)
    let role = try principal.databaseRole()
    // In another transaction, since SQLite ends one in which memory was exhausted.
    let reading = try database.backend.read(
      .free, as: role, cancellation: request.cancellation, seconds: asked.secondsLeft)
    defer { reading.close() }
    let version = try models.version(for: reading).seen(by: principal).readable(by: role, in: reading)
    let wanted = RecordsQuery(
      path: request.path, segments: segments, query: query, type: .json, principal: principal)
    var (planned, search) = try context.planner.lengths(wanted, version) {
      try reading.checkInterruption()
    }
    let execution = ReadExecution(planned, of: wanted, in: reading, context)
    defer { execution.close() }
    return try search.error(in: execution.source, version.model, limit: context.options.queryMemory)
  }

  private func answer(
    at segments: [Substring], _ query: URLQuery, _ asked: inout RequestContext
  ) throws -> HTTPResponse {
    var startsWithCursor = false
    var failed: FailedRule?
    do {
      return try attempt(at: segments, query, &asked)
    } catch let error as any BackendError where error.isOfEarlierSchema {
    } catch let error as any BackendError where error.isOfValues {
      failed = FailedRule(error, in: models.known?.seen(by: asked.principal))
      guard failed != nil else { throw error }
    } catch is RecordsReading.SortedTwice {
      startsWithCursor = true
    }
    let readers = asked.readers
    // The ticket of a request that has queued has been used.
    if case .queued = readers { asked.readers = .free }
    defer { asked.readers = readers }
    do {
      let response = try attempt(
        at: segments, query, &asked, startsWithCursor: startsWithCursor, cautiously: failed != nil)
      failed?.report(to: context.parts.logger)
      return response
    } catch let none as ReaderSource.NoneFree {
      // Who has queued before doesn't queue again.
      if case .queued = readers { throw Problem.busy }
      throw none
    } catch let twice as RecordsReading.SortedTwice {
      throw twice.error
    }
  }

  private func attempt(
    at segments: [Substring], _ query: URLQuery, _ asked: inout RequestContext,
    startsWithCursor: Bool = false,
    cautiously isCautious: Bool = false
  ) throws -> HTTPResponse {
    let (request, principal) = (asked.request, asked.principal)
    let (backend, types) = (database.backend, context.types)
    let format = MediaType(formatIn: query)
    let accepted = Result {
      if let format, !types.ofRecords.contains(format) {
        throw Problem.notAcceptable("this server has no explorer")
      }
      let accept = request.headers.values(for: "Accept")
      return try format ?? (accept.isEmpty ? .json : MediaType.negotiate(accept, among: types.ofRecords))
    }
    let type = (try? accepted.get()) ?? .json
    let wanted = RecordsQuery(
      path: request.path, segments: segments, query: query, type: type,
      principal: principal)
    if let live, type == .events || type == .rowEvents { return try live.events(of: wanted, asked) }
    let records = try RecordsRequest(
      wanted, request, isAttachment: format?.isUnpaged ?? false, startsWithCursor: startsWithCursor,
      among: representations
    ) { last, isConditional in
      guard case .success = accepted else { return nil }
      return try state(for: last, isNeeded: isConditional, asked)
    }
    if case .success = accepted, let response = unchanged(records, models.known?.number) {
      return response.telling(lastPosition(for: asked))
    }
    let role = try principal.databaseRole()
    let reading = try backend.read(
      asked.readers, as: role, cancellation: request.cancellation, seconds: asked.secondsLeft)
    do {
      let stateNumber = try reading.stateNumber(since: records.version)
      let version = try models.version(for: reading).seen(by: principal, cautiously: isCautious)
        .readable(by: role, in: reading)
      let planned = try context.planner.plan(wanted, version) { try reading.checkInterruption() }
      asked.timing.mark("plan")
      asked.timing.shape = planned.shape
      if planned.isColumnValue {
        let state = ShownState(of: reading, in: database, version, context, before: stateNumber)
        let execution = ReadExecution(planned, of: wanted, in: reading, context)
        return try ColumnValueReading(execution, of: wanted, request, reading, at: state, self)
          .response().telling(reading.position)
      }
      // Report an error in the request before an unacceptable media type.
      _ = try accepted.get()
      if planned.explains {
        guard context.options.showsPlans else { throw Problem.hidden("the query plans of requests") }
        try context.access.checkOperator(principal, "explain")
        defer { reading.close() }
        if format == nil {
          _ = try types.documentType(for: request)
        }
        let explanation = try Explanation(planned).document(in: reading, HiddenNames(in: version.model))
        return deliver(
          type == .html
            ? ExplanationPage(explanation, of: wanted.target, below: context.options.basePath).representation
            : Representation(explanation),
          to: request)
      }
      if held(by: records) != nil || records.last?.content != nil && planned.plan.readTables.known != nil {
        // Once the tables are known, the next such request needs no connection.
        _ = try? planned.plan.readTables.find { try reading.tables(readBy: planned.plan.plan) }
        if let response = unchanged(records, version.number, planned.plan.readTables) {
          reading.close()
          return response.telling(lastPosition(for: asked))
        }
      }
      let state = ShownState(of: reading, in: database, version, context, before: stateNumber)
      let result = RecordsReading(planned, for: records, at: state, reading, self)
      do {
        let representation = try result.representation()
        asked.timing.mark("query")
        return deliver(representation, to: request).telling(reading.position)
      } catch {
        result.close()
        guard let slow = error as? any BackendError, slow.kind == .timedOut else { throw error }
        reading.close()
        throw SlowRequest(planned: planned, version: version).problem(for: asked, of: database, in: context)
      }
    } catch {
      reading.close()
      throw error
    }
  }

  /// Returns how far the changes have come that the state shows in which the last response is current.
  private func lastPosition(for asked: RequestContext) -> Position? {
    if let state = asked.state, state.database == database.number { return state.answer.position }
    return database.backend.lastPosition
  }

  /// Returns the state of the database, or an earlier one; nil if it is unknown, or if asking for it wouldn't pay off.
  ///
  /// It is read before the snapshot is taken: after a commit in between, the response counts as older than it is, which
  /// only costs another query.
  ///
  /// - Parameters:
  ///   - last: The last response.
  ///   - isNeeded: Whether the request has a condition; without one, it can as well be read.
  /// - Throws: `CurrentState.Wanted`
  private func state(
    for last: RepresentationCache.Entry?, isNeeded: Bool, _ asked: RequestContext
  ) throws -> Int64? {
    guard database.backend.asksForState else { return database.backend.stateNumber }
    if let state = asked.state, state.database == database.number { return state.answer.number }
    let current = database.currentState
    if !isNeeded {
      guard let last, asked.mayWaitForState, current.mayBe(last.state), current.shouldAsk() else {
        return nil
      }
    }
    if asked.mayWaitForState { throw CurrentState.Wanted(database: database.number) }
    return database.backend.stateNumber
  }

  /// Returns the last response again, without a query, if nothing that it depends on has been written since: 304 if the
  /// client has it, else its content, if that is cached.
  ///
  /// - Parameters:
  ///   - model: The number of the model.
  ///   - tables: The tables that the response depends on, if they aren't those of the last one.
  private func unchanged(
    _ records: RecordsRequest, _ model: Int?, _ tables: ReadTables? = nil
  ) -> HTTPResponse? {
    guard let last = records.last, last.model == model else { return nil }
    let held = held(by: records)
    guard held != nil || last.content != nil else { return nil }
    let isCurrent = last.isCurrent(at: records.version, tables ?? last.tables, database.tableStates)
    if database.backend.asksForState, records.version != nil {
      database.currentState.note(wasCurrent: isCurrent)
    }
    guard isCurrent else { return nil }
    context.parts.metrics.countUnchanged()
    if let held { return Representation.notModified(held, with: last.fields) }
    return last.content.map { repeated(last, $0, for: records) }
  }

  /// Returns the response with its cached content.
  private func repeated(
    _ last: RepresentationCache.Entry, _ content: RepresentationCache.Content, for records: RecordsRequest
  ) -> HTTPResponse {
    var content = content
    if content.compressed == nil, coding(of: last, for: records) == .gzip {
      content.compressed = try? Gzip.compress(
        content.bytes, level: context.options.compressionLevel ?? Gzip.defaultLevel)
      representations.replace(last, by: last.with(content))
    }
    var representation = Representation(
      headers: records.headers(with: last.fields), content: .bytes(content.bytes), tag: last.tag)
    representation.compressed = content.compressed
    return deliver(representation, to: records.request)
  }

  /// Returns the tag of the last response as the client has it; nil if the client doesn't have that response.
  private func held(by records: RecordsRequest) -> EntityTag? {
    guard records.conditions.mayBeHeld, let last = records.last else { return nil }
    return records.conditions.heldTag(last.tag, coding: coding(of: last, for: records))
  }

  private func coding(of last: RepresentationCache.Entry, for records: RecordsRequest) -> ContentCoding {
    Representation.coding(
      for: records.request, isLong: last.isLong, compressionLevel: context.options.compressionLevel)
  }

  func deliver(_ representation: consuming Representation, to request: HTTPRequest) -> HTTPResponse {
    representation.response(to: request, compressionLevel: context.options.compressionLevel)
  }
}

/// A failure of a statement that may be that of a rule, which can't be computed for a record.
///
/// The request is tried again with rules that don't fail. If that succeeds, it was one: then the records stay out of sight,
/// and later requests use such rules from the start.
struct FailedRule {
  private let error: any BackendError
  private let version: ModelVersion

  /// - Parameter version: The version that the client sees.
  /// - Returns: Nil if no rule can have failed.
  init?(_ error: any BackendError, in version: ModelVersion?) {
    guard let version, !version.fallibleRules.isEmpty else { return nil }
    (self.error, self.version) = (error, version)
  }

  /// Logs the failure, once for the rights of a client and a version of the model.
  func report(to logger: Logger) {
    // Another request may have met it meanwhile.
    guard !version.isCautious, version.preferCaution() else { return }
    let names = version.fallibleRules.map { "`\($0)`" }.joined(separator: ", ")
    logger.warning(
      "The rule of \(names) can't be computed for some records, which stay out of sight.",
      metadata: ["error": "\(error)"])
  }
}
