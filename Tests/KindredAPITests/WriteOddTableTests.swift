import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Writing to tables that are rarely seen")
struct WriteOddTableTests {
  private let database: TestDatabase
  private static let merge: HTTPHeaders = ["Prefer": "resolution=merge-duplicates"]

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE part (code TEXT PRIMARY KEY COLLATE NOCASE, weight REAL) WITHOUT ROWID;
      INSERT INTO part VALUES ('abc', 1.5);
      CREATE TABLE draft (code TEXT PRIMARY KEY, n INTEGER);
      INSERT INTO draft VALUES (NULL, 1), (NULL, 2), ('x', 3);
      CREATE TABLE plate (id INTEGER PRIMARY KEY, text TEXT UNIQUE ON CONFLICT REPLACE, n INTEGER);
      CREATE TABLE queue (id INTEGER PRIMARY KEY, text TEXT);
      CREATE TRIGGER taken AFTER INSERT ON queue BEGIN DELETE FROM queue WHERE id = NEW.id; END;
      CREATE VIEW plateText AS SELECT text FROM plate;
      CREATE TRIGGER added INSTEAD OF INSERT ON plateText BEGIN INSERT INTO plate (text) VALUES (NEW.text); END;
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE club (id INTEGER PRIMARY KEY);
      CREATE TABLE member (
        personId INTEGER REFERENCES person(id), clubId INTEGER REFERENCES club(id), role TEXT NOT NULL,
        PRIMARY KEY (personId, clubId));
      CREATE TABLE town (
        id INTEGER PRIMARY KEY, country TEXT, region TEXT, FOREIGN KEY (country, region) REFERENCES region(country, code));
      CREATE TABLE region (country TEXT, code TEXT, PRIMARY KEY (country, code));
      INSERT INTO person VALUES (1, 'Ada');
      INSERT INTO club VALUES (1);
      INSERT INTO region VALUES ('FR', '75');
      INSERT INTO town VALUES (1, 'FR', '75');
      """)
  }

  @Test
  func `a table whose generated keys are used up says so`() throws {
    let database = try TestDatabase.writable(
      "CREATE TABLE auto (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER)")
    #expect(try database.send(.put, "/autos/9223372036854775807", "{}").status == 201)
    let answer = try database.send(.post, "/autos", #"{"n":1}"#)
    #expect(answer.status == 409)
    #expect(answer.problem("detail")?.contains("give the record a key") == true)
    #expect(
      try database.send(.post, "/autos", "n\n1\n", headers: ["Content-Type": "text/csv"]).status == 409)
    #expect(try database.send(.post, "/autos", #"{"id":5}"#).status == 201)
  }

  @Test
  func `PUT takes the key as the path has it, where the collation finds another spelling`() throws {
    try expectWrite(
      .put, "/parts/ABC", #"{"code":"ABC","weight":2}"#, on: database, status: 200,
      json: #"{"code":"abc","weight":2.0}"#)
    try expectWrite(
      .put, "/parts/ABC", #"{"code":"aBc","weight":3}"#, on: database, status: 200,
      json: #"{"code":"abc","weight":3.0}"#)
    try expectRefusal(
      .put, "/parts/ABC", #"{"code":"def"}"#, on: database, status: 422, code: .refusedValue,
      pointer: "#/code")
  }

  @Test
  func `records whose key is NULL are changed, and not given such a key`() throws {
    try expectWrite(
      .patch, "/drafts?n=1", #"{"n":9}"#, on: database, status: 200, json: #"[{"code":null,"n":9}]"#)
    try expectRefusal(
      .patch, "/drafts/x", #"{"code":null}"#, on: database, status: 422, code: .refusedValue, pointer: "#")
  }

  @Test
  func `what is gone again in the end is null`() throws {
    let answer = try database.send(.post, "/plates", #"[{"id":1,"text":"a"},{"id":2,"text":"a","n":2}]"#)
    #expect(answer.status == 409 && answer.problem("pointer") == "#/0", "a later record replaces it")
    let taken = try database.send(.post, "/queues", #"{"text":"a"}"#)
    #expect(taken.status == 201 && taken.text == "null")
    #expect(taken.headers["Location"] == nil && taken.headers["ETag"] == nil)
  }

  @Test
  func `a view without a key takes records, and can't merge any`() throws {
    #expect(try database.send(.post, "/plateTexts", #"{"text":"a"}"#).status == 201)
    let lines = try database.send(
      .post, "/plateTexts", "text\nb\nc\n", headers: ["Content-Type": "text/csv"])
    #expect(lines.status == 201 && lines.headers["X-Total-Count"] == "2")
    #expect(try database.stored("SELECT group_concat(text) FROM plate") == "a,b,c")
    let merged = try database.send(.post, "/plateTexts", #"{"text":"d"}"#, headers: Self.merge)
    #expect(merged.status == 400 && merged.problem("type") == "/-/errors#invalid-value")
  }

  @Test
  func `a view whose triggers need a key says what gives it one`() throws {
    let views = try TestDatabase.writable(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
      CREATE VIEW member AS SELECT id, name FROM person LIMIT 9;
      CREATE TRIGGER changed INSTEAD OF UPDATE ON member BEGIN UPDATE person SET name = NEW.name WHERE id = OLD.id; END;
      """)
    let answer = try views.send(.patch, "/members?filter=true", #"{"name":"x"}"#)
    #expect(answer.status == 405 && answer.problem("detail")?.contains("`key`") ?? false)
  }

  @Test
  func `a view that keeps the key of a record shows it under that key`() throws {
    let views = try TestDatabase.writable(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO person VALUES (1, 'Ada');
      CREATE VIEW member AS SELECT id, name FROM person;
      CREATE TRIGGER changed INSTEAD OF UPDATE ON member BEGIN UPDATE person SET name = NEW.name WHERE id = OLD.id; END;
      """, modelFile: "resources:\n  members: { key: [id] }\n")
    try expectWrite(
      .patch, "/members/1", #"{"id":9,"name":"Bo"}"#, on: views, status: 200, json: #"{"id":1,"name":"Bo"}"#)
  }

  @Test
  func `a table with the name of one of Kindred's is served, and no answers are kept`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE kindred_idempotency (id INTEGER PRIMARY KEY, text TEXT);
      CREATE TABLE kindred_migration (id INTEGER PRIMARY KEY);
      CREATE TABLE note (id INTEGER PRIMARY KEY);
      """)
    try expectWrite(
      .post, "/kindredIdempotencies", #"{"text":"a"}"#, on: database, status: 201,
      json: #"{"id":1,"text":"a"}"#, location: "/kindredIdempotencies/1")
    #expect(try database.answer("/kindredMigrations").text == "[]")
    let answer = try database.send(.post, "/notes", "{}", headers: ["Idempotency-Key": "\"a\""])
    #expect(answer.status == 400 && answer.problem("detail")?.contains("`Idempotency-Key`") ?? false)
    #expect(try database.stored("SELECT COUNT(*) FROM note") == "0")
  }

  @Test
  func `answers that are kept stay private in a table that has got another column`() throws {
    let database = try TestDatabase.writable("CREATE TABLE note (id INTEGER PRIMARY KEY)")
    let key: HTTPHeaders = ["Idempotency-Key": "\"a\""]
    #expect(try database.send(.post, "/notes", "{}", headers: key).status == 201)
    try Connection(path: database.path, access: .readWrite)
      .execute("ALTER TABLE kindred_idempotency ADD COLUMN later TEXT")
    #expect(try database.send(.post, "/notes", "{}", headers: key).text == #"{"id":1}"#)
    #expect(try database.answer("/kindredIdempotencies").status == 404)
  }

  @Test
  func `a link that needs other values names where to write it`() throws {
    try expectRefusal(
      .put, "/people/1/clubs/1", on: database, status: 422, code: .refusedValue, pointer: "#")
    #expect(try database.send(.put, "/people/1/clubs/1").problem("detail")?.contains("/members") ?? false)
  }

  @Test
  func `a part of a foreign key that leads nowhere is named with the rest`() throws {
    let answer = try database.send(.patch, "/towns/1", #"{"country":"DE"}"#)
    #expect(answer.status == 409)
    #expect(answer.problem("detail") == "`country`, `region` refer to a record that doesn't exist")
  }

  @Test
  func `what is referred to is not deleted, and says so`() throws {
    let answer = try database.send(.delete, "/regions/FR,75")
    #expect(answer.status == 409)
    #expect(answer.problem("detail")?.hasPrefix("another record refers to this one") ?? false)
  }

  @Test
  func `a key is suggested once`() throws {
    let answer = try database.send(
      .post, "/people?onConflict=id,name", #"{"id":1}"#, headers: Self.merge)
    #expect(answer.problem("detail")?.hasSuffix("its keys are `id` and `name`") ?? false)
  }
}
