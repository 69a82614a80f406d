import KindredAssociations

/// A parameter of requests (§3 of the contract); ``all`` is the only list of them.
struct RequestParameter {
  /// The kind of value after the `=`.
  enum Value {
    case includes, namedExpressions, fields, expression, expressions, sort
    case boolean, count, pattern, cursor
    /// One of these words.
    case words([String])
  }

  /// The parts of a request that can have a parameter.
  enum Owner {
    case root, nodes, all
  }

  let name: String
  let value: Value
  let owner: Owner
  /// Whether it applies to several records, so that a to-one node can't have it.
  var isOfMany = false
  /// A sentence that describes its effect.
  let summary: String

  static let all: [RequestParameter] = [
    RequestParameter(
      name: "include", value: .includes, owner: .root, summary: "Associations that are part of the result."),
    RequestParameter(
      name: "join", value: .includes, owner: .root,
      summary: "Associations that the request uses, without being part of the result."),
    RequestParameter(
      name: "filter", value: .expression, owner: .all,
      summary: "Only the records for which the expression holds."),
    RequestParameter(
      name: "sort", value: .sort, owner: .all, summary: "The order; `-` is for descending."),
    RequestParameter(
      name: "fields", value: .fields, owner: .all,
      summary: "The columns and expressions that are part of the result; empty for none."),
    RequestParameter(
      name: "values", value: .expression, owner: .nodes, summary: "Each record as this one bare value."),
    RequestParameter(
      name: "annotate", value: .namedExpressions, owner: .all,
      summary: "Values that are added to each record."),
    RequestParameter(
      name: "having", value: .expression, owner: .all,
      summary: "Only the records, or the groups, for which the expression with aggregates holds."),
    RequestParameter(
      name: "group", value: .expressions, owner: .all, isOfMany: true,
      summary: "One result for each group of records that agree in these expressions."),
    RequestParameter(
      name: "distinct", value: .boolean, owner: .all, summary: "Keeps the first of equal results."),
    RequestParameter(
      name: "limit", value: .count, owner: .all, isOfMany: true,
      summary: "How many records there are at most."),
    RequestParameter(
      name: "offset", value: .count, owner: .all, isOfMany: true, summary: "How many records are passed over."
    ),
    RequestParameter(name: "count", value: .boolean, owner: .root, summary: "Adds `X-Total-Count`."),
    RequestParameter(
      name: "search", value: .pattern, owner: .all,
      summary: "Only the records that match the full-text pattern."),
    RequestParameter(
      name: "after", value: .cursor, owner: .root,
      summary: "The page behind this cursor, which comes from `Link`."),
    RequestParameter(
      name: "format", value: .words(MediaType.formats.map(\.key)), owner: .root,
      summary: "The representation, before `Accept`."),
    RequestParameter(
      name: "explain", value: .boolean, owner: .root, summary: "The SQL and its plan instead of the data."),
  ]

  /// The parameters that the root can have.
  static let ofRoot = all.filter { $0.owner != .nodes }
  /// The parameters that a node can have.
  static let ofNodes = all.filter { $0.owner != .root }
}

extension RequestNode {
  /// The parameters that a node can have.
  static let parameterNames = RequestParameter.ofNodes.map(\.name)

  /// The parameters that the root can have.
  static let rootParameterNames = RequestParameter.ofRoot.map(\.name)
}
