/// How a result is written down.
public enum ResultFormat: Sendable {
  /// A JSON array; a single record as an object.
  case json
  /// A record a line, in JSON (`application/x-ndjson`).
  case lines
  /// A line of names, then a line a record (RFC 4180); values of to-one associations are columns of their own.
  case csv
  /// An HTML table; a single record as a list of names and values.
  case html(HTMLLinks)
}

/// Where the records of an HTML result lead, by the names of the members on the way to them.
public struct HTMLLinks: Sendable {
  /// The links of the records of one association, or of the root.
  public struct Record: Sendable {
    /// The encoded path of the resource, such as `/books`.
    public var path: String
    /// The members that show the key's columns, in key order.
    public var key: [String]
    /// The associations to follow, by key.
    public var associations: [String]

    /// Links to `path/key` and `path/key/association`.
    public init(path: String, key: [String], associations: [String]) {
      self.path = path
      self.key = key
      self.associations = associations
    }
  }

  var records: [[String]: Record]

  /// - Parameter records: by path of members; the root's is empty. Records without an address of their own are not there.
  public init(_ records: [[String]: Record]) {
    self.records = records
  }
}

/// Why a result can't be written as CSV.
public struct NotTabular: Error {
  /// The names that lead to the member that is no single value.
  public let path: [String]
}
