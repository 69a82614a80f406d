import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Writing records that refer to others")
struct WriteReferenceTests {
  private let database: TestDatabase
  private static let csv: HTTPHeaders = ["Content-Type": "text/csv"]

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, code);
      INSERT INTO parent VALUES (1, 'x');
      CREATE TABLE child (id INTEGER PRIMARY KEY, code REFERENCES parent(code));
      CREATE TABLE lost (id INTEGER PRIMARY KEY, thing REFERENCES nothing_there(id));
      CREATE TABLE logged (id INTEGER PRIMARY KEY);
      CREATE TRIGGER logs AFTER INSERT ON logged BEGIN INSERT INTO missing_log VALUES (NEW.id); END;
      CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO user VALUES (50, 'Ada');
      CREATE TABLE post (id INTEGER PRIMARY KEY, userId INTEGER REFERENCES user(id) ON DELETE RESTRICT ON UPDATE RESTRICT);
      INSERT INTO post VALUES (1, 50);
      CREATE TABLE profile (
        userId INTEGER NOT NULL PRIMARY KEY REFERENCES user(id) DEFERRABLE INITIALLY DEFERRED, bio TEXT);
      CREATE TABLE note (id INTEGER PRIMARY KEY, userId INTEGER DEFAULT 77 REFERENCES user(id), text TEXT);
      CREATE TABLE country (code TEXT PRIMARY KEY COLLATE NOCASE);
      INSERT INTO country VALUES ('FR');
      CREATE TABLE city (id INTEGER PRIMARY KEY, country TEXT NOT NULL REFERENCES country(code));
      CREATE TABLE label (code TEXT PRIMARY KEY COLLATE RTRIM);
      INSERT INTO label VALUES ('a');
      CREATE TABLE disc (id INTEGER PRIMARY KEY, label TEXT REFERENCES label(code));
      """)
  }

  @Test
  func `what the schema itself makes impossible is a conflict, and shows no SQL`() throws {
    for (method, target, content) in [
      (HTTPMethod.post, "/parents", #"{"code":"y"}"#), (.patch, "/parents/1", #"{"code":"y"}"#),
      (.delete, "/parents/1", nil), (.post, "/losts", #"{"thing":null}"#), (.post, "/loggeds", "{}"),
    ] as [(HTTPMethod, String, String?)] {
      try expectRefusal(method, target, content, on: database, status: 409, code: .conflict)
      let detail = try database.send(method, target, content).problem("detail")
      #expect(detail?.hasPrefix("the database schema makes this change impossible") ?? false)
      #expect(!(detail?.contains("missing_log") ?? true))
    }
  }

  @Test(
    arguments: [
      (HTTPMethod.delete, "/users/50", nil), (.delete, "/users?filter=true", nil),
      (.patch, "/users/50", #"{"id":51}"#), (.patch, "/users?filter=true", #"{"id":51}"#),
    ] as [(HTTPMethod, String, String?)])
  func `RESTRICT says what other foreign keys say`(method: HTTPMethod, target: String, content: String?)
    throws
  {
    try expectRefusal(method, target, content, on: database, status: 409, code: .conflict)
    let detail = try database.send(method, target, content).problem("detail")
    #expect(detail?.hasPrefix("another record refers to this one") ?? false)
  }

  @Test(arguments: ["/teams/red", "/teams?filter=true"])
  func `a change that leaves another record without a required value is a conflict`(target: String) throws {
    let database = try TestDatabase(
      """
      CREATE TABLE team (code TEXT PRIMARY KEY);
      CREATE TABLE player (id INTEGER PRIMARY KEY, team TEXT NOT NULL REFERENCES team ON UPDATE SET NULL);
      INSERT INTO team VALUES ('red'); INSERT INTO player VALUES (1, 'red');
      """, options: .writable)
    let answer = try database.send(.patch, target, #"{"code":"blue"}"#)
    #expect(answer.status == 409)
    #expect(answer.problem("detail")?.contains("would make another record invalid") ?? false)
    #expect(try database.stored("SELECT team FROM player") == "red")
  }

  @Test
  func `a foreign key that the database fills in is named, with the record's place`() throws {
    let deferred = try database.send(.post, "/profiles", #"{"bio":"x"}"#)
    #expect(deferred.status == 409)
    #expect(deferred.problem("detail")?.hasPrefix("`userId` refers to a record that doesn't exist") ?? false)
    try expectRefusal(
      .post, "/notes", #"[{"userId":50},{"text":"x"}]"#, on: database, status: 409, code: .conflict,
      pointer: "#/1")
    let line = try database.send(.post, "/notes", "text\nx\n", headers: Self.csv)
    #expect(line.status == 409 && line.problem("line") == "2")
    #expect(line.problem("detail")?.hasPrefix("`userId` refers") ?? false)
  }

  @Test
  func `a reference that the content repeats is compared by the referenced column's collation`() throws {
    try expectWrite(
      .post, "/countries/FR/cities", #"{"country":"fr"}"#, on: database, status: 201,
      json: #"{"id":1,"country":"FR"}"#, location: "/cities/1")
    try expectRefusal(
      .post, "/countries/FR/cities", #"{"country":"DE"}"#, on: database, status: 422, code: .refusedValue,
      pointer: "#/country")
    try expectWrite(
      .post, "/labels/a/discs", #"{"label":"a  "}"#, on: database, status: 201,
      json: #"{"id":1,"label":"a"}"#,
      location: "/discs/1")
    try expectRefusal(
      .post, "/labels/a/discs", #"{"label":" a"}"#, on: database, status: 422, code: .refusedValue,
      pointer: "#/label")
  }

  @Test(arguments: [
    (HTTPMethod.patch, "/users/50/paid?filter=true"), (.patch, "/users/50/paid/1"),
    (.put, "/users/50/paid/1"),
  ])
  func `what is changed through an association with a condition still meets it`(
    method: HTTPMethod, target: String
  ) throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY);
      INSERT INTO user VALUES (50);
      CREATE TABLE post (id INTEGER PRIMARY KEY, userId INTEGER REFERENCES user(id), amount INTEGER);
      INSERT INTO post VALUES (1, 50, 5);
      """,
      modelFile:
        "resources:\n  users:\n    associations:\n      paid: { from: posts, filter: amount > 0 }\n")
    try expectRefusal(
      method, target, #"{"amount":-1}"#, on: database, status: 422, code: .refusedValue, pointer: "#")
    #expect(try database.send(method, target, #"{"amount":6}"#).status == 200)
    #expect(try database.stored("SELECT * FROM post") == "1|50|6")
  }
}
