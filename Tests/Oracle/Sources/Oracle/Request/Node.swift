import OracleValues

/// A node of a request tree: the root, or the records of an association.
struct Node: Sendable {
  enum Field: Sendable {
    case all
    case named(NamedExpr)
  }

  var key = ""
  /// The key of the association in the model; empty at the root.
  var association = ""
  var isIncluded = true
  var isRequired = false
  /// The maximum number of levels; nil without recursion.
  var recursion: Int?
  /// Whether the number of levels is written, or left to the limit of the tree.
  var writesLevels = true
  var fields: [Field]?
  var values: Expr?
  var annotations: [NamedExpr] = []
  var filters: [Expr] = []
  var havings: [Expr] = []
  var sort: [SortTerm]?
  var limit: Int?
  var offset: Int?
  var isDistinct = false
  var group: [Expr] = []
  var children: [Node] = []

  /// Whether the node, or one below it, is part of the result.
  var isReturned: Bool { isIncluded || children.contains(where: \.isReturned) }

  /// Whether each of its results stands for a group of records.
  var isGrouped: Bool {
    guard group.isEmpty else { return true }
    guard let fields, !fields.isEmpty else { return false }
    return fields.allSatisfy { field in
      guard case .named(let field) = field else { return false }
      return field.expression.hasGroupAggregate
    }
  }

  var expressions: [Expr] {
    filters + havings + group + (annotations + namedFields).map(\.expression) + (sort ?? []).map(\.expression)
      + (values.map { [$0] } ?? [])
  }

  var namedFields: [NamedExpr] {
    (fields ?? []).compactMap { if case .named(let named) = $0 { named } else { nil } }
  }
}

extension Expr {
  var hasGroupAggregate: Bool {
    if case .aggregate = self { return true }
    return parts.contains(where: \.hasGroupAggregate)
  }
}

/// A request: a path to the records, and the tree below them.
struct Request: Sendable {
  enum Segment: Sendable {
    /// A record by its primary key, or by the named columns of a unique one.
    case record([(column: String, value: Value)], isNamed: Bool)
    case association(String)
  }

  var table: String
  var path: [Segment] = []
  var root = Node()
  var count = false
  var isLines = false
}
