/// A record as the names of an expression see it: what they are looked up in, before there is any SQL.
///
/// It is told from others by its identity, under which ``PlanningState`` remembers what its names mean.
final class ResolutionScope {
  /// What clients may see of the record's table.
  let resource: Resource
  /// What the request says about these records.
  let node: RequestNode?
  /// The record that `../` leads to.
  let parent: ResolutionScope?
  /// Why `../` leads nowhere, where it does.
  let parentRefusal: String
  /// The join table that led here, whose columns are called `via.…`.
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

  /// Whether each row stands for a group of records.
  var isGrouped: Bool { node?.isGrouped ?? false }
}

/// Who has written an expression, and so what its names may mean.
enum ExpressionAuthor {
  /// The client: the keys and names of the request come first, and hidden columns don't exist.
  case request
  /// The author of the model file, who may name hidden columns, and doesn't know the request.
  case model
  /// The same for a rule of access, which may also name the claims of the principal.
  case rule
}

/// Where an expression stands, and who has written it.
struct NameContext {
  let scope: ResolutionScope
  let author: ExpressionAuthor
  /// Whether an aggregate of a group has a meaning here.
  var allowsGroupAggregates = false
}
