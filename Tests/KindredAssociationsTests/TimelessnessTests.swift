import KindredSQLSyntax
import Testing

@testable import KindredAssociations

@Suite("Whether a result depends on the database alone")
struct TimelessnessTests {
  private static let views = [
    (name: "Recent", sql: "CREATE VIEW Recent AS SELECT * FROM book WHERE year > strftime('%Y', NOW())"),
    (name: "Élan", sql: "CREATE VIEW Élan AS SELECT * FROM book"),
    (name: "a\"b", sql: "CREATE VIEW \"a\"\"b\" AS SELECT * FROM book"),
  ]

  private func holds(for sql: String, views: [(name: String, sql: String)] = []) -> Bool {
    var plan = Plan()
    plan.count = Plan.Statement(SQL(trusted: sql))
    return Timelessness(views: views, signs: ["now(", "random"]).holds(for: plan)
  }

  @Test(arguments: [
    ("SELECT name FROM author", true), ("SELECT Now(), 1", false), ("SELECT RANDOM", false),
    ("SELECT known, rando", true), ("SELECT nnow()", false), ("now", true), ("", true),
  ])
  func `a sign is found in any case and place, and only as a whole`(sql: String, isTimeless: Bool) {
    #expect(holds(for: sql) == isTimeless)
  }

  @Test
  func `one view with a sign makes all views suspect, as views may read each other`() {
    #expect(!holds(for: "SELECT * FROM recent", views: Self.views))
    #expect(!holds(for: "SELECT * FROM \"élan\"", views: Self.views))
    #expect(!holds(for: "SELECT * FROM \"a\"\"b\"", views: Self.views))
    #expect(holds(for: "SELECT * FROM book", views: Self.views))
    #expect(holds(for: "SELECT * FROM Élan", views: [Self.views[1]]))
  }
}
