/// A record as the scope of names, before there is any SQL.
///
/// ``PlanningState`` memoises the meanings of its names by its identity.
final class ResolutionScope {
  /// The record's table as clients see it.
  let resource: Resource
  /// The request's node for these records.
  let node: RequestNode?
  /// The record that `../` leads to.
  let parent: ResolutionScope?
  /// Why `../` leads nowhere, if it does.
  let parentRefusal: String
  /// The join table that leads here, whose columns are named `via.…`.
  let via: Resource?

  init(
    resource: Resource, node: RequestNode?, parent: ResolutionScope?, via: Resource? = nil,
    parentRefusal: String = "there is no record above this one"
  ) {
    self.resource = resource
    self.node = node
    self.parent = parent
    self.via = via
    self.parentRefusal = parentRefusal
  }

  /// Whether each row is a group of records.
  var isGrouped: Bool { node?.isGrouped ?? false }
}

/// The author of an expression, who determines what its names may mean.
enum ExpressionAuthor {
  /// The client: keys and names of the request take precedence, and hidden columns don't exist.
  case request
  /// The author of the model file, who may name hidden columns, but nothing of the request.
  case model
  /// The author of the model file in an access rule, which may also name claims of the principal.
  case rule
}

/// The place and the author of an expression.
struct NameContext {
  let scope: ResolutionScope
  let author: ExpressionAuthor
  /// Whether aggregates of a group are allowed.
  var allowsGroupAggregates = false
}
