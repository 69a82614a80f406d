import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Writes that are done as a whole")
struct WholeWriteTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE worker (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bossId INTEGER REFERENCES worker(id));
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, leadId INTEGER REFERENCES member(id));
      CREATE TABLE member (
        id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team(id), buddyId INTEGER REFERENCES member(id));
      CREATE TABLE slot (id INTEGER PRIMARY KEY, code TEXT UNIQUE ON CONFLICT IGNORE, n INTEGER);
      CREATE TABLE room (id INTEGER PRIMARY KEY, code TEXT UNIQUE ON CONFLICT REPLACE, n INTEGER);
      CREATE TABLE memo (id INTEGER PRIMARY KEY, gone BOOLEAN NOT NULL DEFAULT 0);
      CREATE TRIGGER memoRemoved BEFORE DELETE ON memo BEGIN
        UPDATE memo SET gone = 1 WHERE id = OLD.id; SELECT RAISE(IGNORE); END;
      CREATE VIEW place AS SELECT code, n, id FROM slot UNION ALL SELECT 'none', 0, 0;
      CREATE TRIGGER placeChanged INSTEAD OF UPDATE ON place BEGIN UPDATE slot SET n = NEW.n WHERE id = OLD.id; END;
      CREATE TRIGGER placeRemoved INSTEAD OF DELETE ON place BEGIN DELETE FROM slot WHERE id = OLD.id; END;
      INSERT INTO worker VALUES (1, 'Nan', 2), (2, 'Andy', NULL);
      INSERT INTO slot VALUES (1, 'A', 1), (2, 'B', 1), (3, 'C', 2);
      INSERT INTO memo (id) VALUES (1), (2), (3);
      """, modelFile: "resources:\n  places: { key: [n] }\n")
  }

  private static let forms: [(type: String, content: @Sendable ([(Int, Int?)]) -> String)] = [
    (
      "application/json",
      { workers in
        "["
          + workers.map { #"{"id":\#($0),"name":"N","bossId":\#($1.map(String.init) ?? "null")}"# }
          .joined(separator: ",") + "]"
      }
    ),
    (
      "application/x-ndjson",
      { workers in
        workers.map { #"{"id":\#($0),"name":"N","bossId":\#($1.map(String.init) ?? "null")}"# }
          .joined(separator: "\n")
      }
    ),
    (
      "text/csv",
      { workers in
        "id,name,bossId\n" + workers.map { "\($0),N,\($1.map(String.init) ?? "")\n" }.joined()
      }
    ),
  ]

  @Test(
    arguments: [
      [(10, 11), (11, nil)], [(10, 11), (11, 12), (12, 10)], [(10, 10), (11, 10)],
      [(10, 12), (11, 1), (12, 11), (13, 10)],
    ] as [[(Int, Int?)]])
  func `records of one content refer to one another in any order`(workers: [(Int, Int?)]) throws {
    for (type, content) in Self.forms {
      let database = try WholeWriteTests().database
      let answer = try database.send(
        .post, "/workers", content(workers), headers: ["Content-Type": type])
      #expect(answer.status == 201, "\(type): \(answer.text)")
      let stored = try database.stored("SELECT id, bossId FROM worker WHERE id >= 10 ORDER BY id")
      #expect(stored == workers.map { "\($0)|\($1.map(String.init) ?? "NULL")" }.joined(separator: "; "))
    }
  }

  @Test
  func `the first that refers to nothing is named, and nothing is done`() throws {
    for (number, (type, content)) in Self.forms.enumerated() {
      let answer = try database.send(
        .post, "/workers", content([(10, 11), (11, 10), (12, 99), (13, 98)]), headers: ["Content-Type": type])
      #expect(answer.status == 409)
      #expect(answer.problem("pointer") == (number == 0 ? "#/2/bossId" : "#/bossId"))
      #expect(answer.problem("line") == [nil, "3", "4"][number])
    }
    #expect(try database.stored("SELECT COUNT(*) FROM worker") == "2")
  }

  @Test
  func `a tree refers to what is below it, and siblings to one another`() throws {
    let answer = try database.send(
      .post, "/teams",
      #"[{"id":5,"leadId":9,"members":[{"id":7,"buddyId":9},{"id":8,"buddyId":7}]},{"id":6,"leadId":7,"members":[{"id":9,"buddyId":8}]}]"#
    )
    #expect(answer.status == 201, "\(answer.text)")
    #expect(try database.stored("SELECT id, leadId FROM team") == "5|9; 6|7")
    #expect(try database.stored("SELECT id, teamId, buddyId FROM member") == "7|5|9; 8|5|7; 9|6|8")
    let refused = try database.send(
      .post, "/teams", #"{"id":15,"members":[{"id":17,"buddyId":18},{"id":18,"buddyId":99}]}"#)
    #expect(refused.status == 409 && refused.problem("pointer") == "#/members/1/buddyId")
  }

  @Test(arguments: [
    ("/slots", #"{"code":"A"}"#, "#"), ("/slots", #"[{"code":"new"},{"code":"A"}]"#, "#/1"),
    ("/slots", #"[{"code":"new"},{"code":"new"}]"#, "#/1"),
    ("/rooms", #"[{"code":"new"},{"code":"newer"},{"code":"new"}]"#, "#/0"),
  ])
  func `what the database leaves out of an array is a conflict`(
    target: String, content: String, pointer: String
  ) throws {
    let answer = try database.send(.post, target, content)
    #expect(answer.status == 409 && answer.problem("pointer") == pointer, "\(answer.text)")
    #expect(try database.stored("SELECT COUNT(*) FROM slot") == "3")
    #expect(try database.stored("SELECT COUNT(*) FROM room") == "0")
  }

  @Test
  func `imports and changes of many leave it out, and count what was done`() throws {
    let csv: HTTPHeaders = ["Content-Type": "text/csv"]
    let slots = try database.send(.post, "/slots", "code,n\nnew,5\nA,5\nnew,6\n", headers: csv)
    #expect(slots.status == 201 && slots.headers["X-Total-Count"] == "1")
    let rooms = try database.send(.post, "/rooms", "code,n\nnew,5\nnew,6\nnewer,7\n", headers: csv)
    #expect(rooms.status == 201 && rooms.headers["X-Total-Count"] == "2")
    let changed = try database.send(.patch, "/rooms?filter=true", #"{"code":"same"}"#)
    #expect(changed.headers["X-Total-Count"] == "1")
    #expect(try database.stored("SELECT code, n FROM room") == "same|7")
  }

  @Test
  func `a deletion that a trigger does in its own way is done`() throws {
    #expect(try database.send(.delete, "/memos/1").status == 204)
    #expect(try database.send(.delete, "/memos/1").status == 409, "it is as it was")
    let many = try database.send(.delete, "/memos?filter=true")
    #expect(many.status == 204 && many.headers["X-Total-Count"] == "2")
    #expect(try database.stored("SELECT id, gone FROM memo") == "1|1; 2|1; 3|1")
  }

  @Test
  func `the path of one record changes one row`() throws {
    let before = try database.stored("SELECT * FROM slot")
    for (method, content) in [
      (HTTPMethod.patch, #"{"code":"x"}"#), (.delete, nil),
    ] {
      #expect(try database.send(method, "/places/1", content).status == 409, "\(method.token)")
    }
    #expect(try database.stored("SELECT * FROM slot") == before)
    #expect(try database.send(.delete, "/places/2").status == 204)
    let many = try database.send(.delete, "/places?n=1")
    #expect(many.status == 204 && many.headers["X-Total-Count"] == "2")
  }

  @Test
  func `under rules, references are tested when all records are written`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE worker (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bossId INTEGER REFERENCES worker(id));
      """,
      modelFile: """
        resources:
          workers:
            access:
              read: { roles: [clerk], rows: name <> 'secret' }
              create: { roles: [clerk] }
        """, options: AccessFixture.options(isWritable: true))
    let clerk = AccessFixture.bearer(#"{"role":"clerk"}"#)
    for (type, content) in Self.forms {
      let headers = clerk.with("Content-Type", type)
      let secret = content([(10, 11), (11, nil)]).replacing("N", with: "secret")
      #expect(try database.send(.post, "/workers", secret, headers: headers).status == 409, "\(type)")
      #expect(try database.stored("SELECT COUNT(*) FROM worker") == "0")
    }
    #expect(
      try database.send(.post, "/workers", Self.forms[0].content([(10, 11), (11, 10)]), headers: clerk).status
        == 201)
  }
}
