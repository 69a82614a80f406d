import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("What has no access rules of its own")
struct ClosedResourceTests {
  private static let schema = """
    CREATE TABLE project (id INTEGER PRIMARY KEY, companyId INTEGER, name TEXT);
    CREATE TABLE open (id INTEGER PRIMARY KEY, project TEXT);
    CREATE TABLE log (text TEXT);
    CREATE VIEW direct AS SELECT name FROM project;
    CREATE VIEW indirect AS SELECT * FROM direct;
    CREATE VIEW counted AS SELECT count(*) AS n FROM project;
    CREATE VIEW apart AS SELECT project FROM open;
    CREATE VIRTUAL TABLE projectText USING fts5(name, content='project', content_rowid='id');
    CREATE VIRTUAL TABLE word USING fts5vocab(projectText, row);
    CREATE VIRTUAL TABLE ownText USING fts5(project);
    CREATE VIEW found AS SELECT name FROM projectText;
    CREATE TRIGGER logged AFTER UPDATE ON project BEGIN INSERT INTO log VALUES (NEW.name); END;
    """

  /// Everybody may read what doesn't show projects.
  private static let model = """
    access: { read: {} }
    resources:
      projects: { access: { read: { roles: [member], rows: companyId = 3 } } }
      tasks: { table: project }
    commonTableExpressions:
      later: { sql: SELECT * FROM indirectly }
      indirectly: { sql: SELECT name FROM indirect }
      fixed: { sql: SELECT 1 AS project }
      lent: { sql: "SELECT open.id, open.project, name FROM open JOIN project USING (id)", as: opens }
      own: { sql: "SELECT id, project FROM open", as: opens }
    """

  private static let showingProjects = [
    "directs", "indirects", "counteds", "projectTexts", "words", "founds", "later", "indirectly", "tasks",
    "lent",
  ]

  @Test(arguments: showingProjects)
  func `rules for all resources don't open what shows records of a table with rules`(resource: String) throws
  {
    let database = try TestDatabase(Self.schema, modelFile: Self.model)
    #expect(try database.get("/\(resource)").status == 401)
    #expect(try !database.get("/").text.contains("\"\(resource)\""), "nor is it in the index")
    let warning = database.service.warnings.filter { $0.hasPrefix("\(resource) is closed") }
    #expect(warning.count == 1 && warning[0].contains("add `access` to \(resource)"))
    #expect(try !database.get("/\(resource)").text.contains("access"), "clients don't learn what opens it")
  }

  @Test(arguments: ["aparts", "ownTexts", "fixed", "opens", "own", "logs"])
  func `rules for all resources open the others`(resource: String) throws {
    let database = try TestDatabase(Self.schema, modelFile: Self.model)
    #expect(try database.get("/\(resource)").status == 200)
    #expect(database.service.notices.contains { $0.hasPrefix("everybody") && $0.contains(resource) })
  }

  @Test
  func `an open table to which a trigger of a table with rules writes is named`() throws {
    let warnings = try TestDatabase(Self.schema, modelFile: Self.model).service.warnings
    #expect(
      warnings.contains { $0.hasPrefix("everybody may read logs, to which triggers of `project` write") })
  }

  @Test
  func `without rules for all resources, one without rules is closed, and one line says what opens it`()
    throws
  {
    let database = try TestDatabase(
      Self.schema,
      modelFile: """
        resources: { projects: { access: { read: {} } } }
        commonTableExpressions: { own: { sql: "SELECT id, project FROM open", as: opens } }
        """)
    #expect(try database.get("/projects").status == 200)
    for resource in Self.showingProjects.dropLast(4) + ["aparts", "ownTexts", "opens", "own"] {
      #expect(try database.get("/\(resource)").status == 401)
    }
    #expect(Self.warnings(of: database).count == 1)
    #expect(
      Self.warnings(of: database)[0].contains("add `access: { read: {} }` at the top level of the model file")
    )
    let silent = try TestDatabase(
      Self.schema, modelFile: "{ access: {}, resources: { projects: { access: { read: {} } } } }")
    #expect(try silent.get("/opens").status == 401)
    #expect(
      Self.warnings(of: silent).allSatisfy { $0.contains("shows records of") }, "the file says so itself")
  }

  @Test
  func `a view with rules of its own has these`() throws {
    let database = try TestDatabase(
      Self.schema,
      modelFile: """
        access: { read: {} }
        resources:
          projects: { access: { read: { roles: [member], rows: companyId = 3 } } }
          directs: { access: { read: {} } }
        """)
    #expect(try database.get("/directs").status == 200)
    #expect(try database.get("/indirects").status == 401, "a view of it needs its own, too")
  }

  @Test
  func `views of a table that isn't served are views of one another`() throws {
    let database = try TestDatabase(
      Self.schema,
      modelFile: """
        access: { read: {} }
        resources: { projects: null, counteds: { access: { read: { roles: [member] } } } }
        """)
    #expect(try database.get("/directs").status == 401)
    #expect(try database.get("/aparts").status == 200)
  }

  @Test
  func `a resource that the rules for all don't fit is closed, and what it lacks is named`() throws {
    let database = try TestDatabase(
      Self.schema, modelFile: "access:\n  read: { rows: companyId = 3, fields: [name] }\n")
    #expect(try database.get("/projects?fields=name").status == 200)
    #expect(try database.get("/opens").status == 401)
    let misfits = database.service.accessMisfits
    #expect(misfits.contains { $0.contains("model.yaml:2") && $0.contains("opens") && $0.contains("`name`") })
    #expect(database.service.warnings.contains { $0.hasPrefix("opens is closed") && $0.contains("`name`") })
  }

  @Test
  func `rules for all that fit no resource stop the start`() {
    #expect {
      try TestDatabase(Self.schema, modelFile: "access:\n  read: { rows: nowhere = 3 }\n")
    } throws: { error in
      "\(error)".hasPrefix("model.yaml:2: `access` doesn't fit ") && "\(error)".contains("`nowhere`")
    }
  }

  @Test
  func `a table that is created later is closed, or has the rules for all, and the log says so`() throws {
    let log = Log()
    let database = try TestDatabase(
      Self.schema, modelFile: "resources: { projects: { access: { read: {} } } }", logger: log.logger)
    #expect(try database.get("/payrolls").status == 404)
    try Self.execute("CREATE TABLE payroll (id INTEGER PRIMARY KEY, amount INTEGER)", on: database)
    #expect(try database.get("/payrolls").status == 401)
    #expect(
      log.lines.map(\.message).contains { $0.contains("payrolls is closed") && $0.contains("read: {}") })

    let opened = try TestDatabase(Self.schema, modelFile: Self.model, logger: log.logger)
    #expect(try opened.get("/payrolls").status == 404)
    try Self.execute("CREATE TABLE payroll (id INTEGER PRIMARY KEY, amount INTEGER)", on: opened)
    try Self.execute("ALTER TABLE open ADD COLUMN secret TEXT", on: opened)
    #expect(try opened.get("/payrolls").status == 200)
    let messages = log.lines.map(\.message)
    #expect(messages.contains("everybody, also without credentials, may read payrolls"))
    #expect(messages.contains { $0.hasPrefix("opens has new columns, which everybody may read") })
  }

  /// Executes SQL as another process does.
  private static func execute(_ sql: String, on database: TestDatabase) throws {
    try Connection(path: database.path, access: .readWrite).execute(sql)
  }

  /// Returns the warnings but for the one that the schema declares no foreign keys.
  private static func warnings(of database: TestDatabase) -> [String] {
    database.service.warnings.filter { !$0.contains("--guess") }
  }

  @Test
  func `without any rules, everything is open`() throws {
    let database = try TestDatabase(Self.schema)
    #expect(try database.get("/indirects").status == 200)
    #expect(Self.warnings(of: database).isEmpty)
    #expect(database.service.notices == ["no `access` is configured: everybody may read everything"])
  }

  @Test
  func `credentials without any rule are reported where all may write`() throws {
    var options = KindredService.Options()
    options.access = AccessFixture.configuration
    #expect(try Self.warnings(of: TestDatabase(Self.schema, options: options)).isEmpty)
    options.isWritable = true
    let warnings = Self.warnings(of: try TestDatabase(Self.schema, options: options))
    #expect(warnings.count == 1 && warnings[0].contains("everybody may read and write"))
  }
}
