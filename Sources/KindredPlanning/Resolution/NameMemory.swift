import KindredModel

/// The results of looking up the names of a record, so that each is looked up once.
final class NameMemory {
  /// The record, retained so that its identity stays unique.
  private let scope: NameScope
  /// The annotations and fields resolved so far.
  var resolved: NameDictionary<ResolvedName> = [:]
  /// The computed columns resolved so far.
  var computed: NameDictionary<ResolvedComputedColumn> = [:]
  /// The scope of the join table that leads to the record.
  private(set) lazy var via = scope.via.map { NameScope(model: scope.model, resource: $0) }
  /// The grouping expressions; nil until the first lookup.
  private var groups: [ResolvedExpression]?
  /// The columns that have one value in each group, as a grouped primary key determines them.
  var determined: [ResolvedPath] = []
  /// The annotations and fields of the record's node by name, the first one of each name.
  private(set) lazy var expressions = namedExpressions()
  /// The keys of the request's associations with their singulars, from which default names are made.
  private lazy var singulars = scope.singularKeys
  /// The to-one associations by ``ResolvedAssociation/place``, each with a scope that is shared by all expressions that
  /// name it.
  var associated: [ResolvedAssociation.Place: ResolvedAssociation] = [:]

  /// Parts of what the request says of the record.
  struct Parts: OptionSet {
    let rawValue: UInt8
    static let conditions = Parts(rawValue: 1)
    static let content = Parts(rawValue: 2)
    static let group = Parts(rawValue: 4)
    static let order = Parts(rawValue: 8)
  }

  /// The parts that have been compiled.
  var compiled: Parts = []

  init(of scope: NameScope) { self.scope = scope }

  /// Returns the grouping expressions.
  func groups(_ resolve: (Expression) throws -> ResolvedExpression) rethrows -> [ResolvedExpression] {
    if let groups { return groups }
    let resolved = try (scope.node?.group ?? []).map(resolve)
    groups = resolved
    return resolved
  }

  private func namedExpressions() -> NameDictionary<Expression> {
    var named: NameDictionary<Expression> = [:]
    for item in scope.node?.namedExpressions ?? [] {
      guard let name = item.name ?? (try? scope.defaultName(of: item.expression)) ?? nil else { continue }
      if named[name] == nil { named[name] = item.expression }
    }
    return named
  }

  /// Returns the aggregate that a default name stands for.
  func aggregate(named name: String, for author: ExpressionAuthor) throws -> DefaultAggregate? {
    // Expressions of the model can't use keys of the request.
    try scope.defaultAggregate(
      named: name, among: author == .request ? singulars : scope.singularKeys, for: author)
  }
}
