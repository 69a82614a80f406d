import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("An association with the name of its column")
struct OwnColumnTests {
  static let forge = """
    CREATE TABLE repo (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE issue (id INTEGER PRIMARY KEY, repo INTEGER REFERENCES repo(id), title TEXT);
    CREATE TABLE folder (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES folder(id));
    INSERT INTO repo VALUES (1, 'anvil'), (2, 'bellows');
    INSERT INTO issue VALUES (1, 2, 'leaks'), (2, NULL, 'lost');
    INSERT INTO folder VALUES (1, NULL), (2, 1), (3, 2);
    """

  @Test
  func `its record stands in the place of the column, and rows have both`() throws {
    let database = try TestDatabase(Self.forge)
    try expectRequest(
      "/issues?include=repo", on: database,
      sql: #"""
        SELECT "issue"."id", "issue"."repo", "issue"."title", "repo"."id", "repo"."name" FROM "issue" LEFT JOIN \#
        "repo" ON "repo"."id" = "issue"."repo" ORDER BY "issue"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"id":1,"repo":{"id":2,"name":"bellows"},"title":"leaks"},{"id":2,"repo":null,"title":"lost"}]
        """#)
    let rows = try database.get(
      "/issues?include=repo", headers: ["Accept": "application/x-ndjson;profile=rows"])
    #expect(rows.text == "[1,2,\"leaks\",[2,\"bellows\"]]\n[2,null,\"lost\",null]\n")
    let csv = try database.get("/issues?include=repo", headers: ["Accept": "text/csv"])
    #expect(csv.text.hasPrefix("id,repo.id,repo.name,title\r\n1,2,bellows,leaks\r\n"))
  }

  @Test(arguments: [
    ("fields=title,repo&include=repo", #"[{"title":"leaks","repo":{"id":2,"name":"bellows"}}]"#),
    ("fields=title&include=repo", #"[{"title":"leaks","repo":{"id":2,"name":"bellows"}}]"#),
    ("fields=repo,n:repo&include=repo&repo.values=name", #"[{"repo":"bellows","n":2}]"#),
    ("fields=repo&include=of:repo&of.values=name", #"[{"repo":2,"of":"bellows"}]"#),
    ("fields=repo&join=repo", #"[{"repo":2}]"#), ("fields=repo&sort=-repo.name", #"[{"repo":2}]"#),
    ("fields=repo&filter=repo=2 and repo.name='bellows'", #"[{"repo":2}]"#),
  ])
  func `alone the name is the column, before a dot and in include the association`(
    query: String, json: String
  ) throws {
    let database = try TestDatabase(Self.forge)
    #expect(try database.get("/issues?\(query)&limit=1").text == json)
  }

  @Test(arguments: [
    "include=repo&fields=id,repo:title", "include=repo&annotate=repo:title",
  ])
  func `nothing else can take the column's place`(query: String) throws {
    #expect(try TestDatabase(Self.forge).get("/issues?\(query)").status == 400)
  }

  @Test
  func `a recursion ends with the column at its last level`() throws {
    let database = try TestDatabase(Self.forge)
    #expect(
      try database.get("/folders/3?include=parent*").text
        == #"{"id":3,"parent":{"id":2,"parent":{"id":1,"parent":null}}}"#)
    #expect(
      try database.get("/folders/3?include=parent*1&parent.fields=parent,id").text
        == #"{"id":3,"parent":{"parent":1,"id":2}}"#)
  }

  @Test
  func `distinct results are told apart by the record alone`() throws {
    let database = try TestDatabase(
      Self.forge + "INSERT INTO repo VALUES (3, 'anvil'); INSERT INTO issue VALUES (3, 1, 'x'), (4, 3, 'y');")
    #expect(
      try database.get("/issues?distinct=true&fields=repo&include=repo!&repo.fields=name&sort=repo").text
        == #"[{"repo":{"name":"anvil"}},{"repo":{"name":"bellows"}}]"#)
  }

  @Test
  func `in a content, an object is the association and any other value the column`() throws {
    let database = try TestDatabase.writable(Self.forge)
    try expectWrite(
      .post, "/issues", #"{"title":"a","repo":1}"#, on: database, status: 201,
      json: #"{"id":3,"repo":1,"title":"a"}"#, location: "/issues/3")
    try expectWrite(
      .post, "/issues", #"{"title":"b","repo":{"name":"coal"}}"#, on: database, status: 201,
      json: #"{"id":4,"repo":{"id":3,"name":"coal"},"title":"b"}"#, location: "/issues/4",
      stored: ("SELECT repo FROM issue WHERE id = 4", "3"))
    try expectWrite(
      .patch, "/issues/4", #"{"repo":null}"#, on: database, status: 200,
      json: #"{"id":4,"repo":null,"title":"b"}"#)
    try expectRefusal(
      .post, "/issues", #"{"repo":{"nme":"x"}}"#, on: database, status: 422, code: .unknownMember,
      pointer: "#/repo/nme")
  }
}
