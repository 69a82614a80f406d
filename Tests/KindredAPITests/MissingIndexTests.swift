import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("Associations without an index")
struct MissingIndexTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      """
      CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE comment (id INTEGER PRIMARY KEY, postId INTEGER REFERENCES post(id), body TEXT);
      CREATE TABLE pair (a INTEGER, b TEXT, n INTEGER, PRIMARY KEY (a, b));
      CREATE TABLE part (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, FOREIGN KEY (a, b) REFERENCES pair(a, b));
      INSERT INTO post VALUES (1, 'a'), (2, 'b'), (3, 'c');
      INSERT INTO comment VALUES (1, 2, 'x'), (2, 1, 'y'), (3, 2, 'z'), (4, NULL, 'w');
      INSERT INTO pair VALUES (1, 'x', 1), (1, 'y', 2), (2, 'x', 3);
      INSERT INTO part VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 1, 'x'), (4, NULL, 'x');
      """)
  }

  /// The pages of a request are the same before and after each use of what stands in for the index.
  @Test(arguments: [
    ("/posts?include=comments&comments.values=id&fields=id", ["[1,3,10]", "[2]"]),
    ("/posts?include=comments&comments.values=id&fields=id&limit=1&sort=-id", ["[]"]),
    ("/posts?include=comments.post.comments&fields=id", ["\"comments\""]),
    ("/posts?include=comments&annotate=n:comments.count&fields=id&comments.values=id", ["\"n\":3"]),
    ("/posts/2?include=comments&comments.values=id&fields=id", ["[1,3,10]"]),
    ("/posts?include=comments&comments.values=id&fields=id&filter=comments.count>1", ["[1,3,10]"]),
  ])
  func `after another's commit, a page has the new records, however often it is read`(
    target: String, parts: [String]
  ) throws {
    _ = try database.get(target)
    let other = try Connection(path: database.path, access: .readWrite)
    try other.execute("INSERT INTO comment VALUES (10, 2, 'new')")
    let first = try database.get(target).text
    for part in parts { #expect(first.contains(part), "\(first)") }
    for _ in 1...3 { #expect(try database.get(target).text == first) }
    #expect(try database.get(target.replacing("comments.values=id", with: "comments.sort=id")).status == 200)
    try other.execute("DELETE FROM comment WHERE id = 10")
    #expect(try !database.get(target).text.contains("10"))
  }

  @Test
  func `another page of the same state finds its own records`() throws {
    let other = try Connection(path: database.path, access: .readWrite)
    try other.execute("UPDATE post SET title = title")
    func page(_ id: Int) throws -> String {
      try database.get("/posts?include=comments&comments.values=id&fields=id&filter=id=\(id)").text
    }
    #expect(try page(1) == #"[{"id":1,"comments":[2]}]"#)
    #expect(try page(2) == #"[{"id":2,"comments":[1,3]}]"#)
    #expect(try page(1) == #"[{"id":1,"comments":[2]}]"#)
  }

  @Test
  func `keys of several columns are looked up together`() throws {
    for _ in 1...3 {
      #expect(
        try database.get("/pairs?include=parts&parts.values=id&fields=n").text
          == #"[{"n":1,"parts":[1,3]},{"n":2,"parts":[2]},{"n":3,"parts":[]}]"#)
    }
  }

  @Test
  func `a partial index of the records that a node shows is used, and none is made beside it`() throws {
    let partial = try TestDatabase(
      """
      CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE comment (id INTEGER PRIMARY KEY, postId INTEGER REFERENCES post(id), deletedAt TEXT);
      CREATE INDEX comment_shown ON comment (postId) WHERE deletedAt IS NULL;
      INSERT INTO post VALUES (1, 'a'), (2, 'b');
      INSERT INTO comment VALUES (1, 2, NULL), (2, 1, 'x'), (3, 2, NULL);
      """)
    let shown = "/posts?fields=id&include=comments&comments.values=id&comments.filter=deletedAt is null"
    #expect(try partial.get(shown).text == #"[{"id":1,"comments":[]},{"id":2,"comments":[1,3]}]"#)
    let explained = try partial.get(shown + "&explain=true").text
    #expect(
      explained.contains("comment_shown") && explained.contains(#""missingIndexes":[]"#), "\(explained)")
    let all = try partial.get("/posts?fields=id&include=comments&comments.values=id&explain=true").text
    #expect(all.contains(#"CREATE INDEX \"comment_on_postId\""#) && !all.contains("comment_shown"), "\(all)")
  }
}
