import KindredAssociations
import KindredSQLite

/// Whether results follow from the database alone, and not from the time or from chance as well.
///
/// Only then nothing has changed while nobody has committed. It is told by the text: a word that happens to look like
/// one of those below costs a query now and then, and nothing else.
struct Timelessness: Sendable {
  /// In lower case; empty where all views are timeless.
  private let views: [String]

  private static let signs = [
    "date(", "time(", "julianday(", "strftime(", "epoch(", "random", "current_", "changes(",
  ]

  /// - Parameter connection: one on the schema that the requests are made of.
  init(on connection: Connection) throws {
    var names: [String] = []
    var isTimeless = true
    try connection.withStatement("SELECT name, sql FROM sqlite_schema WHERE type = 'view'") { statement in
      while try statement.step() {
        names.append((statement.text(0) ?? "").lowercased())
        if Self.hasSign(statement.text(1) ?? "") { isTimeless = false }
      }
    }
    // One view may read another, so all are taken for what the worst is.
    views = isTimeless ? [] : names
  }

  func holds(for plan: Plan) -> Bool {
    var texts = (plan.path.map(\.statement) + plan.nodes.map(\.statement)).map(\.sql)
    texts += [plan.count, plan.lookahead].compactMap { $0?.sql }
    texts += plan.transients.map(\.fill)
    return texts.allSatisfy { text in
      let text = text.lowercased()
      return !Self.hasSign(text) && !views.contains { text.contains($0) }
    }
  }

  private static func hasSign(_ text: String) -> Bool {
    let text = text.lowercased()
    return signs.contains { text.contains($0) }
  }
}
