import KindredModel

/// The place and the author of an expression.
struct NameContext {
  let scope: NameScope
  let author: ExpressionAuthor
  /// Whether aggregates of a group are allowed.
  var allowsGroupAggregates = false
  /// Whether it is inside an aggregate.
  var isInAggregate = false
  /// Whether something is compared with the expression, so that an unknown name may be a text without quotes.
  var isComparedWith = false
  /// Whether names that the request defines go before columns, as in an order and in conditions on results.
  var prefersNames = false
  /// The nodes whose conditions are being resolved.
  private(set) var filtered = FilteredNodes()
  /// The names of the request whose definitions are being resolved, so that none refers to itself.
  private var resolving: [(scope: NameScope, name: String)] = []
  /// The record that an expression of the model is about, above which it can't refer to any; nil for the request's.
  private let top: NameScope?

  init(scope: NameScope, author: ExpressionAuthor, allowsGroupAggregates: Bool = false) {
    (self.scope, self.author, self.allowsGroupAggregates) = (scope, author, allowsGroupAggregates)
    top = author == .request ? nil : scope
  }

  /// The place of a condition of the request's node for the record.
  init(conditionOn scope: NameScope, in filtered: FilteredNodes) {
    self.init(scope: scope, author: .request)
    self.filtered = filtered
  }

  private init(scope: NameScope, in context: NameContext) {
    (self.scope, author, top) = (scope, context.author, context.top)
    (filtered, resolving) = (context.filtered, context.resolving)
    isInAggregate = context.isInAggregate
  }

  /// Returns the place of the expression that the request gives a name of the record; nil within that expression.
  func defining(_ name: String) -> NameContext? {
    guard !isDefining(name) else { return nil }
    var inside = self
    (inside.isComparedWith, inside.prefersNames) = (false, false)
    inside.resolving.append((scope, name))
    return inside
  }

  /// Returns whether the expression is part of what the request gives this name of the record, by way of other names.
  func isDefiningByOthers(_ name: String) -> Bool { resolving.count > 1 && isDefining(name) }

  /// Returns whether the expression is part of what the request gives this name of the record.
  func isDefining(_ name: String) -> Bool {
    resolving.contains { $0.scope === scope && ExactName($0.name) == ExactName(name) }
  }

  /// Returns the place of a part of the expression that is about another record.
  func moved(to scope: NameScope) -> NameContext { NameContext(scope: scope, in: self) }

  /// Returns the record that `../` leads to from a record; nil if it leads nowhere.
  func parent(of scope: NameScope) -> NameScope? { scope === top ? nil : scope.parent }

  /// The reason why `../` leads nowhere from a record.
  func parentRefusal(of scope: NameScope) -> String {
    scope === top ? "an expression of the model file has no parent record" : scope.parentRefusal
  }
}
