/// Whether results follow from the database alone, and not from the time or from chance as well.
///
/// Only then nothing has changed while nobody has committed. The text of a statement decides: a false positive only
/// costs a query.
public struct Timelessness: Sendable {
  /// What a text contains that reads the clock or throws dice, in lower case.
  private let signs: [String]
  /// In lower case; empty where all views are timeless.
  private let views: [String]

  /// - Parameters:
  ///   - views: all views of the database, each with its definition. One may read another, so all are taken for what
  ///     the worst is.
  ///   - signs: what a text contains that isn't timeless, in lower case.
  public init(views: [(name: String, sql: String)], signs: [String]) {
    self.signs = signs
    let isTimeless = views.allSatisfy { !Self.hasSign($0.sql, signs) }
    self.views = isTimeless ? [] : views.map { $0.name.lowercased() }
  }

  /// Returns whether the results of a plan are timeless.
  public func holds(for plan: Plan) -> Bool {
    var texts = (plan.path.map(\.statement) + plan.nodes.map(\.statement)).map(\.sql)
    texts += [plan.count, plan.lookahead].compactMap { $0?.sql }
    texts += plan.transients.map(\.fill)
    return texts.allSatisfy { text in
      let text = text.lowercased()
      return !Self.hasSign(text, signs) && !views.contains { text.contains($0) }
    }
  }

  private static func hasSign(_ text: String, _ signs: [String]) -> Bool {
    let text = text.lowercased()
    return signs.contains { text.contains($0) }
  }
}
