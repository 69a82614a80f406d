import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Nested records that are there")
struct LinkedTreeTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT NOT NULL);
      CREATE TABLE post (
        id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), slug TEXT UNIQUE, title TEXT NOT NULL);
      CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, colour TEXT);
      CREATE TABLE postTag (
        postId INTEGER NOT NULL REFERENCES post(id), tagId INTEGER NOT NULL REFERENCES tag(id),
        place INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (postId, tagId));
      CREATE TABLE step (
        id INTEGER PRIMARY KEY, postId INTEGER NOT NULL REFERENCES post(id), number INTEGER NOT NULL, body TEXT,
        UNIQUE (postId, number));
      INSERT INTO author VALUES (1, 'ann@x.org', 'Ann');
      INSERT INTO post VALUES (1, 1, 'one', 'One'), (2, NULL, 'two', 'Two');
      INSERT INTO tag VALUES (1, 'red', 'crimson'), (2, 'green', NULL), (3, 'blue', NULL);
      INSERT INTO postTag VALUES (1, 1, 7), (1, 2, 3);
      INSERT INTO step VALUES (1, 1, 1, 'first');
      """)
  }

  private func links(_ post: Int = 1) throws -> String {
    try database.stored("SELECT tagId, place FROM postTag WHERE postId = \(post) ORDER BY tagId")
  }

  @Test
  func `they are linked, changed by their other columns, or added`() throws {
    let answer = try database.send(
      .post, "/posts?tags.onConflict=name",
      #"[{"title":"P","tags":[{"name":"new"},{"name":"red"},{"name":"new"},{"name":"green","colour":"lime"}]},{"title":"Q","tags":[{"name":"new"}]}]"#
    )
    #expect(answer.status == 201, "\(answer.text)")
    #expect(try links(3) == "1|1; 2|1; 4|1")
    #expect(try links(4) == "4|1")
    #expect(
      try database.stored("SELECT name, colour FROM tag ORDER BY id")
        == "red|crimson; green|lime; blue|NULL; new|NULL")
  }

  @Test
  func `the key may hold the foreign key, and a record is taken over by a hasMany`() throws {
    let steps = #"{"steps":[{"number":1,"body":"I"},{"number":2,"body":"II"}]}"#
    #expect(try database.send(.patch, "/posts/1?steps.onConflict=postId,number", steps).status == 200)
    #expect(try database.stored("SELECT id, number, body FROM step ORDER BY id") == "1|1|I; 2|2|II")
    let posts = #"{"name":"Ben","posts":[{"slug":"one"},{"slug":"new","title":"New"}]}"#
    #expect(try database.send(.post, "/authors?posts.onConflict=slug", posts).status == 201)
    #expect(try database.stored("SELECT slug, authorId FROM post ORDER BY id") == "one|2; two|NULL; new|2")
  }

  @Test
  func `a belongsTo refers to what is found`() throws {
    let content = #"{"title":"P","author":{"email":"ann@x.org","name":"Anna"}}"#
    #expect(try database.send(.post, "/posts?author.onConflict=email", content).status == 201)
    #expect(try database.stored("SELECT authorId FROM post WHERE title = 'P'") == "1")
    #expect(try database.stored("SELECT name FROM author") == "Anna")
  }

  @Test
  func `an upsert that ignores duplicates leaves nested ones as they are, too`() throws {
    let answer = try database.send(
      .post, "/posts?onConflict=slug&tags.onConflict=name",
      #"{"slug":"six","title":"Six","tags":[{"name":"red","colour":"black"}]}"#,
      headers: ["Prefer": "resolution=ignore-duplicates"])
    #expect(answer.status == 201)
    #expect(try links(3) == "1|1")
    #expect(try database.stored("SELECT colour FROM tag WHERE id = 1") == "crimson")
  }

  @Test(arguments: [
    ("/posts?tags.onConflict=colour", "tags.onConflict"), ("/posts?tags.onConflict=nme", "tags.onConflict"),
    ("/posts?tgs.onConflict=name", "tgs.onConflict"), ("/posts?onConflict=slug", "onConflict"),
  ])
  func `what is no unique key is refused`(target: String, parameter: String) throws {
    let answer = try database.send(.post, target, #"{"title":"P","tags":[{"name":"red"}]}"#)
    #expect(answer.status == 400)
    #expect(answer.problem("parameter") == parameter)
  }

  @Test
  func `PUT of an array links exactly these`() throws {
    let answer = try database.send(
      .put, "/posts/1/tags?onConflict=name&fields=name", #"[{"name":"new"},{"name":"green"},{"name":"new"}]"#)
    #expect(answer.status == 200)
    #expect(answer.text == #"[{"name":"green"},{"name":"new"}]"#)
    #expect(try links() == "2|3; 4|1", "links that stay keep their columns")
    #expect(
      try database.send(.put, "/posts/1/tags", #"[{"id":3}]"#).text
        == #"[{"id":3,"name":"blue","colour":null}]"#)
    #expect(try database.send(.put, "/posts/1/tags", "[]").text == "[]")
    #expect(try links() == "")
    #expect(try database.stored("SELECT COUNT(*) FROM tag") == "4")
  }

  @Test
  func `PUT of an array is for join tables, and needs an array`() throws {
    #expect(try database.send(.put, "/authors/1/posts", "[]").status == 405)
    #expect(try database.send(.put, "/tags", "[]").status == 405)
    #expect(try database.send(.put, "/posts/1/tags", #"{"id":1}"#).status == 422)
    #expect(try database.send(.put, "/posts/1/tags", "[1]").problem("pointer") == "#/0")
    #expect(try database.send(.put, "/posts/9/tags", "[]").status == 404)
    #expect(try links() == "1|7; 2|3")
  }
}
