import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The rows of an action as records of a resource, read by their keys at the end of the action.
///
/// They have the columns that the action's statement gives, in its order, and only the columns that the client may
/// read; the parameters of the request shape them.
struct ActionRecords: Sendable {
  private let answer: AnswerByKey
  private let action: Action
  private let resource: WrittenResource
  /// The places of the key's columns among those of the statement.
  private let key: [Int]

  var plan: ExecutablePlan { answer.planned.plan }

  /// - Parameter check: Throws if planning must stop.
  /// - Throws: `RequestError`.
  init(
    of action: Action, as resource: WrittenResource, _ query: URLQuery, in version: ModelVersion,
    _ limits: RequestLimits, check: @escaping () throws -> Void
  ) throws {
    (self.action, self.resource) = (action, resource)
    key = resource.keyColumns.compactMap { name in action.columns.firstIndex { $0.name.hasBytes(of: name) } }
    // As for a deletion, the parameters only shape what is returned.
    let parameters = try WriteParameters(query, of: resource, for: .deleting)
    answer = try AnswerByKey(
      of: action.name, as: resource, by: resource.keyColumns, shaping: parameters.shaping, in: version,
      limits,
      check: check
    ) { root in
      try action.limitColumns(of: &root, resource.resource)
    }
  }

  /// Returns the records of rows in JSON, without records that no longer exist, or that the client can't see: an array,
  /// or if the action gives a single one, the first or `null`.
  func json(
    of rows: [[SQLValue]], to principal: Principal, in transaction: any WriteTransaction
  ) throws -> [UInt8] {
    let parameters = rows.map { row in answer.parameters(key.map { row[$0] }, for: principal) }
    var bytes: [UInt8] = action.isSingle ? [] : [UInt8(ascii: "[")]
    var latest: Int?
    try transaction.readEach(of: plan, parameters) { number, part in
      guard let part else { return }
      if action.isSingle, let latest, latest < number { return }
      if let latest, latest < number { bytes.append(UInt8(ascii: ",")) }
      latest = number
      bytes += part
      try ActionExecution.checkLength(bytes.count)
    }
    if action.isSingle { return latest == nil ? Array("null".utf8) : bytes }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }
}

extension Action {
  /// Makes the root of a request show the columns that the action's statement gives, and no others.
  ///
  /// - Throws: `RequestError` if the request names another column.
  fileprivate func limitColumns(of root: inout RequestNode, _ resource: Resource) throws {
    let given = columns.map(\.name).filter { name in resource.columns.contains { $0.name.hasBytes(of: name) }
    }
    let all = given.map { Field.expression(NamedExpression(name: nil, expression: Expression(names: [$0]))) }
    let asked = root.fields ?? [.all]
    for case .expression(let field) in asked { try check(field.expression, given, resource) }
    for annotation in root.annotations { try check(annotation.expression, given, resource) }
    root.fields = asked.flatMap { $0 == .all ? all : [$0] }
  }

  /// Checks that an expression about the record names no column that the statement doesn't give.
  private func check(_ expression: Expression, _ given: [String], _ resource: Resource) throws {
    if case .path(let path) = expression.kind, path.parents == 0, path.components.count == 1,
      path.components[0].arguments == nil
    {
      let name = path.components[0].name
      let isColumn = resource.columns.contains { $0.name.hasBytes(of: name) && !$0.isComputed }
      if isColumn, !given.contains(where: { $0.hasBytes(of: name) }) {
        throw RequestError.unknown(
          name, .unknownColumn, "`\(self.name)` doesn't return `\(name)`", among: given, at: expression.origin
        )
      }
    }
    for part in expression.parts { try check(part, given, resource) }
  }
}
