import KindredModel
import KindredPlanning
import KindredOutput
import KindredRequests
import KindredExplorer

/// Plans requests for records: from the URL to statements and the program that writes their rows.
final class RequestPlanner: Sendable {
  private let limits: RequestLimits
  let cursors: CursorCoding
  private let basePath: BasePath

  init(limits: RequestLimits, _ cursors: CursorCoding, _ basePath: BasePath) {
    self.limits = limits
    self.cursors = cursors
    self.basePath = basePath
  }

  /// Returns the planned request; its plan is shared by all requests of its shape.
  ///
  /// - Parameter check: Throws if planning must stop.
  func plan(
    _ records: RecordsQuery, _ version: ModelVersion, check: @escaping () throws -> Void = {}
  ) throws -> PlannedRequest {
    do {
      return try planned(records, version, check: check)
    } catch let error as RequestError {
      throw error.proposingColumn(at: records.segments, records.query, in: version.model)
    }
  }

  private func planned(
    _ records: RecordsQuery, _ version: ModelVersion, check: @escaping () throws -> Void
  ) throws -> PlannedRequest {
    let type = records.type
    let shape = RequestShape(of: records, vocabulary: version.shapes, limits: limits)
    return try version.plans.request(for: shape, cursors) {
      var parser = FetchRequestParser(
        model: version.model, limits: limits, isUnpaged: type.isUnpaged)
      parser.cursors = cursors
      parser.principal = records.principal.standing
      let parsed = try parser.parse(path: records.segments, query: records.query)
      let planner = version.planner(limits: limits.planning, check: check)
      if type == .html, !parsed.explains, !parsed.isColumnValue {
        let page = PageRequest(parsed.fetchRequest, in: version.model, below: basePath)
        let added = try? self.planned(
          parsed, as: page.request, .html(page.layout), records, version, planner, reading: .beginnings)
        // The additions of a page must not make a valid request fail.
        if let added { return added }
      }
      let format = parsed.isColumnValue ? ResultFormat.json : ResultFormat(type)
      return try self.planned(
        parsed, as: parsed.fetchRequest, format, records, version, planner,
        reading: parsed.isColumnValue ? .blob : .whole)
    }
  }

  /// Returns the request planned to read the lengths of its values, and the search for the longest of them.
  func lengths(
    _ records: RecordsQuery, _ version: ModelVersion, check: @escaping () throws -> Void
  ) throws -> (request: PlannedRequest, search: LongValueSearch) {
    var parser = FetchRequestParser(
      model: version.model, limits: limits, isUnpaged: records.type.isUnpaged)
    parser.cursors = cursors
    parser.principal = records.principal.standing
    let parsed = try parser.parse(path: records.segments, query: records.query)
    var request = parsed.fetchRequest
    var name = request.path.resource
    for case .association(let association) in request.path.segments { name = association.destination }
    if let resource = version.model.resources[name] { request.root.addKeys(of: resource, in: version.model) }
    let planned = try planned(
      parsed, as: request, .json, records, version, version.planner(limits: limits.planning, check: check),
      reading: .lengths)
    return (planned, LongValueSearch(parsed.fetchRequest, isColumnValue: parsed.isColumnValue))
  }

  private func planned(
    _ parsed: ParsedRequest, as fetchRequest: FetchRequest, _ format: ResultFormat, _ records: RecordsQuery,
    _ version: ModelVersion, _ planner: Planner, reading: ValueReading
  ) throws -> PlannedRequest {
    let plan = try planner.plan(fetchRequest, reading: reading)
    do {
      return PlannedRequest(
        plan: try ExecutablePlan(plan, format: format),
        isTimeless: plan.isTimeless, readsLiterals: plan.readsLiterals,
        explains: parsed.explains,
        isTabular: records.type == .html && (try? ExecutablePlan(plan, format: .csv(isMarked: false))) != nil,
        parameters: Parameters(
          literals: fetchRequest.literals.values, cursor: fetchRequest.page.cursor,
          claims: records.principal.claims
        ),
        limit: parsed.limit.map { Int($0) }, isColumnValue: parsed.isColumnValue,
        name: parsed.name ?? fetchRequest.path.name,
        order: RequestOrder(
          segments: records.segments, terms: parsed.orderTerms, patterns: parsed.patterns,
          principal: records.principal.standing))
    } catch {
      throw Problem.notAcceptable(
        "`\(error.path.joined(separator: "."))` is not a single value, so \(records.type.rawValue) can't represent it; "
          + "leave it out, or request \(MediaType.json.rawValue)")
    }
  }
}

extension ResultFormat {
  init(_ type: MediaType) {
    self =
      switch type {
      case .json, .events: .json
      case .lines, .jsonLines: .lines
      case .rows: .rows(inLines: true)
      case .rowEvents: .rows(inLines: false)
      case .csv: .csv(isMarked: false)
      case .markedCSV: .csv(isMarked: true)
      case .html: .html(HTMLLayout([:]))
      }
  }
}
