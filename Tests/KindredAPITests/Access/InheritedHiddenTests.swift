import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Hidden columns of what shows a table")
struct InheritedHiddenTests {
  private static let database: Result<TestDatabase, any Error> = Result {
    try TestDatabase(
      """
      CREATE TABLE letter (id INTEGER PRIMARY KEY, title TEXT, remark TEXT);
      CREATE VIEW plain AS SELECT id, remark AS note, title, remark AS again FROM letter;
      CREATE VIEW nested AS SELECT id, note FROM plain;
      CREATE VIEW computed AS SELECT id, upper(remark) AS loud FROM letter;
      CREATE VIEW counted AS SELECT remark, count(*) AS n FROM letter GROUP BY remark;
      CREATE VIRTUAL TABLE letterText USING fts5(title, remark, content='letter', content_rowid='id');
      INSERT INTO letter VALUES (1, 'spring', 'secret');
      INSERT INTO letterText(letterText) VALUES ('rebuild');
      """,
      modelFile: """
        resources: { letters: { hidden: [remark] } }
        commonTableExpressions:
          early: { sql: "SELECT id, title, remark FROM letter", as: letters }
          extended: { sql: "SELECT id, title, upper(remark) AS loud FROM letter", as: letters }
          notes: { sql: "SELECT remark AS note FROM letter" }
          fixed: { sql: "SELECT 1 AS n" }
        """)
  }

  @Test(arguments: [
    ("plains", #"[{"id":1,"title":"spring"}]"#), ("nesteds", #"[{"id":1}]"#),
    ("letterTexts?fields=*", #"[{"rowid":1,"title":"spring"}]"#), ("early", #"[{"id":1,"title":"spring"}]"#),
  ])
  func `plain views, full-text tables and records of the table don't show them`(target: String, json: String)
    throws
  {
    try expectRequest("/\(target)", on: try Self.database.get(), json: json)
  }

  @Test
  func `what may show them under other names is named`() throws {
    let warnings = try Self.database.get().service.warnings
    let named = warnings.filter { $0.contains("may show hidden columns") }.compactMap {
      $0.split(separator: " ").first
    }
    #expect(named.sorted() == ["computeds", "counteds", "extended", "notes"])
    #expect(warnings.allSatisfy { !$0.contains("may show") || $0.contains("`letter.remark`") })
  }

  @Test
  func `a search in the full-text table finds no word of them`() throws {
    let database = try Self.database.get()
    #expect(try database.get("/letterTexts?search=secret").text == "[]")
    #expect(try database.get("/letterTexts?search=spring&fields=title").text == #"[{"title":"spring"}]"#)
  }
}
