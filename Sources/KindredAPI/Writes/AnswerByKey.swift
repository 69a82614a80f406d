import KindredModel
import KindredPlanning
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The request by which a write reads its records back, one after the other by their keys.
///
/// Its plan serves all records, whatever the values of the parameters: places for the key are its first literals.
struct AnswerByKey: Sendable {
  let planned: PlannedRequest
  /// The values of the parameters, after places for those of the key.
  private let literals: [SQLValue]
  private let keyCount: Int

  /// - Parameters:
  ///   - name: The name of the resource or action whose answer it is.
  ///   - resource: The resource of the records.
  ///   - key: The columns by which they are found; of a resource whose records nothing finds again, all of them.
  ///   - paths: The paths of the associations in the tree that was written.
  ///   - shaping: The parameters that shape a record.
  ///   - check: Throws if planning must stop.
  ///   - refine: Changes the root of the request.
  /// - Throws: `RequestError`.
  init(
    of name: String, as resource: WrittenResource, by key: [String], paths: [[String]] = [],
    shaping: QueryParameters, in version: ModelVersion, _ limits: RequestLimits,
    check: @escaping () throws -> Void,
    refining refine: (inout RequestNode) throws -> Void = { _ in }
  ) throws {
    keyCount = key.count
    let query = shaping.asQuery
    let shape = RequestShape(of: query, resource: resource.name, vocabulary: version.shapes)
    let answer = try version.plans.answer(of: name, paths: paths, shape, keyCount: key.count) {
      var literals = Literals(areDistinct: query.comparesExpressions)
      let values = key.map { RequestPath.KeyColumn(name: $0, literals: [literals.numberOfUnknown()]) }
      var parser = FetchRequestParser(model: version.model, limits: limits)
      var parsed = try parser.parse(
        path: RequestPath(resource: resource.name, segments: [.record(resource.isLocated ? values : [])]),
        literals: literals,
        parameters: shaping, including: paths.map(IncludeItem.init))
      try refine(&parsed.fetchRequest.root)
      let planner = version.planner(limits: limits.planning, check: check)
      let plan =
        resource.isLocated
        ? try planner.plan(parsed.fetchRequest, isForManyKeys: true)
        : try planner.plan(parsed.fetchRequest, ofRowOf: key)
      // Not timeless: the answer to a write is never cached.
      return PlannedRequest(
        plan: try ExecutablePlan(plan), isTimeless: false, explains: false,
        parameters: Parameters(literals: parsed.fetchRequest.literals.values), limit: nil,
        order: RequestOrder(segments: []))
    }
    (planned, literals) = (answer.planned, answer.literals)
  }

  /// Returns the parameters that read the record with a key.
  func parameters(_ key: [SQLValue], for principal: Principal) -> Parameters {
    var literals = literals
    literals.replaceSubrange(0..<keyCount, with: key)
    return Parameters(literals: literals, claims: principal.claims)
  }
}
