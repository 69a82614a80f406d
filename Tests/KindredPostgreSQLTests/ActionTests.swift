import KindredHTTP
import KindredModel
import KindredModelFile
import Testing

@Suite("Actions on PostgreSQL", .enabled(if: Cluster.isAvailable))
struct ActionTests {
  private func bank(_ actions: String) throws -> Served {
    let file = try ModelFileParser(path: "model.yaml").parse("actions:\n\(actions)")
    return try Served(
      contentsOf: [
        "CREATE TYPE spot AS (x integer, y text)",
        "CREATE TABLE account (id int PRIMARY KEY, owner text, balance numeric(10,2) CHECK (balance >= 0), tags text[] DEFAULT '{}', parent int REFERENCES account DEFERRABLE INITIALLY DEFERRED)",
        "INSERT INTO account VALUES (1, 'Ann', 100), (2, 'Bob', 5.50)",
        """
        CREATE FUNCTION pay(a int, b int, sum numeric) RETURNS SETOF account LANGUAGE plpgsql AS $$ BEGIN
          UPDATE account SET balance = balance - sum WHERE id = a;
          IF NOT FOUND THEN RAISE EXCEPTION 'no account %', a USING ERRCODE = 'PT404', HINT = 'open one'; END IF;
          RETURN QUERY UPDATE account SET balance = balance + sum WHERE id = b RETURNING *; END $$
        """,
        "CREATE FUNCTION clear() RETURNS void LANGUAGE sql AS 'DELETE FROM account WHERE balance = 0'",
        "CREATE PROCEDURE rename(who text) LANGUAGE sql AS 'UPDATE account SET owner = who'",
      ], isWritable: true, model: { try file.model(of: $0) })
  }

  @Test
  func `a function's rows are records of a resource, and what it raises is the answer`() throws {
    let served = try bank(
      """
        pay: { parameters: { a: integer, b: integer, sum: real }, sql: "SELECT * FROM pay(:a::int, :b::int, :sum::numeric)", as: accounts }
      """)
    #expect(
      served.send(.post, "/pay?fields=id,balance", #"{"a":1,"b":2,"sum":0.5}"#)
        == #"200 [{"id":2,"balance":6.00}]"#)
    let raised = served.send(.post, "/pay", #"{"a":9,"b":2,"sum":1}"#)
    #expect(raised.hasPrefix("404 ") && raised.contains("no account 9") && raised.contains("open one"))
    #expect(served.send(.post, "/pay", #"{"a":1,"b":2,"sum":1000}"#).hasPrefix("422 "))
    #expect(served.text("/accounts/1?fields=balance") == #"{"balance":99.50}"#)
  }

  @Test
  func `values of every type are as a GET shows them, also behind statements that change records`() throws {
    let served = try bank(
      """
        kinds: { sql: "SELECT 12.50::numeric AS n, ARRAY[1, NULL] AS a, ROW(1, 'z')::spot AS c, '{\\"k\\": [1]}'::jsonb AS j, true AS b", single: true }
        tag: { parameters: { t: text }, sql: "WITH done AS (UPDATE account SET tags = tags || :t RETURNING id, tags) SELECT id, tags FROM done ORDER BY id DESC" }
        note: { parameters: { j: json }, sql: "UPDATE account SET tags = ARRAY[:j ->> 'a'] WHERE id = 1 RETURNING tags" }
      """)
    #expect(
      served.send(.post, "/kinds", nil)
        == #"200 {"n":12.50,"a":[1,null],"c":{"x":1,"y":"z"},"j":{"k":[1]},"b":true}"#)
    #expect(
      served.send(.post, "/tag", #"{"t":"x"}"#) == #"200 [{"id":2,"tags":["x"]},{"id":1,"tags":["x"]}]"#)
    #expect(served.send(.post, "/note", #"{"j":{"a":"b"}}"#) == #"200 [{"tags":["b"]}]"#)
  }

  @Test
  func `a function that returns nothing, a procedure and a setting have no rows`() throws {
    let served = try bank(
      """
        clear: { sql: SELECT clear() }
        rename: { parameters: { who: text }, sql: "SET LOCAL lock_timeout = '700ms'; CALL rename(:who)" }
      """)
    #expect(served.send(.post, "/clear", nil) == "204 ")
    #expect(served.send(.post, "/rename", #"{"who":"it's; :who"}"#) == "204 ")
    #expect(served.text("/accounts/1?fields=owner") == #"{"owner":"it's; :who"}"#)
  }

  @Test
  func `a constraint that the commit checks is a conflict`() throws {
    let served = try bank(
      """
        adopt: { parameters: { id: integer, parent: integer }, sql: "UPDATE account SET parent = :parent WHERE id = :id RETURNING id, parent", as: accounts, single: true }
      """)
    #expect(served.send(.post, "/adopt", #"{"id":1,"parent":9}"#).hasPrefix("409 "))
    #expect(
      served.send(.post, "/adopt", #"{"id":1,"parent":9}"#, headers: ["Prefer": "tx=rollback"]).hasPrefix(
        "409 "))
    #expect(served.send(.post, "/adopt", #"{"id":1,"parent":2}"#) == #"200 {"id":1,"parent":2}"#)
  }

  @Test(arguments: ["COMMIT", "SET LOCAL ROLE none", "SELECT paid(:n)", "VACUUM"])
  func `what an action can't have, or the database doesn't prepare, stops the start`(sql: String) {
    #expect(throws: ModelFileError.self) {
      _ = try bank(
        "  act: { parameters: { n: integer }, sql: \"DELETE FROM account WHERE id = :n; \(sql)\" }\n")
    }
  }
}
