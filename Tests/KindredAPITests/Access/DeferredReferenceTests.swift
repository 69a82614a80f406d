import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("References that a client may not read, or that are read later")
struct DeferredReferenceTests {
  private static func schema(_ deferral: String) -> String {
    """
    CREATE TABLE team (id INTEGER PRIMARY KEY, hidden INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE item (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team(id) \(deferral), name TEXT);
    INSERT INTO team VALUES (1, 0), (2, 1);
    INSERT INTO item VALUES (1, 1, 'mine'), (2, 2, 'theirs');
    """
  }

  private static let model = """
    access: { read: {}, write: {} }
    resources: { teams: { access: { read: { rows: hidden = 0 }, write: {} } } }
    """

  private static func database(_ deferral: String, model: String = model) throws -> TestDatabase {
    try TestDatabase.writable(schema(deferral), modelFile: model)
  }

  private static func batch(referringTo team: Int, adding: Int = 3) -> String {
    """
    [{"method":"POST","url":"/items","body":{"teamId":\(team)}},{"method":"POST","url":"/teams","body":{"id":\(adding)}}]
    """
  }

  @Test
  func `a part of a batch refers by a deferred key to what a later part adds, under rules as without`() throws
  {
    let database = try Self.database("DEFERRABLE INITIALLY DEFERRED")
    #expect(try database.send(.post, "/-/batch", Self.batch(referringTo: 3)).status == 200)
    #expect(try database.stored("SELECT count(*) FROM item WHERE teamId = 3") == "1")
    for team in [2, 99] {
      let answer = try database.send(.post, "/-/batch", Self.batch(referringTo: team, adding: 4))
      #expect(answer.status == 409 && answer.problem("pointer") == "#/0/body/teamId", "\(answer.text)")
      #expect(try database.send(.post, "/items", #"{"teamId":\#(team)}"#).status == 409)
    }
  }

  @Test(arguments: ["", "NOT DEFERRABLE INITIALLY DEFERRED", "DEFERRABLE INITIALLY IMMEDIATE", "DEFERRABLE"])
  func `a key that isn't deferred is tested at once`(deferral: String) throws {
    let database = try Self.database(deferral)
    #expect(try database.send(.post, "/-/batch", Self.batch(referringTo: 3)).status == 409)
    #expect(try database.send(.post, "/-/batch", Self.batch(referringTo: 2)).status == 409)
  }

  @Test
  func `a reference out of sight may stay as it is, for whom may read it`() throws {
    let database = try Self.database("")
    for (method, target, content) in [
      (HTTPMethod.patch, "/items/2", #"{"teamId":2,"name":"x"}"#),
      (.put, "/items/2", #"{"teamId":2,"name":"x"}"#),
      (.patch, "/items?filter=id=2", #"{"teamId":2,"name":"x"}"#),
    ] {
      #expect(try database.send(method, target, content).status == 200, "\(method.token) \(target)")
      #expect(try database.send(method, target, content.replacing("2,", with: "99,")).status == 409)
      #expect(try database.send(method, "/items/1", content).status == 409, "it is another record's")
    }
    let withheld = try Self.database(
      "",
      model: Self.model.replacing(
        "resources: {", with: "resources: { items: { access: { read: { fields: [id, name] }, write: {} } },"))
    for team in [2, 99] {
      #expect(
        try withheld.send(.patch, "/items/2", #"{"teamId":\#(team)}"#).status == 409,
        "else it would tell the value")
    }
  }

  @Test
  func `each rule of several resources of a join table is in its own resource's names`() throws {
    let schema = """
      CREATE TABLE user (id INTEGER PRIMARY KEY);
      CREATE TABLE "group" (id INTEGER PRIMARY KEY);
      CREATE TABLE membership (userId INTEGER REFERENCES user(id), groupId INTEGER REFERENCES "group"(id),
        active INTEGER, secret INTEGER, PRIMARY KEY (userId, groupId)) WITHOUT ROWID;
      INSERT INTO user VALUES (1); INSERT INTO "group" VALUES (1), (2), (3);
      INSERT INTO membership VALUES (1, 1, 1, 0), (1, 2, 1, 1), (1, 3, 0, 0);
      """
    let database = try TestDatabase(
      schema,
      modelFile: """
        access: { read: {} }
        resources:
          memberships: { columns: { ok: active }, access: { read: { rows: ok } } }
          openMemberships: { table: membership, columns: { ok: not secret }, access: { read: { rows: ok } } }
        """)
    try expectRequest(
      "/users/1?include=groups&groups.values=id&annotate=groupCount", on: database,
      json: #"{"id":1,"groupCount":1,"groups":[1]}"#)
  }
}
