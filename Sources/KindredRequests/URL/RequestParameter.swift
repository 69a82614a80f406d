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

  private init(
    name: RequestParameterName, value: Value, owner: Owner, isOfMany: Bool = false, summary: String
  ) {
    (self.name, self.value, self.owner) = (name.rawValue, value, owner)
    (self.isOfMany, self.summary) = (isOfMany, summary)
  }

  package static let all: [RequestParameter] = [
    RequestParameter(
      name: .include, value: .includes, owner: .root, summary: "Associations to include in the result."),
    RequestParameter(
      name: .join, value: .includes, owner: .root,
      summary: "Associations that the request uses without including them in the result."),
    RequestParameter(
      name: .filter, value: .expression, owner: .all,
      summary: "Keeps only the records for which the expression is true."),
    RequestParameter(
      name: .sort, value: .sort, owner: .all, summary: "The order of the records; `-` means descending."),
    RequestParameter(
      name: .fields, value: .fields, owner: .all,
      summary: "The columns and expressions to return; empty for none."),
    RequestParameter(
      name: .values, value: .expression, owner: .nodes,
      summary: "Returns this value instead of an object for each record."),
    RequestParameter(
      name: .annotate, value: .namedExpressions, owner: .all,
      summary: "Values to add to each record."),
    RequestParameter(
      name: .having, value: .expression, owner: .all,
      summary:
        "Keeps only the records or groups for which the expression, which may contain aggregates, is true."),
    RequestParameter(
      name: .group, value: .expressions, owner: .all, isOfMany: true,
      summary: "Returns one result for each group of records with equal values of these expressions."),
    RequestParameter(
      name: .distinct, value: .boolean, owner: .all, summary: "Removes duplicate results."),
    RequestParameter(
      name: .limit, value: .count, owner: .all, isOfMany: true,
      summary: "The maximum number of records."),
    RequestParameter(
      name: .offset, value: .count, owner: .all, isOfMany: true, summary: "The number of records to skip."
    ),
    RequestParameter(
      name: .count, value: .words(["true", "false", "estimated"]), owner: .root,
      summary:
        "Adds `X-Total-Count`; `estimated` adds it up to \(Plan.exactCount), and above that `X-Estimated-Count` where the database has an estimate."
    ),
    RequestParameter(
      name: .search, value: .pattern, owner: .all,
      summary: "Keeps only the records that match the full-text pattern."),
    RequestParameter(
      name: .after, value: .cursor, owner: .root,
      summary: "The cursor of the page to return, from `Link`."),
    RequestParameter(
      name: .format, value: .words(MediaType.formats.map(\.key)), owner: .root,
      summary: "The format of the response; overrides `Accept`."),
    RequestParameter(
      name: .explain, value: .boolean, owner: .root,
      summary: "Returns the SQL and the query plans instead of the data."),
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
