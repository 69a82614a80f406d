import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP

/// The problems of writes.
extension Problem {
  /// 415: the content has none of the accepted types.
  package static func unsupportedMediaType(_ method: HTTPMethod, types: [String]) -> Problem {
    let list = types.joined(separator: ", ")
    // RFC 9110 §15.5.16, RFC 5789 §2.2
    return Problem(
      .unsupportedMediaType,
      "the content must have a single, well-formed `Content-Type`, which is one of \(list)",
      headers: [("Accept", list)] + (method == .patch ? [("Accept-Patch", list)] : []))
  }

  /// 415: the content is compressed.
  static var unsupportedCoding: Problem {
    // RFC 9110 §15.5.16
    Problem(
      .unsupportedMediaType, "the content must be sent without `Content-Encoding`",
      headers: [("Accept-Encoding", "identity")])
  }

  package init(_ error: JSONDocumentParser.SyntaxError) {
    self.init(.malformedJSON, "the content is not JSON: \(error.message), at character \(error.position)")
    position = error.position
  }

  /// 412: the record isn't the one that the client expects.
  package static var preconditionFailed: Problem {
    Problem(.preconditionFailed, "the record doesn't satisfy the request's conditions; read it again")
  }

  /// 409: the database has ignored the change.
  package static func ignored(at pointer: JSONPointer? = nil) -> Problem {
    Problem(
      .conflict, "the database ignored the change (a trigger, or a rule such as `ON CONFLICT IGNORE`)",
      at: pointer)
  }

  /// 409: a change of the record that a path names would change other rows, too.
  package static var severalRows: Problem {
    Problem(
      .conflict,
      "the key in the path finds several rows of the table, so nothing was changed; select them with `filter`"
    )
  }

  /// 409: a later record of the same content has replaced one.
  package static func replaced(at pointer: JSONPointer) -> Problem {
    Problem(
      .conflict, "another record of the content replaces this one (`ON CONFLICT REPLACE`)", at: pointer)
  }

  /// 422: the table refuses a value.
  package static func refusedValue(_ detail: String, at pointer: JSONPointer) -> Problem {
    Problem(.refusedValue, detail, at: pointer)
  }

  /// 422: the table refuses a value that a parameter computes.
  package static func refused(_ detail: String, byParameter parameter: String) -> Problem {
    var problem = Problem(.refusedValue, detail)
    problem.parameter = parameter
    return problem
  }

  /// 409: two records can't be linked, since a column of the join table that refers to both would need two values.
  package static func unlinkable(_ join: JoinTable, at pointer: JSONPointer) -> Problem {
    let shared = join.columns.filter(join.far.originColumns.containsExactly)
      .filter(join.near.destinationColumns.containsExactly)
    return Problem(
      .conflict,
      "the records can't be linked: they differ in \(shared.map { "`\($0)`" }.joined(separator: ", "))",
      at: pointer)
  }

  /// 422: a member can't be written; suggestions name similar ones.
  ///
  /// - Parameter record: The position of the record that has the member.
  package static func unknownMember(_ name: String, of resource: Resource, in record: JSONPointer) -> Problem
  {
    let names = resource.columns.map(\.name) + Array(resource.associations.keys)
    // The name may be as long as the content, of which the problem mustn't hold two more copies.
    let shown = String(name.unicodeScalars.prefix(longestName))
    let isWhole = shown.utf8.count == name.utf8.count
    let error = RequestError.unknown(
      shown, .unknownColumn,
      "`\(shown)\(isWhole ? "" : "…")` is neither a column nor an association of \(resource.name)",
      among: names)
    var problem = Problem(.unknownMember, error.message, at: isWhole ? record + name : record)
    problem.suggestions = error.suggestions
    return problem
  }

  /// The number of characters of an unknown name that an error repeats.
  private static let longestName = 100

  /// 409: another record has the unique key.
  package static var takenKey: Problem { Problem(.conflict, "a record with this key exists already") }

  /// 409: several records have the key, which the model file gives and nothing checks.
  package static func ambiguousKey(of resource: String) -> Problem {
    Problem(
      .conflict,
      "several records of \(resource) have this key, so none is changed; the `key` of the model file must be unique"
    )
  }

  /// 409: a foreign key refers to a record that doesn't exist or isn't visible to the client.
  package static var danglingReference: Problem {
    Problem(.conflict, "a record refers to one that doesn't exist, or would do so after the change")
  }

  /// 409: another record refers to the record that is deleted or gets another key.
  package static func referredTo(at pointer: JSONPointer = JSONPointer()) -> Problem {
    Problem(
      .conflict, "another record refers to this one; delete or change that record first",
      at: pointer.isRoot ? nil : pointer)
  }

  /// 422: a link between two records needs more than their keys.
  package static func incompleteLink(_ resource: Resource, at pointer: JSONPointer) -> Problem {
    .refusedValue(
      "a link in \(resource.name) needs values for other columns too; add it with a POST to /\(resource.name)",
      at: pointer)
  }

  /// 409: these columns refer to a record that doesn't exist or isn't visible to the client, which can't be
  /// distinguished.
  package static func danglingReference(_ columns: [String], at pointer: JSONPointer) -> Problem {
    let names = columns.map { "`\($0)`" }.joined(separator: ", ")
    let verb = columns.count == 1 ? "refers" : "refer"
    return Problem(
      .conflict, "\(names) \(verb) to a record that doesn't exist",
      at: columns.count == 1 ? pointer + columns[0] : pointer)
  }

  /// Creates a problem from a violated constraint; returns nil for other errors.
  ///
  /// The database's messages contain the text of expressions, so only known names in them are reported.
  ///
  /// - Parameters:
  ///   - resource: The resource of the changed record, if it is a single one.
  ///   - pointer: The position in the client's content.
  package init?(
    refusing error: any BackendError, changing resource: Resource? = nil,
    at pointer: JSONPointer = JSONPointer()
  ) {
    let columns = resource?.columns(namedBy: error) ?? []
    let names = columns.map { "`\($0)`" }.joined(separator: ", ")
    let one = columns.count == 1 ? pointer + columns[0] : pointer
    // The error may not be about a value; a pointer to the whole content would then be misleading.
    let nested = pointer.isRoot ? nil : pointer
    let isOfOthers = resource.map { error.concernsOtherTable(than: $0.table) } ?? false
    switch error.kind {
    case .constraint(.notNull) where isOfOthers, .constraint(.check) where isOfOthers:
      self.init(
        .conflict,
        "the change would make another record invalid, which the database changes along with this one",
        at: nested)
    case .constraint(.notNull):
      self = .refusedValue(names.isEmpty ? "a value is missing" : "\(names) must have a value", at: one)
    case .constraint(.check):
      let name = resource?.constraint(namedBy: error).map { "the constraint `\($0)`" }
      self = .refusedValue(
        "a value violates a rule of the table (\(name ?? "a CHECK constraint"))", at: pointer)
    case .constraint(.dataType):
      let subject = names.isEmpty ? "a value" : names
      let predicate = names.isEmpty ? "doesn't have its column's type" : "has another type"
      self = .refusedValue(
        "\(subject) \(error.complaint.map { "is refused: \($0)" } ?? predicate)", at: one)
    case .constraint(.unique), .constraint(.exclusion):
      // The values of a record that the client can't see must not be revealed.
      let isNamed = !names.isEmpty && resource?.permissions.rowRule == nil
      let isKey = error.constraint == .unique
      let detail =
        switch (isKey, isNamed) {
        case (true, true): "a record with this \(names) exists already"
        case (true, false): Self.takenKey.detail
        case (false, true): "\(names) conflicts with another record"
        case (false, false): "the record conflicts with another one"
        }
      self.init(.conflict, detail, at: isNamed ? one : pointer)
    case .constraint(.foreignKey):
      self = .danglingReference
      self.pointer = nested?.fragment
    case .constraint(.raised(let error)):
      self.init(error)
      self.pointer = nested?.fragment
    case .constraint(.exhaustedKeys):
      self.init(
        .conflict,
        "no key is left that could be generated, because the largest one has been used; give the record a key",
        at: nested)
    case .constraint(.other): self.init(.conflict, "the database refused the change", at: nested)
    case .wrongKey:
      let key = resource?.table.rowIDColumn
      self = .refusedValue(
        "\(key.map { "`\($0)`" } ?? "the key") must be a whole number",
        at: key.map { pointer + $0 } ?? pointer)
    default: return nil
    }
  }
}

extension Resource {
  /// Returns the columns that an error is about, if clients may see all of them.
  fileprivate func columns(namedBy error: any BackendError) -> [String] {
    let visible = NameSet(columns.map(\.name))
    let named = error.columns(of: table)
    return named.allSatisfy(visible.contains) ? named : []
  }

  /// Returns the name of the constraint that an error is about, unless it tells of a column that clients may not see.
  fileprivate func constraint(namedBy error: any BackendError) -> String? {
    let visible = NameSet(columns.map(\.name))
    let hidden = table.columns.map(\.name).filter { !visible.contains($0) }
    guard let name = error.constraintName(of: table), !hidden.contains(where: name.contains) else {
      return nil
    }
    return name
  }
}
