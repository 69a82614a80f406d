import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("What has no access rules of its own")
struct ClosedResourceTests {
  private static let schema = """
    CREATE TABLE project (id INTEGER PRIMARY KEY, companyId INTEGER, name TEXT);
    CREATE TABLE open (id INTEGER PRIMARY KEY, project TEXT);
    CREATE VIEW direct AS SELECT name FROM project;
    CREATE VIEW indirect AS SELECT * FROM direct;
    CREATE VIEW counted AS SELECT count(*) AS n FROM project;
    CREATE VIEW apart AS SELECT project FROM open;
    CREATE VIRTUAL TABLE projectText USING fts5(name, content='project', content_rowid='id');
    CREATE VIRTUAL TABLE word USING fts5vocab(projectText, row);
    CREATE VIRTUAL TABLE ownText USING fts5(project);
    CREATE VIEW found AS SELECT name FROM projectText;
    """

  private static let model = """
    resources:
      projects: { access: { read: { rows: companyId = 3 } } }
    commonTableExpressions:
      later: { sql: SELECT * FROM indirectly }
      indirectly: { sql: SELECT name FROM indirect }
      fixed: { sql: SELECT 1 AS project }
    """

  @Test(arguments: [
    "directs", "indirects", "counteds", "projectTexts", "words", "founds", "later", "indirectly",
  ])
  func `a view, full-text table or common table expression is closed if what it reads has rules`(
    resource: String
  ) throws {
    let database = try TestDatabase(Self.schema, modelFile: Self.model)
    #expect(try database.get("/\(resource)").status == 401)
    #expect(try !database.get("/").text.contains("\"\(resource)\""), "nor is it in the index")
    let warning = database.service.warnings.filter { $0.hasPrefix("\(resource) is closed") }
    #expect(warning.count == 1 && warning[0].contains("add `access` to \(resource)"))
  }

  @Test(arguments: ["aparts", "ownTexts", "fixed", "opens"])
  func `what reads nothing with rules stays open`(resource: String) throws {
    let database = try TestDatabase(Self.schema, modelFile: Self.model)
    #expect(try database.get("/\(resource)").status == 200)
  }

  @Test
  func `a view with rules of its own has these`() throws {
    let database = try TestDatabase(
      Self.schema,
      modelFile: """
        resources:
          projects: { access: { read: { rows: companyId = 3 } } }
          directs: { access: { read: {} } }
        """)
    #expect(try database.get("/directs").status == 200)
    #expect(try database.get("/indirects").status == 401, "a view of it needs its own, too")
  }

  @Test
  func `without any rules, everything is open`() throws {
    let database = try TestDatabase(Self.schema)
    #expect(try database.get("/indirects").status == 200)
    #expect(database.service.warnings.isEmpty)
  }

  @Test
  func `credentials without any rule are reported where all may write`() throws {
    var options = KindredService.Options()
    options.access = AccessFixture.configuration
    #expect(try TestDatabase(Self.schema, options: options).service.warnings.isEmpty)
    options.isWritable = true
    let warnings = try TestDatabase(Self.schema, options: options).service.warnings
    #expect(warnings.count == 1 && warnings[0].contains("everybody may read and write"))
    #expect(
      try TestDatabase(
        Self.schema, modelFile: "resources: { projects: { access: { read: {} } } }", options: options
      )
      .service.warnings.allSatisfy { $0.contains("is closed") })
  }
}
