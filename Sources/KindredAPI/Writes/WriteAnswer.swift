import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The content that a write returns: its records as a GET with the same parameters would return them, with the tree
/// that was written.
struct WriteAnswer {
  /// The request that reads the records; nil if the client may add them but not read them.
  private let answer: AnswerByKey?
  /// The plan that reads the records.
  var plan: ExecutablePlan? { answer?.planned.plan }
  private let resource: WrittenResource
  private let version: ModelVersion

  /// The first literals of the plan, because they were numbered first.
  private var answerColumns: [String] { resource.answerColumns }
  /// Whether a record may be invisible to the client that has written it.
  private var isRestricted: Bool { resource.permissions.rowRule != nil }

  /// The largest length in bytes: an answer is complete in memory before the change is committed, for a moment with a
  /// copy of the memory that it has outgrown.
  static let maximumLength = 16 << 20

  /// - Parameters:
  ///   - paths: The paths of the associations in the tree.
  ///   - parameters: The parameters that shape a record.
  ///   - check: Throws if planning must stop.
  /// - Throws: `RequestError`.
  init(
    of resource: WrittenResource, paths: [[String]], parameters: WriteParameters, version: ModelVersion,
    limits: RequestLimits, check: @escaping () throws -> Void
  ) throws {
    self.resource = resource
    self.version = version
    answer =
      version.model.isDenied(resource.name)
      ? nil
      : try AnswerByKey(
        of: resource.name, as: resource, by: resource.answerColumns, paths: paths,
        shaping: parameters.shaping,
        in: version, limits, check: check)
  }

  /// Returns the records in JSON; `null` for a record that no longer exists, or that the client can't see.
  func json(
    of records: [StoredRecord], isArray: Bool, to principal: Principal, in transaction: any WriteTransaction
  ) throws -> [UInt8] {
    var bytes: [UInt8] = isArray ? [UInt8(ascii: "[")] : []
    // A record that couldn't be read back when it was written can't be read now, either.
    for run in records.runs(by: \.isReadBack) {
      if bytes.count > (isArray ? 1 : 0) { bytes.append(UInt8(ascii: ",")) }
      if let answer, run.first?.isReadBack ?? false {
        try append(Array(run), as: answer, to: &bytes, for: principal, in: transaction)
      } else {
        bytes += run.map { _ in "null" }.joined(separator: ",").utf8
      }
    }
    if isArray { bytes.append(UInt8(ascii: "]")) }
    return bytes
  }

  /// Adds the JSON of records that have been read back, separated by commas.
  private func append(
    _ records: [StoredRecord], as answer: AnswerByKey, to bytes: inout [UInt8], for principal: Principal,
    in transaction: any WriteTransaction
  ) throws {
    let parameters = records.map { answer.parameters($0.values(of: answerColumns), for: principal) }
    var latest = 0
    try transaction.readEach(of: answer.planned.plan, parameters) { number, part in
      if number > latest { bytes.append(UInt8(ascii: ",")) }
      latest = number
      guard let part else {
        try checkAbsent(records[number], in: transaction)
        bytes += "null".utf8
        return
      }
      bytes += part
      guard bytes.count <= Self.maximumLength else {
        throw RequestError(
          .limitExceeded,
          "the records to return are too long; include less, or send `Prefer: return=minimal`")
      }
    }
  }

  /// Checks that a record which the plan doesn't find is hidden, or already deleted by a trigger or by
  /// `ON CONFLICT REPLACE` of a later one.
  private func checkAbsent(_ record: StoredRecord, in transaction: any WriteTransaction) throws {
    guard !isRestricted, try isPresent(record, in: transaction) else { return }
    throw RequestError(
      .invalidValue, "the written record lacks an association that the parameters require; leave out `!`")
  }

  /// Returns whether a record is still stored; true if nothing finds it again.
  private func isPresent(_ record: StoredRecord, in transaction: any WriteTransaction) throws -> Bool {
    guard resource.isLocated else { return true }
    let columns = answerColumns.exact
    let presence = version.changes.statement(.selection(of: columns, by: columns), of: resource.table)
    return try !transaction.rows(of: presence, Parameters(literals: record.values(of: answerColumns))).isEmpty
  }
}
