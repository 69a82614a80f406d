import KindredPlanning

/// The format in which a result is written.
public enum ResultFormat: Sendable {
  /// A JSON array; a single record as an object.
  case json
  /// One JSON record per line (`application/x-ndjson`).
  case lines
  /// Arrays by position without loss (`profile=rows`): one per line, or all of them in an array.
  case rows(inLines: Bool)
  /// CSV (RFC 4180) with a header, behind a byte order mark if it is marked; values of to-one associations are columns
  /// such as `author.name`.
  case csv(isMarked: Bool)
  /// HTML tables.
  case html(HTMLLayout)

  /// Returns the programs that write the rows of each node, and their text.
  func programs(of plan: Plan) throws(NotTabular) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    switch self {
    case .json: JSONPrograms.make(plan)
    case .lines: JSONPrograms.make(plan, endingRecordsBy: "\n")
    case .rows(let inLines): JSONPrograms.make(plan, .arrays, endingRecordsBy: inLines ? "\n" : nil)
    case .csv(let isMarked): try CSVProgram.make(plan, isMarked: isMarked)
    case .html(let layout): HTMLPrograms.make(plan, layout: layout)
    }
  }
}

/// Thrown where a result can't be written as CSV.
public struct NotTabular: Error {
  /// The names that lead to the member that isn't a single value.
  public let path: [String]
}
