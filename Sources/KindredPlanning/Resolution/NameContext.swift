import KindredModel

/// The place and the author of an expression.
struct NameContext {
  let scope: NameScope
  let author: ExpressionAuthor
  /// Whether aggregates of a group are allowed.
  var allowsGroupAggregates = false
  /// Whether something is compared with the expression, so that an unknown name may be a text without quotes.
  var isComparedWith = false
  /// The record that an expression of the model is about, above which it can't refer to any; nil for the request's.
  private let top: NameScope?

  init(scope: NameScope, author: ExpressionAuthor, allowsGroupAggregates: Bool = false) {
    (self.scope, self.author, self.allowsGroupAggregates) = (scope, author, allowsGroupAggregates)
    top = author == .request ? nil : scope
  }

  private init(scope: NameScope, in context: NameContext) {
    (self.scope, author, top) = (scope, context.author, context.top)
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
