import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Columns that the server sets")
struct PresetColumnTests {
  private static let model = """
    resources:
      docs:
        hidden: [changedBy]
        access:
          read:
            - { roles: [keeper] }
            - { roles: [writer], rows: deletedAt is null, fields: [id, title, code, ownerId, version, previous] }
          create:
            - { roles: [keeper] }
            - { roles: [writer], fields: [id, title, code], set: { ownerId: auth.sub, changedBy: 0 } }
          update:
            - { roles: [keeper] }
            - roles: [writer]
              rows: ownerId = auth.sub
              fields: [title, code]
              set: { version: version + 1, previous: title, changedBy: auth.sub }
          delete: { roles: [writer], rows: ownerId = auth.sub, set: { deletedAt: "'gone'" } }
      tags:
        access: { read: {}, create: { roles: [writer], set: { madeBy: auth.sub } } }
      docTags:
        access:
          read: { rows: removed is null }
          create: { roles: [writer], set: { addedBy: auth.sub } }
          delete: { roles: [writer], set: { removed: 1 } }
    """

  private let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      """
      CREATE TABLE doc (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, code TEXT, ownerId INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 1,
        previous TEXT, changedBy INTEGER, deletedAt TEXT, UNIQUE (ownerId, code));
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, madeBy INTEGER);
      CREATE TABLE docTag (
        docId INTEGER NOT NULL REFERENCES doc(id), tagId INTEGER NOT NULL REFERENCES tag(id), addedBy INTEGER,
        removed INTEGER, PRIMARY KEY (docId, tagId));
      INSERT INTO doc (id, title, code, ownerId) VALUES (1, 'Alpha', 'A', 1), (2, 'Beta', 'B', 1), (3, 'Gamma', 'A', 2);
      INSERT INTO tag VALUES (1, 'red', NULL);
      INSERT INTO docTag VALUES (1, 1, NULL, NULL);
      """, modelFile: Self.model, options: AccessFixture.options(isWritable: true))
  }

  private static let ann = AccessFixture.bearer(#"{"role":"writer","sub":1}"#)
  private static let keeper = AccessFixture.bearer(#"{"role":"keeper","sub":9}"#)

  private func send(
    _ method: HTTPMethod, _ target: String, _ content: String? = nil, _ more: HTTPHeaders = [:],
    as client: HTTPHeaders = ann
  ) throws -> Answer {
    var headers = client
    for (name, value) in more { headers.append(name, value) }
    return try database.send(method, target, content, headers: headers)
  }

  private func doc(_ id: Int) throws -> String {
    try database.stored(
      "SELECT title, code, ownerId, version, previous, changedBy, deletedAt FROM doc WHERE id = \(id)")
  }

  @Test
  func `a new record has them, in whatever way it is added`() throws {
    let merging: HTTPHeaders = ["Prefer": "resolution=merge-duplicates"]
    for (method, target, content, more) in [
      (HTTPMethod.post, "/docs", #"{"id":10,"title":"N"}"#, [:] as HTTPHeaders),
      (.post, "/docs", #"[{"id":10,"title":"N","ownerId":1}]"#, [:]),
      (.put, "/docs/10", #"{"title":"N"}"#, [:]),
      (.post, "/docs", "id,title\n10,N\n", ["Content-Type": "text/csv"]),
      (.post, "/docs", #"{"id":10,"title":"N"}"#, merging),
      (.post, "/-/batch", #"[{"method":"POST","url":"/docs","body":{"id":10,"title":"N"}}]"#, [:]),
    ] {
      let database = try PresetColumnTests()
      #expect(try [200, 201].contains(database.send(method, target, content, more).status), "\(content)")
      #expect(try database.doc(10) == "N|NULL|1|1|NULL|0|NULL", "\(content)")
    }
  }

  @Test
  func `another value is refused, and nothing is done`() throws {
    let before = try database.stored("SELECT * FROM doc")
    for (method, target, content) in [
      (HTTPMethod.post, "/docs", #"{"title":"N","ownerId":2}"#),
      (.post, "/docs", #"{"title":"N","ownerId":null}"#),
      (.post, "/docs", #"[{"title":"N"},{"title":"N","ownerId":2}]"#), (.patch, "/docs/1", #"{"version":7}"#),
      (.patch, "/docs/1", #"{"title":"N","version":3}"#), (.patch, "/docs/1", #"{"ownerId":2}"#),
      (.patch, "/docs?filter=ownerId=1", #"{"previous":"x"}"#),
      (.put, "/docs/1", #"{"title":"N","version":7}"#),
      (.patch, "/docs?filter=false", #"{"deletedAt":"x"}"#),
    ] {
      #expect(try send(method, target, content).status == 403, "\(method.token) \(target) \(content)")
    }
    #expect(try database.stored("SELECT * FROM doc") == before)
  }

  @Test
  func `a change has them, computed from the record as it was`() throws {
    #expect(try send(.patch, "/docs/1", #"{"title":"Omega"}"#).status == 200)
    #expect(try doc(1) == "Omega|A|1|2|Alpha|1|NULL")
    #expect(try send(.patch, "/docs?filter=ownerId=1", #"{"title":"Both"}"#).status == 200)
    #expect(try doc(1) == "Both|A|1|3|Omega|1|NULL")
    #expect(try doc(2) == "Both|B|1|2|Beta|1|NULL")
    #expect(try send(.put, "/docs/2", #"{"title":"Put"}"#).status == 200)
    #expect(try doc(2) == "Put|NULL|1|3|Both|1|NULL", "what isn't the client's is not reset")
  }

  @Test
  func `what a GET gave can be sent back`() throws {
    let record = try send(.get, "/docs/1?fields=id,title,code,ownerId,version,previous").text
    #expect(try send(.patch, "/docs/1", record).status == 403, "`id` is not among the fields")
    #expect(
      try send(.patch, "/docs/1", #"{"title":"Alpha","code":"A","ownerId":1,"version":1,"previous":null}"#)
        .status == 200)
    #expect(try doc(1) == "Alpha|A|1|2|Alpha|1|NULL")
    #expect(try send(.patch, "/docs/1", #"{"version":2}"#).status == 200, "no column is named")
    #expect(try doc(1) == "Alpha|A|1|2|Alpha|1|NULL")
  }

  @Test
  func `an upsert finds a record by what the server sets`() throws {
    let answer = try send(
      .post, "/docs?onConflict=ownerId,code", #"[{"code":"A","title":"found"},{"code":"C","title":"new"}]"#,
      ["Prefer": "resolution=merge-duplicates"])
    #expect(answer.status == 201)
    #expect(try doc(1) == "found|A|1|2|Alpha|1|NULL")
    #expect(try doc(3) == "Gamma|A|2|1|NULL|NULL|NULL")
    #expect(try doc(4) == "new|C|1|1|NULL|0|NULL")
  }

  @Test
  func `a deletion keeps the record, out of sight`() throws {
    #expect(try send(.delete, "/docs/1").status == 204)
    #expect(try doc(1) == "Alpha|A|1|1|NULL|NULL|gone")
    #expect(try send(.get, "/docs/1").status == 404)
    #expect(try send(.delete, "/docs/1").status == 404)
    #expect(try send(.delete, "/docs/3").status == 403)
    #expect(try send(.post, "/docs", #"{"title":"N","code":"A"}"#).status == 409)
    #expect(try send(.delete, "/docs?filter=ownerId=1").status == 204)
    #expect(try database.stored("SELECT id FROM doc WHERE deletedAt IS NULL") == "3")
  }

  @Test
  func `links have them, and unlinking keeps the link`() throws {
    #expect(try send(.post, "/docs/2/tags", #"{"name":"new"}"#).status == 201)
    #expect(
      try database.stored(
        "SELECT docId, tagId, addedBy, madeBy FROM docTag JOIN tag ON id = tagId WHERE docId = 2")
        == "2|2|1|1")
    #expect(try send(.delete, "/docs/1/tags/1").status == 204)
    #expect(try database.stored("SELECT * FROM docTag WHERE docId = 1") == "1|1|NULL|1")
    #expect(try send(.get, "/docs/1/tags").text == "[]")
    #expect(try send(.put, "/docs/1/tags/1").status == 409, "the kept link is in the way")
  }

  @Test
  func `the entry of another role sets nothing`() throws {
    #expect(
      try send(.post, "/docs", #"{"id":10,"title":"N","ownerId":5,"version":7}"#, as: Self.keeper).status
        == 201)
    #expect(try doc(10) == "N|NULL|5|7|NULL|NULL|NULL")
    #expect(try send(.patch, "/docs/1", #"{"ownerId":5}"#, as: Self.keeper).status == 200)
  }

  @Test(arguments: [
    ("create: { set: { nope: auth.sub } }", "`doc` has no column `nope`"),
    ("create: { set: { title: code } }", "a new record has no `code` yet"),
    ("update: { set: { loud: auth.sub } }", "`loud` is computed"),
    ("update: { set: { version: wersion + 1 } }", "`set`, character 1: `wersion` is not a column of docs"),
    ("update: { set: version }", "write `set` as"),
    ("read: { set: { title: auth.sub } }", "`read` has no `set`"),
    ("write: { set: { title: auth.sub } }", "`write` has no `set`"),
  ])
  func `what can't be set stops the start`(access: String, message: String) throws {
    let model = "resources:\n  docs:\n    columns: { loud: upper(title) }\n    access:\n      \(access)\n"
    let error = #expect(throws: (any Error).self) {
      _ = try TestDatabase(
        "CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT, code TEXT, version INTEGER)", modelFile: model)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("model.yaml:5") && text.contains(message), "\(text)")
  }
}
