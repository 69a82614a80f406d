import Kindred
import KindredModel
import KindredSQLSyntax

/// A request that is ready to be sent.
struct PreparedRemoteRequest: Sendable {
  /// The path and the query, percent-encoded.
  let target: String
  /// How its answer becomes rows.
  let layout: RemoteRowLayout
  /// Whether the path begins with a record, whose associated records are fetched.
  let startsWithRecord: Bool
  /// The number of rows that a page has at most, and that are before it.
  let limit: Int64?
  let offset: Int64

  /// - Parameter isForCount: Whether only the number of rows is requested.
  /// - Throws: `RemoteError` (`notExpressible`), the error that resolving the request throws.
  init(_ blueprint: RequestBlueprint, in schema: RemoteSchema, counting isForCount: Bool = false) throws {
    let resolved = try blueprint.resolved(in: schema.ofRequests)
    var lowered = try RequestLowering.lower(resolved, in: schema)
    layout = lowered.layout
    limit = resolved.request.root.rows.limit?.integer.flatMap { $0 < 0 ? nil : $0 }
    offset = resolved.request.root.rows.offset?.integer ?? 0
    startsWithRecord = !lowered.request.path.segments.isEmpty
    if isForCount {
      // They don't change the number of rows, and with `distinct` no answer could have them.
      lowered.request.root.children.removeAll { $0.association?.cardinality == .toMany && !$0.isRequired }
      (lowered.request.root.limit, lowered.request.root.offset) = (nil, nil)
      lowered.request.count = true
    }
    do {
      target = try FetchRequestRenderer.url(of: lowered.request, in: schema.model)
    } catch is ExpressionRenderer.NotExpressible {
      throw RemoteError.notExpressible("a value that is not a number")
    }
  }

  /// Returns whether an error says that the record with which the path begins isn't there.
  ///
  /// As in a file, such a record has no associated records.
  func startsWithMissingRecord(_ error: RemoteError) -> Bool {
    guard startsWithRecord, case .notFound(let problem) = error else { return false }
    return problem.code == "not-found"
  }

  /// Returns the number of rows of the page, of a number without limit and offset.
  func count(of total: Int64) -> Int {
    let rest = max(0, total - offset)
    return Int(limit.map { min($0, rest) } ?? rest)
  }
}

extension KindredModel.FetchRequest {
  /// The values of the record that the request starts from; nil if it starts from none.
  var originValues: [String: SQLValue]? { origin?.compactMapValues(\.knownValue) }
}

extension KindredSQLSyntax.SQL.Binding {
  /// The integer that it is; nil for other values.
  var integer: Int64? { if case .integer(let integer)? = knownValue { integer } else { nil } }
}
