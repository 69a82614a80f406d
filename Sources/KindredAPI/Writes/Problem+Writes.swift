import KindredAssociations
import KindredBackend
import KindredHTTP
import OrderedCollections

/// What can be wrong with a request that writes.
extension Problem {
  /// 415: the content is of none of the types that are taken.
  static func unsupportedMediaType(_ method: HTTPMethod, types: [String]) -> Problem {
    let list = types.joined(separator: ", ")
    // RFC 9110 §15.5.16, RFC 5789 §2.2
    return Problem(
      .unsupportedMediaType,
      "the content must be of one of these types, named in one well-formed field `Content-Type`: \(list)",
      headers: [("Accept", list)] + (method == .patch ? [("Accept-Patch", list)] : []))
  }

  /// 415: the content is compressed.
  static var unsupportedCoding: Problem {
    // RFC 9110 §15.5.16
    Problem(
      .unsupportedMediaType, "the content must be sent without `Content-Encoding`",
      headers: [("Accept-Encoding", "identity")])
  }

  init(_ error: JSONDocumentParser.SyntaxError) {
    self.init(.malformedJSON, "the content is no JSON: \(error.message), at character \(error.position)")
    position = error.position
  }

  /// 412: the record is not what the client thinks it is.
  static var preconditionFailed: Problem {
    Problem(.preconditionFailed, "the record is not the one that the request is meant for: read it again")
  }

  /// 409: a trigger has passed over the change (`RAISE(IGNORE)`).
  static func ignored(at pointer: JSONPointer? = nil) -> Problem {
    var problem = Problem(.conflict, "a trigger of the database ignores the change")
    problem.pointer = pointer?.fragment
    return problem
  }

  /// 422: a value that the table refuses.
  static func refusedValue(_ detail: String, at pointer: JSONPointer) -> Problem {
    var problem = Problem(.refusedValue, detail)
    problem.pointer = pointer.fragment
    return problem
  }

  /// 422: a member that can't be written, with those that may have been meant.
  static func unknownMember(_ name: String, of resource: Resource, at pointer: JSONPointer) -> Problem {
    let names = resource.columns.filter { !$0.isGenerated }.map(\.name) + Array(resource.associations.keys)
    let error = RequestError.unknown(
      name, .unknownColumn, "`\(name)` is neither a column nor an association of \(resource.name)",
      among: names)
    var problem = Problem(.unknownMember, error.message)
    problem.suggestions = error.suggestions
    problem.pointer = pointer.fragment
    return problem
  }

  /// 409: a unique key is that of another record.
  static var takenKey: Problem { Problem(.conflict, "there is such a record already") }

  /// 409: a foreign key leads to a record that is not there, or not for the client.
  static var danglingReference: Problem {
    Problem(.conflict, "a record refers to one that is not there, or would do so afterwards")
  }

  /// 409: these columns refer to no record, or to none that the client may see: the same for both.
  static func danglingReference(_ columns: [String], at pointer: JSONPointer) -> Problem {
    let names = columns.map { "`\($0)`" }.joined(separator: ", ")
    let verb = columns.count == 1 ? "refers" : "refer"
    var problem = Problem(.conflict, "\(names) \(verb) to a record that is not there")
    problem.pointer = (columns.count == 1 ? pointer + columns[0] : pointer).fragment
    return problem
  }

  /// A constraint that refused a change; nil for other errors.
  ///
  /// A database's messages hold the text of expressions, so only those parts of them are told that are known by name.
  ///
  /// - Parameters:
  ///   - resource: what was to be changed, where it is one record.
  ///   - pointer: where the client said so.
  init?(
    refusing error: any BackendError, changing resource: Resource? = nil,
    at pointer: JSONPointer = JSONPointer()
  ) {
    let columns = resource?.columns(namedBy: error) ?? []
    let names = columns.map { "`\($0)`" }.joined(separator: ", ")
    let one = columns.count == 1 ? pointer + columns[0] : pointer
    switch error.kind {
    case .constraint(.notNull):
      self = .refusedValue(names.isEmpty ? "a value is missing" : "\(names) must have a value", at: one)
    case .constraint(.check):
      self = .refusedValue("a value is beyond what the table allows (a CHECK constraint)", at: pointer)
    case .constraint(.dataType):
      self = .refusedValue(
        names.isEmpty ? "a value is not of its column's type" : "\(names) is of another type", at: one)
    case .constraint(.unique):
      // Which values a record out of sight has is not told.
      let isNamed = !names.isEmpty && resource?.permissions?.rowRule == nil
      self = .takenKey
      if isNamed { detail = "there is a record with this \(names) already" }
      self.pointer = (isNamed ? one : pointer).fragment
    case .constraint(.foreignKey): self = .danglingReference
    case .constraint(.trigger(let message)):
      self.init(.conflict, message.isEmpty ? "a trigger of the database refuses the change" : message)
    case .constraint(.other): self.init(.conflict, "the database refuses the change")
    case .wrongKey: self = .refusedValue("the key must be a whole number", at: pointer)
    default: return nil
    }
  }
}

extension Resource {
  /// The columns that an error is about, where clients may know them all.
  fileprivate func columns(namedBy error: any BackendError) -> [String] {
    let visible = Set(columns.map(\.name))
    let named = error.columns(of: table)
    return named.allSatisfy(visible.contains) ? named : []
  }
}
