import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("What is out of sight is told neither by errors nor by refusals")
struct AccessEdgeTests {
  private func database(_ model: String, data: String = "none") throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    options.access = AccessFixture.configuration
    return try TestDatabase(
      """
      CREATE TABLE project (id INTEGER PRIMARY KEY, team INTEGER);
      CREATE TABLE site (
        id INTEGER PRIMARY KEY, projectId INTEGER REFERENCES project(id), team INTEGER, data TEXT);
      CREATE VIEW town AS SELECT id, projectId, team, json_extract(data, '$') AS n FROM site;
      CREATE TABLE job (
        code TEXT PRIMARY KEY, projectId INTEGER NOT NULL REFERENCES project(id), est INTEGER,
        twice INTEGER GENERATED ALWAYS AS (est * 2) STORED);
      CREATE TABLE clerk (id INTEGER PRIMARY KEY, email TEXT UNIQUE, level INTEGER);
      INSERT INTO project VALUES (1, 1), (77, 2);
      INSERT INTO site (id, projectId, team, data) VALUES (1, 1, 1, '5'), (2, 1, 1, '6'), (3, 77, 2, '\(data)');
      ALTER TABLE site ADD COLUMN city TEXT GENERATED ALWAYS AS (json_extract(data, '$')) VIRTUAL;
      INSERT INTO job (code, projectId, est) VALUES ('j1', 1, 1);
      INSERT INTO clerk VALUES (1, 'ada', 1);
      """, modelFile: model, options: options)
  }

  private let member = AccessFixture.bearer(#"{"role":"member","team":1,"but":6}"#)

  // MARK: Expressions of the database

  private static let sites = """
    resources:
      projects:
        associations: { towns: { hasMany: towns, foreignKey: [projectId] } }
        access: { read: {} }
      sites: { access: { read: { rows: project.team = auth.team } } }
      towns: { key: [id], access: { read: { rows: team = auth.team } } }
    """

  @Test(arguments: [
    ("/sites?fields=id&filter=city=6", #"[{"id":2}]"#), ("/sites?fields=id&city=6", #"[{"id":2}]"#),
    ("/sites?fields=id&sort=-city", #"[{"id":2},{"id":1}]"#), ("/towns?fields=id&n=6", #"[{"id":2}]"#),
    ("/towns?fields=n,c:count()&group=n&having=n>5", #"[{"n":6,"c":1}]"#),
    ("/projects?fields=id&filter=towns.filter(n=6).count>0", #"[{"id":1}]"#),
    (
      "/projects?fields=id&include=sites&sites.filter=city=6&sites.values=id",
      #"[{"id":1,"sites":[2]},{"id":77,"sites":[]}]"#
    ),
  ])
  func `columns that are computed are computed of rows in sight only`(target: String, answer: String) throws {
    #expect(try database(Self.sites).answer(target, headers: member).text == answer)
  }

  @Test
  func `a row for which a rule can't be computed is out of sight`() throws {
    let database = try database(
      "resources: { sites: { access: { read: { rows: \"json_extract(data, '$') <> auth.but\" }, update: {} } }, projects: { access: { read: {} } } }"
    )
    for _ in 0..<2 {
      #expect(try database.answer("/sites?fields=id", headers: member).text == #"[{"id":1}]"#)
      #expect(try database.answer("/sites/3", headers: member).status == 404)
    }
    #expect(
      try database.answer("/projects?fields=id,n:sites.count", headers: member).text
        == #"[{"id":1,"n":1},{"id":77,"n":0}]"#)
    #expect(try database.send(.patch, "/sites/3", #"{"team":3}"#, headers: member).status == 404)
    // The rule reads what is committed, although it is a statement within a function.
    #expect(try database.send(.patch, "/sites/1", #"{"data":"6"}"#, headers: member).status == 200)
    #expect(try database.answer("/sites?fields=id", headers: member).text == "[]")
  }

  @Test(arguments: [
    "project.team = auth.team and json_extract(data, '$') <> auth.but",
    "json_extract(data, '$') in (\((0..<300).filter { $0 != 6 }.map(String.init).joined(separator: ", ")))",
  ])
  func `so it is where the rule reads other records, or has more values than a function has arguments`(
    rule: String
  ) throws {
    let database = try database(
      "resources: { sites: { access: { read: { rows: \"\(rule)\" } } }, projects: { access: { read: {} } } }")
    #expect(try database.answer("/sites?fields=id", headers: member).text == #"[{"id":1}]"#)
    #expect(try database.answer("/sites/3", headers: member).status == 404)
  }

  @Test
  func `a rule on an expression of the record that it refers to hides what can't be computed`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE site (id INTEGER PRIMARY KEY, data TEXT);
      CREATE TABLE job (id INTEGER PRIMARY KEY, siteId INTEGER REFERENCES site(id));
      INSERT INTO site (id, data) VALUES (1, '5'), (2, 'none');
      ALTER TABLE site ADD COLUMN city TEXT GENERATED ALWAYS AS (json_extract(data, '$')) VIRTUAL;
      INSERT INTO job VALUES (1, 1), (2, 2);
      """,
      modelFile: "resources: { sites: { access: {} }, jobs: { access: { read: { rows: site.city = 5 } } } }")
    #expect(try database.answer("/jobs?fields=id").text == #"[{"id":1}]"#)
    #expect(try database.answer("/jobs/2").status == 404)
  }

  // MARK: References

  @Test(arguments: [#""twice":9"#, #""twice":8"#, #""code":null"#])
  func `a reference out of sight is refused like one to nothing, whatever else is wrong`(member: String)
    throws
  {
    let database = try database(
      """
      resources:
        projects: { access: { read: { rows: team = auth.team } } }
        jobs: { access: { read: { rows: project.team = auth.team }, write: {} } }
      """)
    func text(_ method: HTTPMethod, _ target: String, _ project: Int) throws -> String {
      let answer = try database.send(
        method, target, "{\"projectId\":\(project),\"est\":4,\(member)}", headers: self.member)
      #expect([403, 409].contains(answer.status), "\(method) \(target): \(answer.text)")
      return answer.text
    }
    for (method, target) in [(HTTPMethod.post, "/jobs"), (.patch, "/jobs/j1"), (.patch, "/jobs?filter=true")]
    {
      #expect(try text(method, target, 77) == text(method, target, 99))
    }
    let several = try [77, 99].map { project in
      try database.send(
        .post, "/jobs",
        "[{\"code\":\"first\",\"projectId\":1},{\"code\":\"second\",\"projectId\":\(project),\"est\":4,\"twice\":9}]",
        headers: self.member)
    }
    #expect(several.map(\.status) == [409, 409] && several[0].text == several[1].text)
  }

  // MARK: Writing

  @Test
  func `whether a column may be written doesn't depend on the records that are there`() throws {
    let database = try database("resources: { clerks: { access: { read: {}, write: { fields: [email] } } } }")
    for resolution in ["ignore-duplicates", "merge-duplicates"] {
      var headers = member
      headers.append("Prefer", "resolution=\(resolution)")
      for email in ["ada", "new"] {
        let content = #"{"email":"\#(email)","level":1}"#
        #expect(try database.send(.post, "/clerks?onConflict=email", content, headers: headers).status == 403)
      }
    }
    #expect(try database.send(.patch, "/clerks?filter=id=99", #"{"level":2}"#, headers: member).status == 403)
  }

  @Test(arguments: ["/jobs/j1?set=projectId:projectId", "/jobs?filter=est=1&set=projectId:projectId"])
  func `a change may compute the reference that the record has to what is closed`(target: String) throws {
    let database = try database(
      "resources: { projects: { access: {} }, jobs: { access: { read: {}, write: {} } } }")
    #expect(try database.send(.patch, target, headers: member).status == 200)
    let other = target.replacing(":projectId", with: ":77")
    #expect(try database.send(.patch, other, headers: member).status == 409)
  }

  @Test
  func `who may create and not read adds a tree`() throws {
    let database = try database(
      """
      resources:
        projects: { access: { create: {}, read: { roles: [member] } } }
        sites: { access: { create: { fields: [projectId, data] } } }
        jobs: { access: { read: {} } }
      """)
    let tree = #"{"id":5,"team":3,"sites":[{"data":"7"}]}"#
    let answer = try database.send(.post, "/projects", tree)
    #expect(answer.status == 201 && answer.text == "null")
    #expect(try database.stored("SELECT projectId, data FROM site WHERE projectId = 5") == "5|7")
    let shown = try database.send(
      .post, "/projects", #"{"id":6,"team":3,"sites":[{"data":"8"}]}"#, headers: member)
    #expect(shown.status == 201 && shown.text == #"{"id":6,"team":3}"#)
    #expect(try database.send(.post, "/projects", #"{"id":7,"sites":[{"team":1}]}"#).status == 401)
    #expect(try database.send(.post, "/projects", #"{"id":7,"jobs":[{"code":"x"}]}"#).status == 401)
  }

  @Test
  func `who may create and not read gets null`() throws {
    let database = try database(
      "resources: { clerks: { access: { create: {}, read: { roles: [member] } } } }")
    let answer = try database.send(.post, "/clerks", #"{"email":"new"}"#)
    #expect(answer.status == 201)
    #expect(answer.text == "null")
    #expect(answer.headers["Location"] == nil)
    #expect(try database.send(.post, "/clerks", #"[{"email":"a"},{"email":"b"}]"#).text == "[null,null]")
    #expect(try database.stored("SELECT count(*) FROM clerk") == "4")
    #expect(try database.answer("/clerks").status == 401)
    #expect(try database.send(.patch, "/clerks/1", #"{"level":2}"#).status == 401)
    let conflict = try database.send(.post, "/clerks", #"{"email":"ada"}"#)
    #expect(conflict.status == 409)
    #expect(!conflict.text.contains("email"))
  }

  // MARK: Tags

  @Test(arguments: [
    "/clerks?sort=-length(email)&limit=1", "/clerks?annotate=d:date('2026-02-03')&limit=1",
    "/clerks?filter=date('2026-01-01')>'2025'&limit=1",
  ])
  func `the tag of a page stays`(target: String) throws {
    let database = try database("resources: { clerks: { hidden: [level], sort: level } }")
    _ = try database.send(.post, "/clerks", #"{"email":"second"}"#)
    let headers: HTTPHeaders = ["Accept": "text/html"]
    let tags = try (0..<3).map { _ in try database.answer(target, headers: headers).headers["ETag"] }
    #expect(tags[0] != nil)
    #expect(Set(tags).count == 1)
  }
}
