/// Determines whether results depend on the database alone, and not on the clock or on random numbers.
///
/// Only such results are unchanged as long as nothing is committed. The decision is made by the statement's text; a
/// false positive only costs a query.
public struct Timelessness: Sendable {
  /// The names of functions that read the clock or return random numbers, in lower case.
  private let signs: [String]
  /// The names of the views in lower case; empty if all of them are timeless.
  private let views: [String]

  /// - Parameters:
  ///   - views: All views of the database, each with its definition. Since views may read each other, one that isn't
  ///     timeless makes all of them count as such.
  ///   - signs: Lowercase strings that only occur in statements that aren't timeless.
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
