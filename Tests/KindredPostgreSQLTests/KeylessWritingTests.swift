import KindredAPI
import KindredHTTP
import Testing

@Suite("Writing to tables and views without a key", .enabled(if: Cluster.isAvailable))
struct KeylessWritingTests {
  private let served: Served

  init() throws {
    served = try Served(
      contentsOf: [
        "CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL)",
        """
        CREATE TABLE remark (author_id int REFERENCES author, body text,
          size int GENERATED ALWAYS AS (length(body)) STORED, tags text[])
        """,
        "CREATE TABLE subscriber (email text UNIQUE, name text, visits int DEFAULT 1)",
        "CREATE VIEW mailbox AS SELECT DISTINCT body FROM remark",
        "CREATE RULE put AS ON INSERT TO mailbox DO INSTEAD INSERT INTO remark (body) VALUES (NEW.body)",
        "CREATE TABLE owner (id int PRIMARY KEY)",
        "CREATE TABLE house (id int PRIMARY KEY, owner_id int NOT NULL REFERENCES owner ON DELETE SET NULL)",
        "CREATE TABLE team (code text PRIMARY KEY)",
        "CREATE TABLE player (id int PRIMARY KEY, team text NOT NULL REFERENCES team ON UPDATE SET NULL)",
        "INSERT INTO team VALUES ('red')", "INSERT INTO player VALUES (1, 'red')",
        "INSERT INTO author VALUES (1, 'Ann'), (2, 'Bob')",
        "INSERT INTO remark (author_id, body) VALUES (1, 'first')",
        "INSERT INTO subscriber VALUES ('a@x', 'A', 3), (NULL, 'nobody', 5)",
        "INSERT INTO owner VALUES (1)", "INSERT INTO house VALUES (1, 1)",
      ], isWritable: true)
  }

  @Test
  func `a record is returned as it was written, shaped as any`() {
    #expect(
      served.send(.post, "/remarks", #"{"author_id":2,"body":"mine","tags":["x,y",null]}"#)
        == #"201 {"author_id":2,"body":"mine","size":4,"tags":["x,y",null]}"#)
    #expect(
      served.send(
        .post, "/remarks?fields=body,n:size*10&include=author&author.values=name",
        #"[{"body":"a"},{"body":"bb","author_id":1}]"#)
        == #"201 [{"body":"a","n":10,"author":null},{"body":"bb","n":20,"author":"Ann"}]"#)
  }

  @Test
  func `an import returns its own records, and not the first one of the table`() {
    #expect(
      served.send(
        .post, "/remarks", "author_id,body\n2,mine\n1,yours\n", of: "text/csv",
        headers: ["Prefer": "return=representation"])
        == #"201 [{"author_id":2,"body":"mine","size":4,"tags":null},{"author_id":1,"body":"yours","size":5,"tags":null}]"#
    )
  }

  @Test
  func `an upsert finds records by the unique key that it names`() {
    let merge: HTTPHeaders = ["Prefer": "resolution=merge-duplicates"]
    #expect(
      served.send(
        .post, "/subscribers?onConflict=email", #"[{"email":"a@x","name":"Ann"},{"email":"b@x","name":"B"}]"#,
        headers: merge)
        == #"201 [{"email":"a@x","name":"Ann","visits":3},{"email":"b@x","name":"B","visits":1}]"#)
    #expect(
      served.send(.post, "/subscribers?onConflict=email", #"{"email":null,"name":"more"}"#, headers: merge)
        .hasPrefix("201"))
    #expect(served.text("/subscribers?fields=n:count()&filter=email is null") == #"[{"n":2}]"#)
  }

  @Test
  func `what a rule replaces isn't returned, and the answer says so`() {
    var request = HTTPRequest(
      method: .post, target: "/mailboxes", headers: ["Content-Type": "application/json"])
    request.body = Array(#"{"body":"by rule"}"#.utf8)
    let response = served.service.respond(to: request)
    #expect(response.status == .created)
    #expect(response.headers["Preference-Applied"] == "return=minimal")
    #expect(response.body.text.isEmpty)
    #expect(served.text("/remarks?body=by rule&fields=body") == #"[{"body":"by rule"}]"#)
  }

  @Test
  func `a deletion that leaves another record without a required value is a conflict`() {
    for url in ["/owners/1", "/owners?filter=true"] {
      #expect(served.send(.delete, url, nil).hasPrefix("409"), "\(url)")
    }
    #expect(served.text("/houses") == #"[{"id":1,"owner_id":1}]"#)
  }

  @Test
  func `so is a change that does`() {
    for url in ["/teams/red", "/teams?filter=true"] {
      let refused = served.send(.patch, url, #"{"code":"blue"}"#)
      #expect(
        refused.hasPrefix("409") && refused.contains("would make another record invalid"), "\(refused)")
    }
    #expect(served.text("/players") == #"[{"id":1,"team":"red"}]"#)
  }
}
