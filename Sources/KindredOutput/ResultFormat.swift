/// How a result is written down.
public enum ResultFormat: Sendable {
  /// A JSON array; a single record as an object.
  case json
  /// A record a line, in JSON (`application/x-ndjson`).
  case lines
  /// A line of names, then a line a record (RFC 4180); values of to-one associations are columns of their own.
  case csv
  /// An HTML table.
  case html(HTMLLayout)
}

/// Why a result can't be written as CSV.
public struct NotTabular: Error {
  /// The names that lead to the member that is no single value.
  public let path: [String]
}
