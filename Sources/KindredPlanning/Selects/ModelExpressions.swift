import KindredModel

/// The expressions of the model that are being compiled, one within the other.
///
/// An expression may name associations, whose conditions and orders are expressions too, so one could lead to itself.
struct ModelExpressions {
  private struct Entry: Equatable {
    let resource: String
    let expression: Expression
    /// Within an access rule, associations are without the rules that they have outside.
    let isInRule: Bool
  }

  private var entries: [Entry] = []

  /// Returns these expressions and another one.
  ///
  /// - Throws: `RequestError` if it is within itself.
  func adding(_ expression: Expression, of resource: Resource, isInRule: Bool) throws -> ModelExpressions {
    let entry = Entry(resource: resource.name, expression: expression, isInRule: isInRule)
    guard !entries.contains(entry) else {
      let text = (try? ExpressionRenderer(literals: []).text(of: expression)).map { "`\($0)`" }
      throw RequestError(
        .invalidExpression,
        "\(text ?? "the expression") of `\(resource.name)` leads to itself; name associations whose `filter` and `sort` don't lead back to it",
        at: expression.origin)
    }
    var all = self
    all.entries.append(entry)
    return all
  }
}
