import KindredHTTP
import KindredModel
import KindredSQLite
import Testing

@testable import KindredAPI

/// A database may need functions, collations and modules that only the program has by which it was made.
@Suite("What a database needs that the server lacks")
struct MissingPartTests {
  /// Triggers are not checked when they are made.
  private func database() throws -> TestDatabase {
    try TestDatabase(
      """
      CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE note (id INTEGER PRIMARY KEY, folderId INTEGER REFERENCES folder(id) ON DELETE CASCADE, title TEXT);
      CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO folder VALUES (1, 'in'); INSERT INTO note VALUES (1, 1, 'x'), (2, NULL, 'y');
      CREATE TRIGGER noteSort AFTER INSERT ON note
        BEGIN UPDATE note SET title = title_sort(NEW.title) WHERE id = NEW.id; END;
      CREATE TRIGGER noteGone BEFORE DELETE ON note BEGIN SELECT unlink_file(OLD.id); END;
      """, options: .writable)
  }

  @Test
  func `each missing function is told in one line, with all that can't be written`() throws {
    #expect(
      try database().model.warnings == [
        "the trigger noteGone calls the function unlink_file, which this server doesn't have: records of folder can't be deleted, and records of note can't be deleted",
        "the trigger noteSort calls the function title_sort, which this server doesn't have: records of note can't be added",
      ])
  }

  @Test(arguments: [
    (HTTPMethod.post, "/notes", "title_sort", "GET, HEAD, QUERY, PATCH, OPTIONS"),
    (.put, "/notes/9", "title_sort", "GET, HEAD, QUERY, PATCH, OPTIONS"),
    (.delete, "/notes/1", "unlink_file", "GET, HEAD, QUERY, PATCH, OPTIONS"),
    (.delete, "/folders/1", "unlink_file", "GET, HEAD, QUERY, PATCH, PUT, OPTIONS"),
    (.post, "/folders/1/notes", "title_sort", "GET, HEAD, QUERY, PATCH, OPTIONS"),
  ])
  func `a method that needs a missing function is 405, and names it`(
    method: HTTPMethod, target: String, function: String, allow: String
  ) throws {
    let answer = try database().answer(method, target, #"{"title":"z"}"#)
    #expect(answer.status == 405 && answer.text.contains(function), "\(answer.text)")
    #expect(answer.headers["Allow"] == allow)
  }

  @Test
  func `all else goes on`() throws {
    let database = try database()
    #expect(try database.get("/folders?include=notes").status == 200)
    #expect(try database.answer(.patch, "/notes/1", #"{"title":"z"}"#).status == 200)
    #expect(try database.answer(.post, "/others", #"{"name":"z"}"#).status == 201)
    #expect(try database.answer(.delete, "/others/1").status == 204)
    #expect(try database.answer(.post, "/folders", #"{"name":"b","notes":[{"title":"z"}]}"#).status == 422)
    let paths = try database.get("/-/openapi.json").text
    #expect(!paths.contains("notes.post") && paths.contains("notes.patch"))
  }

  @Test
  func `full text without content and sizes is searched, not listed`() throws {
    let database = try TestDatabase(
      """
      CREATE VIRTUAL TABLE doc USING fts5(title, content='', columnsize=0);
      INSERT INTO doc (rowid, title) VALUES (1, 'hello'), (7, 'hello'), (2, 'bye');
      """)
    #expect(
      try database.get("/docs?search=hello&fields=rowid&sort=rowid").text == #"[{"rowid":1},{"rowid":7}]"#)
    for target in ["/docs", "/docs?fields=n:count()", "/docs?filter=rowid=1", "/docs/1"] {
      #expect(try database.get(target).status == 400, "\(target)")
    }
  }

  @Test
  func `a stale full-text index is told once, with the statement that rebuilds it`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE memo (id INTEGER PRIMARY KEY, body TEXT);
      CREATE VIRTUAL TABLE memoText USING fts5(body, content='memo', content_rowid='id');
      INSERT INTO memo VALUES (1, 'real'); INSERT INTO memoText (memoText) VALUES ('rebuild');
      INSERT INTO memoText (rowid, body) VALUES (99, 'ghost');
      """)
    let answer = try database.get("/memoTexts?search=ghost")
    #expect(answer.status == 503 && answer.headers["Retry-After"] == nil)
    #expect(
      answer.text.contains(#"INSERT INTO \"memoText\"(\"memoText\") VALUES('rebuild')"#), "\(answer.text)")
    #expect(try database.get("/memoTexts?search=real").text == #"[{"rowid":1,"body":"real"}]"#)
    try Connection(path: database.path, access: .readWrite)
      .execute("INSERT INTO memoText (memoText) VALUES ('rebuild')")
    #expect(try database.get("/memoTexts?search=ghost").text == "[]")
  }
}
