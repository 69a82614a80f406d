/// Determines whether results depend on the database alone, and not on the clock or on random numbers.
///
/// Only such results are unchanged as long as nothing is committed. The decision is made by the statement's text; a
/// false positive only costs a query.
public struct Timelessness: Sendable {
  /// The names of functions that read the clock or return random numbers, in lower case.
  private let signs: [[UInt8]]
  /// The names of the views in lower case, with quotes doubled as in identifiers; empty if all of them are timeless.
  private let views: [[UInt8]]

  /// - Parameters:
  ///   - views: All views of the database, each with its definition. Since views may read each other, one that isn't
  ///     timeless makes all of them count as such.
  ///   - signs: Lowercase strings that only occur in statements that aren't timeless.
  public init(views: [(name: String, sql: String)], signs: [String]) {
    let signs = signs.map { Array($0.utf8) }
    self.signs = signs
    let isTimeless = views.allSatisfy { !Self.hasAny(of: signs, $0.sql) }
    self.views =
      isTimeless ? [] : views.map { Array($0.name.lowercased().replacing("\"", with: "\"\"").utf8) }
  }

  /// Returns whether the results of a plan are timeless.
  public func holds(for plan: Plan) -> Bool {
    var texts = (plan.path.map(\.statement) + plan.nodes.map(\.statement)).map(\.sql)
    texts += [plan.count, plan.lookahead].compactMap { $0?.sql }
    texts += plan.transients.map(\.fill)
    let signs = signs + views
    return texts.allSatisfy { !Self.hasAny(of: signs, $0) }
  }

  private static func hasAny(of signs: [[UInt8]], _ text: String) -> Bool {
    let bytes = Array(text.lowercased().utf8)
    return signs.contains { bytes.contains($0) }
  }
}

extension [UInt8] {
  /// Returns whether it contains some bytes in a row.
  ///
  /// A search for characters instead would take longer than the rest of planning.
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard count >= part.count else { return false }
    return (0...(count - part.count)).contains { start in
      self[start] == first && self[start..<(start + part.count)].elementsEqual(part)
    }
  }
}
