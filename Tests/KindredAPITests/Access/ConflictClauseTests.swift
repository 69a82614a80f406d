import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Conflict clauses of the schema under access rules")
struct ConflictClauseTests {
  private static let schema = """
    CREATE TABLE project (
      id INTEGER PRIMARY KEY ON CONFLICT REPLACE, companyId INTEGER, name TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '?',
      code TEXT, slug TEXT DEFAULT 'none', year INTEGER,
      UNIQUE (code COLLATE NOCASE) ON CONFLICT REPLACE, UNIQUE (slug, year) ON CONFLICT REPLACE);
    INSERT INTO project VALUES (1, 3, 'ours', 'A', 'x', 1), (2, 4, 'theirs', 'B', 'none', 2), (4, 3, 'own', 'D', 'y', 1);
    CREATE TABLE link (
      userId INTEGER, groupId INTEGER, place INTEGER UNIQUE ON CONFLICT REPLACE DEFAULT 1,
      companyId INTEGER DEFAULT 3, PRIMARY KEY (userId, groupId) ON CONFLICT REPLACE,
      FOREIGN KEY (userId) REFERENCES user(id), FOREIGN KEY (groupId) REFERENCES "group"(id));
    CREATE TABLE user (id INTEGER PRIMARY KEY);
    CREATE TABLE "group" (id INTEGER PRIMARY KEY);
    INSERT INTO user VALUES (1), (2); INSERT INTO "group" VALUES (1), (2); INSERT INTO link VALUES (1, 1, 1, 4);
    """

  private static let rules = "{ read: { rows: companyId = 3 }, write: { rows: companyId = 3 } }"
  private static let model = """
    resources:
      projects: { access: \(rules) }
      links: { access: \(rules) }
      users: { access: { read: {}, write: {} } }
      groups: { access: { read: {}, write: {} } }
    """

  private func database(_ more: String = "", model: String = model) throws -> TestDatabase {
    try TestDatabase.writable(Self.schema + more, modelFile: model)
  }

  @Test(arguments: [
    (HTTPMethod.post, "/projects", #"{"companyId":3,"code":"b"}"#),
    (.post, "/projects", #"{"id":2,"companyId":3}"#),
    (.post, "/projects", #"{"companyId":3,"year":2}"#), (.post, "/projects", #"{"companyId":3,"year":"2"}"#),
    (.patch, "/projects/1", #"{"code":"B"}"#), (.patch, "/projects/1", #"{"id":2}"#),
    (.patch, "/projects/1", #"{"slug":"none","year":2}"#),
    (.put, "/projects/1", #"{"companyId":3,"year":2}"#),
    (.put, "/projects/9", #"{"companyId":3,"code":"B"}"#), (.patch, "/projects?code=A", #"{"code":"B"}"#),
    (.post, "/projects", #"[{"companyId":3,"code":"Z"},{"companyId":3,"code":"B"}]"#),
  ])
  func `a record that the client may not delete is not replaced`(
    method: HTTPMethod, target: String, content: String
  ) throws {
    let database = try database()
    let before = try database.stored("SELECT * FROM project")
    let answer = try database.send(method, target, content)
    #expect(answer.status == 409)
    #expect(answer.problem("detail") == "a record with this key exists already", "it names no column")
    #expect(try database.stored("SELECT * FROM project") == before)
  }

  @Test
  func `a record in sight that the client may only change is not replaced`() throws {
    let database = try database(
      model: "resources: { projects: { access: { read: {}, create: {}, update: {} } } }")
    #expect(try database.send(.post, "/projects", #"{"code":"B"}"#).status == 409)
    #expect(try database.send(.patch, "/projects/1", #"{"code":"B"}"#).status == 409)
    #expect(try database.stored("SELECT count(*) FROM project") == "3")
  }

  @Test
  func `a record that the client may delete is replaced, as the schema says`() throws {
    let database = try database()
    #expect(try database.send(.post, "/projects", #"{"id":9,"companyId":3,"code":"d"}"#).status == 201)
    #expect(try database.send(.patch, "/projects/1", #"{"code":"D"}"#).status == 200)
    #expect(try database.stored("SELECT id, code FROM project ORDER BY id") == "1|D; 2|B")
    #expect(
      try database.send(.post, "/projects", #"{"companyId":3,"name":null,"code":"N"}"#).text.contains(
        #""name":"?""#),
      "NULL is replaced by the default")
  }

  @Test
  func `a link replaces no link that its client may not delete`() throws {
    let database = try database()
    #expect(try database.send(.put, "/users/1/groups/1").status == 409, "the same link, out of sight")
    #expect(try database.send(.put, "/users/2/groups/2").status == 409, "another link by `place`")
    #expect(try database.stored("SELECT * FROM link") == "1|1|1|4")
  }

  @Test
  func `conflict clauses of triggers hold, also in a table with some of its own`() throws {
    let database = try database(
      """
      CREATE TABLE seen (code TEXT PRIMARY KEY, n INTEGER);
      INSERT INTO seen VALUES ('S', 1), ('T', 1);
      CREATE TRIGGER sees AFTER INSERT ON project BEGIN
        INSERT OR IGNORE INTO seen VALUES (NEW.code, 2);
      END;
      CREATE TRIGGER seesAgain AFTER UPDATE ON project BEGIN
        INSERT OR REPLACE INTO seen VALUES (NEW.code, 3);
      END;
      """)
    #expect(try database.send(.post, "/projects", #"{"companyId":3,"code":"S"}"#).status == 201)
    #expect(try database.send(.patch, "/projects/1", #"{"code":"T"}"#).status == 200)
    #expect(try database.stored("SELECT * FROM seen ORDER BY 1") == "S|1; T|3")
    #expect(try database.send(.post, "/projects", #"{"companyId":3,"code":"B"}"#).status == 409)
  }

  @Test
  func `without rules the schema's clauses hold`() throws {
    let database = try TestDatabase.writable(Self.schema)
    #expect(try database.send(.post, "/projects", #"{"companyId":3,"code":"B"}"#).status == 201)
    #expect(try database.stored("SELECT id FROM project ORDER BY id") == "1; 4; 5")
  }
}
