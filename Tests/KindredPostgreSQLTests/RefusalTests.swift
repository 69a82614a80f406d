import Foundation
import KindredHTTP
import KindredPostgreSQL
import Testing

/// What PostgreSQL refuses, and how it is told.
@Suite(.enabled(if: Cluster.isAvailable))
struct RefusalTests {
  private let served: Served

  init() throws {
    served = try Served(
      contentsOf: [
        "CREATE TYPE address AS (street text, number smallint)",
        "CREATE TYPE mood AS ENUM ('glad', 'sad')",
        """
        CREATE TABLE person (
          id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, code char(2), age smallint, mood mood,
          CONSTRAINT adult CHECK (age >= 18), tall numeric(3, 1), marks smallint[],
          home address, weights numeric(3, 1)[])
        """,
        "CREATE TABLE pet (id int PRIMARY KEY, person_id uuid REFERENCES person)",
        "CREATE TABLE log (id int PRIMARY KEY, name text NOT NULL)",
        "CREATE TABLE relation (id serial PRIMARY KEY, class regclass)",
        "CREATE VIEW adult AS SELECT id, name FROM person WHERE name <> 'x' WITH CHECK OPTION",
        "CREATE FUNCTION fail() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now' USING ERRCODE = '45000'; END $$",
        "CREATE VIEW failing AS SELECT fail() AS n",
      ], isWritable: true)
  }

  private func trigger(_ body: String) throws {
    try served.run(
      "CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(body); RETURN NEW; END $$")
    try served.run("CREATE TRIGGER act BEFORE INSERT ON person FOR EACH ROW EXECUTE FUNCTION act()")
  }

  @Test
  func `a changed schema ends a 304 that was given before it was noticed`() throws {
    try served.run("INSERT INTO log VALUES (1, 'a')")
    let tag = try #require(served.get("/logs").headers["ETag"])
    try served.run("ALTER TABLE log ADD COLUMN extra int")
    _ = served.get("/logs", headers: ["If-None-Match": tag])
    Thread.sleep(forTimeInterval: 2.2)
    #expect(served.get("/logs", headers: ["If-None-Match": tag]).status == .ok)
  }

  @Test
  func `a request of a column that has just been renamed is planned again`() throws {
    try served.run("INSERT INTO log VALUES (1, 'a')")
    #expect(served.text("/logs") == #"[{"id":1,"name":"a"}]"#)
    try served.run("ALTER TABLE log RENAME COLUMN name TO title")
    #expect(served.text("/logs") == #"[{"id":1,"title":"a"}]"#)
    try served.run("ALTER TABLE log RENAME COLUMN title TO label")
    #expect(served.text("/logs?fields=title").hasPrefix("400"))
  }

  @Test
  func `a request of a column whose type has just changed is planned again`() throws {
    try served.run("INSERT INTO log VALUES (1, '5')")
    #expect(served.text("/logs?filter=name='5'") == #"[{"id":1,"name":"5"}]"#)
    try served.run("ALTER TABLE log ALTER COLUMN name TYPE int USING name::int")
    Thread.sleep(forTimeInterval: 0.2)
    #expect(served.text("/logs?filter=name='5'") == #"[{"id":1,"name":5}]"#)
    #expect(served.text("/logs?fields=id&filter=name%2B1=6") == #"[{"id":1}]"#)
  }

  @Test
  func `an object that isn't there is a value that is refused`() throws {
    #expect(
      served.send(.post, "/relations", #"{"class":"nothing"}"#).hasPrefix("422"))
    #expect(served.text("/relations?class=nothing").hasPrefix("400"))
    #expect(served.text("/relations?filter=class='log'") == "[]")
  }

  @Test
  func `a rule that excludes RETURNING is a conflict`() throws {
    try served.run("CREATE RULE silent AS ON INSERT TO log DO INSTEAD NOTHING")
    #expect(served.send(.post, "/logs", #"{"id":7}"#).hasPrefix("409"))
  }

  @Test(arguments: [
    "45000", "PT405", "PT503", "28000", "0A000", "23505", "23502", "22012", "42501", "XX000", "08006",
    "42P01",
  ])
  func `the word of a function is the answer, whatever its code`(state: String) throws {
    try trigger("RAISE 'no more' USING ERRCODE = '\(state)'")
    let answer = served.send(.post, "/people", #"{"name":"a"}"#)
    #expect(answer.hasPrefix("409") && answer.contains(#""detail":"no more""#), "\(answer)")
  }

  @Test
  func `a code that names a status has it, and HINT is the hint`() throws {
    try trigger("RAISE 'no more' USING ERRCODE = 'PT402', HINT = 'pay'")
    let answer = served.send(.post, "/people", #"{"name":"a"}"#)
    #expect(answer.hasPrefix("402") && answer.contains(#""hint":"pay""#), "\(answer)")
  }

  @Test(arguments: [
    "ASSERT false, 'no more'", "PERFORM 1 FROM nothing",
    "DECLARE n int; BEGIN SELECT 1 INTO STRICT n WHERE false; END",
  ])
  func `a function that fails is a conflict`(body: String) throws {
    try trigger(body)
    #expect(served.send(.post, "/people", #"{"name":"a"}"#).hasPrefix("409"))
  }

  @Test
  func `a view whose function raises an error says so`() throws {
    let answer = served.text("/failings")
    #expect(answer.hasPrefix("409") && answer.contains("not now"), "\(answer)")
  }

  @Test
  func `a record that an exclusion constraint refuses conflicts with another one`() throws {
    try served.run(
      "CREATE TABLE stay (id int PRIMARY KEY, during int4range, EXCLUDE USING gist (during WITH &&))")
    let served = try served.reopened(isWritable: true)
    #expect(served.send(.post, "/stays", #"{"id":1,"during":"[1,5)"}"#).hasPrefix("201"))
    let answer = served.send(.post, "/stays", #"{"id":2,"during":"[3,9)"}"#)
    #expect(answer.hasPrefix("409") && answer.contains("`during` conflicts with another record"), "\(answer)")
  }

  @Test
  func `a record beyond its view is refused`() {
    #expect(served.send(.post, "/adults", #"{"name":"x"}"#).hasPrefix("422"))
  }

  @Test
  func `malformed keys and literals of a write are those of a read`() throws {
    for url in ["/people/soon", "/people/soon/pets", "/pets/99999999999999999999"] {
      let method: HTTPMethod = url.hasSuffix("pets") ? .post : .patch
      #expect(served.send(method, url, #"{"id":1}"#).hasPrefix("404"), "\(url)")
    }
    #expect(served.send(.delete, "/pets/soon", nil).hasPrefix("404"))
    try served.run("INSERT INTO pet VALUES (1)")
    for query in ["filter=id='x'", "id=x", "filter=id%2B9223372036854775807=1"] {
      let answer = served.send(.delete, "/pets?\(query)", nil)
      #expect(answer.hasPrefix("400") && answer.contains(#""parameter":"#), "\(answer)")
    }
  }

  @Test(arguments: [
    (#"{"mood":"blue"}"#, "mood", "blue"), (#"{"age":40000}"#, "age", "40000"),
    (#"{"code":"abc"}"#, "code", "too long"), (#"{"tall":1234}"#, "tall", "overflow"),
    (#"{"age":1}"#, "", "`adult`"), (#"{"marks":[1,40000]}"#, "marks", "40000"),
    (#"{"name":"a","weights":[1],"home":{"street":"b","number":40000}}"#, "home", "40000"),
    (#"{"weights":[1234]}"#, "", "a number is out of range"), (#"{"home":7,"marks":[1]}"#, "home", "home"),
  ])
  func `a refused value is reported with its column`(content: String, column: String, reason: String) {
    let answer = served.send(.post, "/people", content)
    #expect(answer.hasPrefix("422") && answer.contains(reason), "\(answer)")
    #expect(column.isEmpty || answer.contains("\"pointer\":\"#/\(column)\""), "\(answer)")
  }

  @Test(arguments: [("marks", "\"[1,40000]\""), ("age", "40000"), ("tall", "1234"), ("code", "abc")])
  func `a refused value of an import is reported with its column and line`(column: String, value: String) {
    let lines = (0..<30).map {
      $0 == 20 ? value : $0.isMultiple(of: 2) ? "" : column == "marks" ? "[1]" : "20"
    }
    let answer = served.send(
      .post, "/people", "name,\(column)\n" + lines.map { "a,\($0)\n" }.joined(), of: "text/csv")
    #expect(answer.hasPrefix("422") && answer.contains("`\(column)` is refused"), "\(answer)")
    #expect(answer.contains(#""line":22"#), "\(answer)")
    #expect(served.text("/people?fields=n:count()") == #"[{"n":0}]"#)
  }

  @Test
  func `what a trigger's table refuses is not said of the written one`() throws {
    try trigger("INSERT INTO log VALUES (1, NULL)")
    let answer = served.send(.post, "/people", #"{"name":"a"}"#)
    #expect(answer.hasPrefix("409") && !answer.contains("name"), "\(answer)")
  }
}
