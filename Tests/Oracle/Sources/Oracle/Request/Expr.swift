import OracleValues

/// An expression of the language (docs/requests.md, Expressions).
indirect enum Expr: Sendable {
  case value(Value)
  case boolean(Bool)
  case path(Path)
  case not(Expr)
  case minus(Expr)
  /// Comparisons, `is`, arithmetic and `||`, by their operator.
  case binary(String, Expr, Expr)
  /// `and` or `or` of two or more.
  case junction(String, [Expr])
  case isNull(Expr, negated: Bool)
  case inList(Expr, [Expr], negated: Bool)
  case between(Expr, Expr, Expr, negated: Bool)
  /// `like` or `glob`.
  case match(String, Expr, Expr, negated: Bool)
  case call(String, [Expr])
  case cast(Expr, String)
  case collate(Expr, String)
  /// An aggregate of a group.
  case aggregate(String, Expr?, isDistinct: Bool)

  /// Whether it reads a column of the join table.
  var readsVia: Bool {
    switch self {
    case .path(let path): if case .via = path.leaf { path.parents == 0 } else { false }
    default: parts.contains(where: \.readsVia)
    }
  }

  /// Whether it reads a to-one association of a record above.
  var readsAbove: Bool {
    switch self {
    case .path(let path): path.parents > 0 && !path.hops.isEmpty
    default: parts.contains(where: \.readsAbove)
    }
  }

  /// Whether it reads a to-one association of the record so many levels above.
  func reads(_ key: String, above levels: Int) -> Bool {
    switch self {
    case .path(let path):
      path.parents == levels && path.hops.first == key
        // The records of an aggregate are a level below the one that they are associated with.
        || path.aggregated.contains { $0.reads(key, above: levels - path.parents + path.hops.count + 1) }
    default: parts.contains { $0.reads(key, above: levels) }
    }
  }

  /// Whether it looks for a value in a list of none.
  var hasEmptyList: Bool {
    if case .inList(_, let list, _) = self, list.isEmpty { return true }
    return parts.contains(where: \.hasEmptyList)
  }

  /// The expressions it consists of; those within aggregates of associations refer to other records.
  var parts: [Expr] {
    switch self {
    case .value, .boolean, .path: []
    case .not(let part), .minus(let part), .isNull(let part, _), .cast(let part, _), .collate(let part, _):
      [part]
    case .binary(_, let left, let right), .match(_, let left, let right, _): [left, right]
    case .junction(_, let parts), .call(_, let parts): parts
    case .inList(let part, let list, _): [part] + list
    case .between(let part, let low, let high, _): [part, low, high]
    case .aggregate(_, let part, _): part.map { [$0] } ?? []
    }
  }
}

/// Names joined by dots.
struct Path: Sendable {
  enum Leaf: Sendable {
    case column(String)
    case via(String)
    /// An annotation or a field, by its name.
    case named(String)
    case aggregate(AssociationAggregate)
    /// The same by its default name.
    case defaultName(String, AssociationAggregate)
  }

  /// The number of leading `../`.
  var parents = 0
  /// The to-one associations that lead to it.
  var hops: [String] = []
  var leaf: Leaf

  /// The expressions about the records of an aggregate.
  var aggregated: [Expr] {
    switch leaf {
    case .aggregate(let aggregate), .defaultName(_, let aggregate):
      aggregate.filters + [aggregate.argument].compactMap(\.self)
    case .column, .via, .named: []
    }
  }
}

struct AssociationAggregate: Sendable {
  var key: String
  var filters: [Expr] = []
  /// One of count, isEmpty, min, max, average, sum and total.
  var function: String
  var argument: Expr?
}

struct SortTerm: Sendable {
  var expression: Expr
  var isDescending = false
  var isNoCase = false
  var nullsFirst: Bool?
}

struct NamedExpr: Sendable {
  var name: String
  var expression: Expr
  /// Whether the name is written; default names need not be.
  var writesName = true
}
