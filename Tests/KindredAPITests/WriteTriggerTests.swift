import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("What triggers say of writes")
struct WriteTriggerTests {
  private static let schema = """
    CREATE TABLE poem (id INTEGER PRIMARY KEY, title TEXT, lines INTEGER);
    CREATE TRIGGER short BEFORE INSERT ON poem WHEN NEW.lines < 2 BEGIN SELECT RAISE(ABORT, 'one line is no poem'); END;
    CREATE TRIGGER gone BEFORE INSERT ON poem WHEN NEW.lines = 13 BEGIN SELECT RAISE(IGNORE); END;
    CREATE TRIGGER all_gone BEFORE INSERT ON poem WHEN NEW.lines = 99 BEGIN SELECT RAISE(ROLLBACK, 'all is lost'); END;
    CREATE TRIGGER kept BEFORE DELETE ON poem WHEN OLD.id = 1 BEGIN SELECT RAISE(IGNORE); END;
    CREATE TRIGGER fixed BEFORE UPDATE ON poem WHEN OLD.id = 1 BEGIN SELECT RAISE(IGNORE); END;
    CREATE TRIGGER loud AFTER INSERT ON poem BEGIN UPDATE poem SET title = upper(title) WHERE id = NEW.id; END;
    INSERT INTO poem VALUES (1, 'first', 4), (2, 'second', 4);
    """

  private let database: TestDatabase

  init() throws { database = try TestDatabase.writable(Self.schema) }

  @Test(arguments: [(1, "one line is no poem"), (99, "all is lost")])
  func `the message of RAISE is the problem's detail`(lines: Int, message: String) throws {
    for content in ["{\"lines\":\(lines)}", "[{\"lines\":4},{\"lines\":\(lines)}]"] {
      let answer = try database.send(.post, "/poems", content)
      #expect(answer.status == 409 && answer.problem("detail") == message)
    }
    #expect(try database.stored("SELECT COUNT(*) FROM poem") == "2")
  }

  @Test
  func `a message that begins with a status has it, where clients may be told`() throws {
    let database = try TestDatabase.writable(
      Self.schema
        + """
        CREATE TRIGGER paid BEFORE INSERT ON poem WHEN NEW.lines BETWEEN 400 AND 499
        BEGIN SELECT RAISE(ABORT, 'PT402: not free'); END;
        CREATE TRIGGER no AFTER INSERT ON poem WHEN NEW.lines = 50 BEGIN SELECT RAISE(ABORT, 'PT405: no'); END;
        """)
    let answer = try database.send(.post, "/poems", #"{"lines":402}"#)
    #expect(answer.status == 402 && answer.problem("detail") == "not free")
    #expect(answer.problem("type") == "/-/errors#raised")
    #expect(try database.send(.post, "/poems", #"{"lines":50}"#).status == 409)
  }

  @Test
  func `a refusal within an array or a tree has its place`() throws {
    try expectRefusal(
      .post, "/poems", #"[{"lines":4},{"lines":1}]"#, on: database, status: 409, code: .conflict,
      pointer: "#/1")
    try expectRefusal(.post, "/poems", #"{"lines":1}"#, on: database, status: 409, code: .conflict)
  }

  @Test
  func `what is ignored is a conflict, but of many records left out`() throws {
    try expectRefusal(
      .post, "/poems", #"{"lines":13}"#, on: database, status: 409, code: .conflict, pointer: "#")
    for target in ["/poems/1", "/poems?filter=id=1"] {
      try expectRefusal(.patch, target, #"{"title":"x"}"#, on: database, status: 409, code: .conflict)
      try expectRefusal(.delete, target, on: database, status: 409, code: .conflict)
    }
    try expectRefusal(
      .post, "/poems?fields=lines", #"[{"lines":5},{"lines":13}]"#, on: database, status: 409,
      code: .conflict, pointer: "#/1")
    #expect(try database.send(.delete, "/poems?filter=id<3").headers["X-Total-Count"] == "1")
  }

  @Test
  func `what a trigger changes is what the answer shows`() throws {
    try expectWrite(
      .post, "/poems", #"{"title":"loud","lines":3}"#, on: database, status: 201,
      json: #"{"id":3,"title":"LOUD","lines":3}"#, location: "/poems/3")
  }
}

@Suite("Views with INSTEAD OF triggers")
struct WriteViewTests {
  private static let schema = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
    CREATE VIEW member AS SELECT id, name, length(name) AS size FROM person;
    CREATE TRIGGER added INSTEAD OF INSERT ON member BEGIN INSERT INTO person VALUES (NEW.id, NEW.name); END;
    CREATE TRIGGER changed INSTEAD OF UPDATE ON member BEGIN UPDATE person SET name = NEW.name WHERE id = OLD.id; END;
    CREATE VIEW visitor AS SELECT * FROM person;
    CREATE TRIGGER "instead of delete" INSTEAD OF DELETE ON visitor BEGIN DELETE FROM person WHERE id = OLD.id; END;
    CREATE VIEW reader AS SELECT * FROM person;
    INSERT INTO person VALUES (1, 'Ada'), (2, 'Bo');
    """

  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      Self.schema,
      modelFile: "resources:\n  members: { key: [id] }\n  visitors: { key: [id] }\n  readers: { key: [id] }\n"
    )
  }

  @Test
  func `take the changes that the triggers make, and no others`() throws {
    #expect(
      try database.answer("/members", method: .options).headers["Allow"]
        == "GET, HEAD, QUERY, POST, PATCH, OPTIONS")
    #expect(
      try database.answer("/members/1", method: .options).headers["Allow"]
        == "GET, HEAD, QUERY, PATCH, PUT, OPTIONS")
    #expect(
      try database.answer("/visitors/1", method: .options).headers["Allow"]
        == "GET, HEAD, QUERY, DELETE, OPTIONS")
    #expect(
      try database.answer("/readers/1", method: .options).headers["Allow"] == "GET, HEAD, QUERY, OPTIONS")
  }

  @Test
  func `are written like tables`() throws {
    try expectWrite(
      .post, "/members", #"{"id":3,"name":"Cy"}"#, on: database, status: 201,
      json: #"{"id":3,"name":"Cy","size":2}"#,
      location: "/members/3")
    try expectWrite(
      .patch, "/members/1", #"{"name":"Adam"}"#, on: database, status: 200,
      json: #"{"id":1,"name":"Adam","size":4}"#)
    try expectWrite(
      .patch, "/members?filter=id>1&fields=name", #"{"name":"X"}"#, on: database, status: 200,
      json: #"[{"name":"X"},{"name":"X"}]"#)
    try expectWrite(
      .delete, "/visitors/1", on: database, status: 204, stored: ("SELECT id FROM person", "2; 3"))
  }

  @Test
  func `a record whose key is unknown is added, and not shown`() throws {
    let answer = try database.send(.post, "/members", #"{"name":"Di"}"#)
    #expect(answer.status == 201 && answer.bytes.isEmpty && answer.headers["Location"] == nil)
    #expect(try database.stored("SELECT id FROM person WHERE name = 'Di'") == "3")
  }
}
