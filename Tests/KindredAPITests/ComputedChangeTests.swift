import Dispatch
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Columns that the database computes")
struct ComputedChangeTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE category (id INTEGER PRIMARY KEY, base INTEGER NOT NULL);
      CREATE TABLE item (
        id INTEGER PRIMARY KEY, categoryId INTEGER REFERENCES category(id), parentId INTEGER REFERENCES item(id),
        name TEXT NOT NULL, stock INTEGER NOT NULL CHECK (stock >= 0), low INTEGER,
        twice INTEGER GENERATED ALWAYS AS (stock * 2) VIRTUAL);
      CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, hits INTEGER NOT NULL DEFAULT 1);
      CREATE TABLE card (id INTEGER PRIMARY KEY, "set" TEXT);
      INSERT INTO category VALUES (1, 100), (2, 7);
      INSERT INTO item (id, categoryId, parentId, name, stock, low) VALUES
        (1, 1, NULL, 'axe', 10, 1), (2, 1, 1, 'bolt', 20, 2), (3, 2, 2, 'cube', 30, 3);
      INSERT INTO page VALUES (1, '/home', 41);
      INSERT INTO card VALUES (1, 'alpha'), (2, 'beta');
      """)
  }

  private func items() throws -> String {
    try database.stored("SELECT id, name, stock, low FROM item ORDER BY id")
  }

  @Test(arguments: [
    ("stock:stock-1", "axe|9|1"), ("stock:low,low:stock", "axe|1|10"), ("name:upper(name)||'!'", "AXE!|10|1"),
    ("low:null", "axe|10|NULL"), ("stock:stock%2Bcategory.base", "axe|110|1"),
    ("low:itemsByParent.count", "axe|10|1"),
    ("low:twice,stock:1", "axe|1|20"), ("stock:stock-1&set=low:stock", "axe|9|10"),
  ])
  func `a change computes columns from the record as it was`(set: String, stored: String) throws {
    let answer = try database.send(.patch, "/items/1?set=\(set)")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try database.stored("SELECT name, stock, low FROM item WHERE id = 1") == stored)
  }

  @Test
  func `they stand beside a content, and the answer has the record's tag`() throws {
    let answer = try database.send(.patch, "/items/1?set=stock:stock-1", #"{"name":"hatchet"}"#)
    #expect(try database.stored("SELECT name, stock FROM item WHERE id = 1") == "hatchet|9")
    #expect(try answer.headers["ETag"] == database.get("/items/1").headers["ETag"])
  }

  @Test
  func `many records read one another as they were`() throws {
    let answer = try database.send(.patch, "/items?filter=parentId is not null&set=low:parent.low")
    #expect(answer.headers["X-Total-Count"] == "2")
    #expect(try items() == "1|axe|10|1; 2|bolt|20|1; 3|cube|30|2")
  }

  @Test
  func `an upsert computes them for what is there, one record after another`() throws {
    let merging: HTTPHeaders = ["Prefer": "resolution=merge-duplicates"]
    let answer = try database.send(
      .post, "/pages?onConflict=url&set=hits:hits*2", #"[{"url":"/home"},{"url":"/new"},{"url":"/new"}]"#,
      headers: merging)
    #expect(answer.status == 201)
    #expect(try database.stored("SELECT url, hits FROM page ORDER BY id") == "/home|82; /new|2")
  }

  @Test(arguments: [
    ("/items/1?set=stock:5", #"{"stock":5}"#, 400, "set"), ("/items/1?set=stock:1,stock:2", nil, 400, "set"),
    ("/items/1?set=stok:1", nil, 400, "set"), ("/items/1?set=stock:stok", nil, 400, "set"),
    ("/items/1?set=stock-1", nil, 400, "set"), ("/items/1?set=*", nil, 400, "set"),
    ("/items/1?set=category:2", nil, 400, "set"), ("/items/1?set=twice:2", nil, 400, "set"),
    ("/items/1?set=name:null", nil, 422, "set"), ("/items/1?set=stock:stock-11", nil, 422, "set"),
    ("/items/1?set=categoryId:99", nil, 409, "set"), ("/items?set=stock:0", nil, 400, "filter"),
    ("/items/1", nil, 415, nil), ("/items/9?set=stock:0", nil, 404, nil),
  ])
  func `what is wrong is refused, and nothing is changed`(
    target: String, content: String?, status: Int, parameter: String?
  ) throws {
    let before = try items()
    let answer = try database.send(.patch, target, content)
    #expect(answer.status == status, "\(answer.text)")
    #expect(answer.problem("parameter") == parameter)
    #expect(answer.problem("pointer") == nil)
    #expect(try items() == before)
  }

  @Test
  func `elsewhere, set is the column of that name`() throws {
    #expect(try database.get("/cards?set=alpha&fields=id").text == #"[{"id":1}]"#)
    #expect(try database.send(.delete, "/cards?set=beta").status == 204)
    #expect(try database.send(.patch, "/cards/1?set=set:set||'!'").status == 200)
    #expect(try database.stored(#"SELECT id, "set" FROM card"#) == "1|alpha!")
    #expect(try database.send(.put, "/items/1?set=stock:0", "{}").status == 400)
    #expect(try database.send(.post, "/pages?set=hits:0", #"{"url":"/x"}"#).status == 400)
  }

  @Test
  func `increments of 32 clients at once are all kept`() throws {
    let database = database
    DispatchQueue.concurrentPerform(iterations: 32) { client in
      for _ in 0..<(client < 8 ? 32 : 31) {
        let answer = database.service.respond(
          to: HTTPRequest(method: .patch, target: "/pages/1?set=hits:hits%2B1"))
        #expect(answer.status.code == 200)
      }
    }
    #expect(try database.stored("SELECT hits FROM page") == "1041")
  }
}
