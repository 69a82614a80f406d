import KindredBackend
import KindredHTTP
import KindredModel
import KindredOutput
import KindredRequests

/// The current content of the path of a write, as a GET without parameters returns it.
struct PresentContent {
  let plan: WritePlan
  let path: Substring
  let transaction: any WriteTransaction
  let service: WriteService

  /// Returns the tag of the content; of a path to one value that of its record.
  ///
  /// - Throws: `RequestError`: `notFound` if there is no such record, `limitExceeded` if a value of it is too long to be
  ///   read.
  func tag() throws -> ContentHash.Digest {
    let records = records
    let planned = try service.context.planner.plan(records, plan.version)
    let execution = ReadExecution(planned, of: records, in: transaction, service.context)
    defer { execution.close() }
    do {
      return try execution.tag(at: service.state(of: transaction, plan.version))
    } catch let error as any BackendError where error.kind.isOfLength {
      throw RequestError(
        .limitExceeded,
        "the record has a value that can't be read for its tag, such as one that is too long; leave out `If-Match` and `If-None-Match`"
      )
    }
  }

  /// Returns the tag; nil if a value of the record is very long, since reading it might fail, and with it the write.
  ///
  /// - Throws: `RequestError` (`notFound`) if there is no such record.
  func tagUnlessVeryLong() throws -> ContentHash.Digest? {
    let records = records
    var (planned, search) = try service.context.planner.lengths(records, plan.version) {}
    let execution = ReadExecution(planned, of: records, in: transaction, service.context)
    defer { execution.close() }
    guard try search.longest(in: execution.source, plan.version.model) ?? 0 <= LongValue.readableByteCount
    else {
      return nil
    }
    return try tag()
  }

  private var records: RecordsQuery {
    let isOfValue = plan.target.column != nil
    return RecordsQuery(
      path: isOfValue ? path.withoutLastSegment : path,
      segments: isOfValue ? plan.segments.dropLast() : plan.segments, query: URLQuery(nil),
      principal: plan.principal)
  }
}

extension BackendErrorKind {
  /// Whether a value that is only read is too long.
  var isOfLength: Bool {
    switch self {
    case .exceeded, .noValue: true
    case .busy, .cancelled, .timedOut, .full, .tooLarge, .constraint, .wrongKey, .brokenSchema, .damaged,
      .misconfigured, .forbidden, .unavailable, .unsupported, .away, .unknownOutcome, .defect, .writes:
      false
    }
  }
}
