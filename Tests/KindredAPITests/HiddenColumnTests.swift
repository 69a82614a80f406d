import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Hidden columns")
struct HiddenColumnTests {
  let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      """
      CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
      CREATE VIRTUAL TABLE memberText USING fts5(name, email, content='member', content_rowid='id');
      INSERT INTO member VALUES (1, 'Ann', 'zara@secret.example'), (2, 'Bea Baker', 'yves@secret.example');
      INSERT INTO memberText (memberText) VALUES ('rebuild');
      """,
      modelFile: """
        resources:
          members: { sort: email, hidden: [email] }
          memberTexts: { hidden: [email] }
        """)
  }

  @Test(arguments: ["/members", "/memberTexts"])
  func `a search finds what is shown, and nothing else`(resource: String) throws {
    let baker = #"[{"name":"Bea Baker"}]"#
    for pattern in ["baker", "bak*", "name:baker", "{name} : baker", "- name : x OR baker", #""name":baker"#]
    {
      #expect(try database.get("\(resource)?search=\(pattern)&fields=name").text == baker, "\(pattern)")
    }
    for pattern in ["zara", "zar*", "secret", "name:zara OR zara", #""email:zara""#] {
      let answer = try database.get("\(resource)?search=\(pattern)")
      #expect(answer.status == 200 && answer.text == "[]", "\(pattern): \(answer.text)")
    }
  }

  @Test
  func `a search can't tell a hidden column from one that isn't there`() throws {
    let patterns = [
      "X:zara", "{X}:zara", "{name X}:zara", "-X:zara", #""X" : zara"#, "x) OR (X:zara", "x) OR X:zara",
    ]
    for pattern in patterns {
      let texts = try ["email", "emale", "EMAIL"].map { name in
        let pattern = pattern.replacing("X", with: name)
        try expectProblem(
          "/members?search=\(pattern)", on: database, code: .unknownColumn, parameter: "search")
        return try database.get("/members?search=\(pattern)").text.replacing(name, with: "X")
      }
      #expect(Set(texts).count == 1, "\(texts)")
    }
  }

  @Test(arguments: ["x) OR (zara", "x) OR zara", "\"x"])
  func `no pattern breaks out of its parentheses`(pattern: String) throws {
    for parameters in ["search=\(pattern)", "having=true&search=\(pattern)"] {
      try expectProblem(
        "/members?\(parameters)", on: database, code: .invalidExpression, parameter: "search")
    }
  }

  @Test
  func `a pattern has no NUL, at which SQLite would end it`() throws {
    try expectProblem(
      "/members?search=a%00) OR (email:zara", on: database, code: .invalidValue, parameter: "search")
  }

  @Test(arguments: ["fts4(title, email)", "fts5(title, email, detail=none)"])
  func `an index that can't leave hidden columns out isn't searched`(index: String) throws {
    let database = try TestDatabase(
      "CREATE VIRTUAL TABLE note USING \(index)", modelFile: "resources: { notes: { hidden: [email] } }")
    try expectProblem("/notes?search=x", on: database, code: .invalidValue, parameter: "search")
  }

  @Test
  func `the order of a search doesn't depend on hidden columns`() throws {
    #expect(try database.get("/members?search=a* OR b*&explain=true").text.contains(".rank") == false)
  }

  @Test
  func `the order of a view without a key doesn't reveal a hidden column`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY);
      CREATE TABLE person (id INTEGER PRIMARY KEY, team INTEGER, pay INTEGER, name TEXT);
      CREATE VIEW staff AS SELECT pay, team, name FROM person;
      INSERT INTO team VALUES (1);
      INSERT INTO person VALUES (1, 1, 30, 'Ann'), (2, 1, 10, 'Bob'), (3, 1, 20, 'Cy'), (4, 1, 5, 'Cy');
      """,
      modelFile: """
        resources:
          staffs: { hidden: [pay] }
          teams:
            associations:
              staff: { hasMany: staffs, foreignKey: { team: id } }
              first: { hasOne: staffs, foreignKey: { team: id } }
        """)
    let names = ["Ann", "Bob", "Cy", "Cy"]
    func listed(_ names: [String]) -> String { names.map { #"{"name":"\#($0)"}"# }.joined(separator: ",") }
    try expectRequest("/staffs?fields=name", on: database, json: "[\(listed(names))]")
    try expectRequest("/staffs?fields=name&limit=2", on: database, json: "[\(listed(["Ann", "Bob"]))]")
    try expectRequest(
      "/teams?include=staff,first&staff.fields=name&first.fields=name&annotate=n:staff.concat(name)",
      on: database,
      json: #"[{"id":1,"n":"Ann,Bob,Cy,Cy","staff":[\#(listed(names))],"first":{"name":"Ann"}}]"#)
  }

  @Test
  func `the plan masks a name of several words`() throws {
    let database = try TestDatabase(
      #"CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT, "e-mail box" TEXT)"#,
      modelFile: #"resources: { members: { sort: '"e-mail box"', hidden: ['e-mail box'] } }"#)
    let text = try database.get("/members?explain=true").text
    #expect(text.contains("hidden") && !text.contains("mail"), "\(text)")
  }

  @Test(arguments: ["/members", "/members?limit=1", "/members?search=ann"])
  func `the plan names none`(target: String) throws {
    let text = try database.get("\(target)\(target.contains("?") ? "&" : "?")explain=true").text
    #expect(text.contains("SELECT") && !text.contains("email"))
    let link = try #require(try database.get("/members?limit=1").headers["Link"])
    let next = try #require(link.split(separator: ">").first?.dropFirst())
    #expect(!(try database.get("\(next)&explain=true").text.contains("zara")))
  }

  @Test
  func `a page that shows a cursor of hidden values has one tag, although the cursor is another each time`()
    throws
  {
    let database = try TestDatabase(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, secret TEXT); INSERT INTO item VALUES (1, 'a'), (2, 'b')",
      modelFile: "resources: { items: { hidden: [secret], sort: secret } }")
    func answer(_ type: String) throws -> (text: String, tag: String?) {
      let answer = try database.answer("/items?limit=1", headers: ["Accept": type])
      return (answer.text, answer.headers["ETag"])
    }
    let (first, second) = (try answer("text/html"), try answer("text/html"))
    #expect(first.text != second.text && first.tag == second.tag && first.tag != nil)
    #expect(try answer("application/json") == answer("application/json"))
  }

  @Test
  func `neither the length nor the equality of a hidden value shows in a cursor`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, secret TEXT);
      INSERT INTO item VALUES (1, 'a', NULL), (2, 'b', 'x'), (3, 'c', printf('%.*c', 5000, 'x')), (4, 'd', 'z');
      CREATE VIEW pair AS SELECT name, secret FROM item;
      """,
      modelFile: """
        resources:
          items: { hidden: [id, secret], sort: secret }
          pairs: { hidden: [secret] }
        """)
    for resource in ["/items", "/pairs"] {
      var links: [String] = []
      var names: [String] = []
      var next: String? = "\(resource)?limit=1"
      while let target = next {
        let answer = try database.answer(target)
        names.append(answer.text)
        next = answer.headers["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
        if let next { links.append(next) }
      }
      #expect(names.count == 4 && Set(names).count == 4)
      #expect(links.count == 3 && Set(links.map(\.count)).count == 1, "\(links.map(\.count))")
      #expect(links.allSatisfy { $0.count < 300 })
      #expect(try database.answer("\(resource)?limit=1").headers["Link"]?.contains(links[0]) == false)
    }
  }
}
