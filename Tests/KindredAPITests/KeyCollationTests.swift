import KindredHTTP
import Testing

@testable import KindredAPI

/// A primary key may have another collation than its column; it alone tells records apart.
@Suite("Keys in another collation than their columns")
struct KeyCollationTests {
  private static func database(_ end: String) throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    return try TestDatabase(
      """
      CREATE TABLE tag (code TEXT COLLATE NOCASE NOT NULL, n INTEGER, PRIMARY KEY (code COLLATE BINARY))\(end);
      INSERT INTO tag VALUES ('x', 1), ('X', 2), ('y', 3), ('Y', 4);
      CREATE TABLE note (id INTEGER PRIMARY KEY, code TEXT);
      INSERT INTO note VALUES (1, 'x'), (2, 'X'), (3, 'y'), (4, 'z');
      CREATE TABLE use (id INTEGER PRIMARY KEY, tagCode TEXT COLLATE NOCASE REFERENCES tag);
      INSERT INTO use VALUES (1, 'x'), (2, 'X');
      """,
      modelFile: """
        resources:
          notes:
            associations:
              tag: { belongsTo: tags, foreignKey: { code: code } }
        """, options: options)
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a path leads to the record of exactly this key`(end: String) throws {
    let database = try Self.database(end)
    for (key, n) in ["x": 1, "X": 2, "y": 3, "Y": 4] {
      try expectRequest("/tags/\(key)?fields=n", on: database, json: #"{"n":\#(n)}"#)
      try expectRequest("/tags/code=\(key)?fields=n", on: database, json: #"{"n":\#(n)}"#)
    }
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `pages have each record once`(end: String) throws {
    let database = try Self.database(end)
    for sort in ["", "&sort=code", "&sort=-code", "&sort=-n"] {
      let whole = try database.get("/tags?limit=10\(sort)").text
      var next: String? = "/tags?limit=1\(sort)"
      var records: [String] = []
      while let target = next, records.count < 10 {
        let answer = try database.get(target)
        records.append(String(answer.text.dropFirst().dropLast()))
        next = answer.headers["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
      }
      #expect("[\(records.joined(separator: ","))]" == whole)
    }
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a reference by the column's collation leads to one record, and repeats none`(end: String) throws {
    let database = try Self.database(end)
    try expectRequest(
      "/notes?fields=id,n:tag.n&include=tag&tag.fields=n", on: database,
      json:
        #"[{"id":1,"n":2,"tag":{"n":2}},{"id":2,"n":2,"tag":{"n":2}},{"id":3,"n":4,"tag":{"n":4}},{"id":4,"n":null,"tag":null}]"#
    )
    try expectRequest(
      "/tags?fields=n&annotate=useCount&sort=n", on: database,
      json: #"[{"n":1,"useCount":2},{"n":2,"useCount":2},{"n":3,"useCount":0},{"n":4,"useCount":0}]"#)
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func `a write changes and deletes one record`(end: String) throws {
    let database = try Self.database(end)
    let change = database.service.respond(
      to: HTTPRequest(
        method: .patch, target: "/tags/x", headers: ["Content-Type": "application/json"],
        body: Array(#"{"n":9}"#.utf8)))
    #expect(change.status.code == 200)
    #expect(
      try database.get("/tags?sort=n&fields=code,n").text
        == #"[{"code":"X","n":2},{"code":"y","n":3},{"code":"Y","n":4},{"code":"x","n":9}]"#)
    let deletion = database.service.respond(to: HTTPRequest(method: .delete, target: "/tags/Y"))
    #expect(deletion.status.code == 204)
    #expect(try database.get("/tags?sort=n&fields=code").text == #"[{"code":"X"},{"code":"y"},{"code":"x"}]"#)
  }
}
