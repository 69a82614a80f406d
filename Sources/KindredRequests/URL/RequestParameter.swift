import KindredModel
import KindredPlanning

/// A parameter of requests (docs/requests.md); ``all`` is the only list of them.
package struct RequestParameter {
  /// The kind of value after the `=`.
  package enum Value {
    case includes, namedExpressions, fields, expression, expressions, sort
    case boolean, count, pattern, cursor
    /// One of these words.
    case words([String])
  }

  /// The parts of a request that can have a parameter.
  enum Owner {
    case root, nodes, all
  }

  package let name: String
  package let value: Value
  let owner: Owner
  /// Whether it applies to several records, so that a to-one node can't have it.
  package let isOfMany: Bool
  /// A sentence that describes its effect.
  package let summary: String

  /// Whether it may be written several times: lists add up, and of conditions all must hold.
  package var isRepeatable: Bool {
    switch value {
    case .includes, .namedExpressions, .fields, .expressions, .sort: true
    case .expression: name != RequestParameterName.values.rawValue
    case .boolean, .count, .pattern, .cursor, .words: false
    }
  }

  private init(
    _ name: RequestParameterName, _ value: Value, of owner: Owner, isOfMany: Bool = false, _ summary: String
  ) {
    (self.name, self.value, self.owner) = (name.rawValue, value, owner)
    (self.isOfMany, self.summary) = (isOfMany, summary)
  }

  package static let all: [RequestParameter] = [
    RequestParameter(.include, .includes, of: .root, "Associations to include in the result."),
    RequestParameter(
      .join, .includes, of: .root,
      "Associations that the request uses without including them in the result."),
    RequestParameter(
      .filter, .expression, of: .all, "Keeps only the records for which the expression is true."),
    RequestParameter(.sort, .sort, of: .all, "The order of the records; `-` means descending."),
    RequestParameter(.fields, .fields, of: .all, "The columns and expressions to return; empty for none."),
    RequestParameter(
      .values, .expression, of: .nodes, "Returns this value instead of an object for each record."),
    RequestParameter(.annotate, .namedExpressions, of: .all, "Values to add to each record."),
    RequestParameter(
      .having, .expression, of: .all,
      "Keeps only the records or groups for which the expression, which may contain aggregates, is true."),
    RequestParameter(
      .group, .expressions, of: .all, isOfMany: true,
      "Returns one result for each group of records with equal values of these expressions."),
    RequestParameter(.distinct, .boolean, of: .all, "Removes duplicate results."),
    RequestParameter(.limit, .count, of: .all, isOfMany: true, "The maximum number of records."),
    RequestParameter(.offset, .count, of: .all, isOfMany: true, "The number of records to skip."),
    RequestParameter(
      .count, .words(["true", "false", "estimated"]), of: .root,
      "Adds `X-Total-Count`; `estimated` adds it up to \(Plan.exactCount), and above that `X-Estimated-Count` where the database has an estimate."
    ),
    RequestParameter(.search, .pattern, of: .all, "Keeps only the records that match the full-text pattern."),
    RequestParameter(
      .after, .cursor, of: .root, "Returns the page of the records that follow a cursor, which `Link` has."),
    RequestParameter(
      .before, .cursor, of: .root,
      "Returns the page of the records just before a cursor, which `Link` has; empty, the last page."),
    RequestParameter(
      .format, .words(MediaType.formats.map(\.key)), of: .root,
      "The format of the response; overrides `Accept`."),
    RequestParameter(
      .explain, .boolean, of: .root, "Returns the SQL and the query plans instead of the data."),
  ]

  /// The parameters that the root can have.
  package static let ofRoot = all.filter { $0.owner != .nodes }
  /// The parameters that a node can have.
  package static let ofNodes = all.filter { $0.owner != .root }
}

extension RequestNode {
  /// The parameters that a node can have.
  package static let parameterNames = RequestParameter.ofNodes.map(\.name)

  /// The parameters that the root can have.
  package static let rootParameterNames = RequestParameter.ofRoot.map(\.name)
}

/// The parameters of a request that take one value.
struct SingleParameters {
  private var names: Set<String> = []

  /// - Throws: `RequestError` for a second value of a parameter that takes one.
  mutating func add(_ parameter: QueryParameters.Parameter) throws {
    guard let known = RequestParameter.all.first(where: { $0.name == parameter.kind }), !known.isRepeatable,
      !names.insert(parameter.name).inserted
    else { return }
    throw RequestError(
      .invalidValue, "`\(parameter.name)` takes one value, and has two; leave one out", at: parameter.origin)
  }
}
