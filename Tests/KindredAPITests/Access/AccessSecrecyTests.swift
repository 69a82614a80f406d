import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("What is out of sight answers as what is absent, where records are written")
struct AccessSecrecyTests {
  private let database: TestDatabase

  init() throws {
    database = try TenantFixture.database()
  }

  private func answer(
    _ method: HTTPMethod, _ target: String, _ content: String? = nil, _ more: (String, String)? = nil
  ) throws -> Answer {
    var headers = TenantFixture.member
    if let more { headers = headers.with(more.0, more.1) }
    return try database.send(method, target, content, headers: headers)
  }

  /// Asserts that requests for an invisible and for an absent record are refused in the same way.
  private func expectAlike(
    _ status: Int, _ method: HTTPMethod, _ target: String, _ content: String? = nil,
    _ more: (String, String)? = nil, outOfSight: String, absent: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func answer(_ value: String) throws -> Answer {
      try self.answer(
        method, target.replacing("$", with: value), content?.replacing("$", with: value), more)
    }
    let (first, second) = (try answer(outOfSight), try answer(absent))
    #expect(first.status == status, sourceLocation: sourceLocation)
    #expect(first.text == second.text, sourceLocation: sourceLocation)
    #expect(first.status == second.status, sourceLocation: sourceLocation)
  }

  @Test
  func `a foreign key that the rule reads is 403, whatever it refers to out of sight`() throws {
    let csv = ("Content-Type", "text/csv")
    func alike(
      _ method: HTTPMethod, _ target: String, _ content: String, _ more: (String, String)? = nil,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try expectAlike(
        403, method, target, content, more, outOfSight: "5", absent: "999", sourceLocation: sourceLocation)
    }
    try alike(.post, "/tasks", #"{"projectId":$,"title":"x"}"#)
    try alike(.patch, "/tasks/1", #"{"projectId":$}"#)
    try alike(.patch, "/tasks?filter=projectId=1", #"{"projectId":$}"#)
    try alike(.put, "/tasks/1", #"{"projectId":$,"title":"x"}"#)
    try alike(.post, "/tasks", "projectId,title\r\n$,x\r\n", csv)
    try alike(.post, "/tasks", #"{"projectId":$,"title":"x","comments":[{"text":"c"}]}"#)
    try alike(.post, "/tasks", #"{"projectId":$,"title":"x","comments":[{"taskId":8}]}"#)
    try alike(.post, "/-/batch", #"[{"method":"POST","url":"/tasks","body":{"projectId":$,"title":"x"}}]"#)
    #expect(try answer(.post, "/tasks", #"{"projectId":2,"title":"x"}"#).status == 201)
  }

  @Test
  func `a foreign key that the rule doesn't read is 409, also one that waits for the commit`() throws {
    let model = """
      \(TenantFixture.model)
        notes:
          access: { read: { roles: [member] }, write: { roles: [member], rows: text is null } }
      """
    for constraint in ["", "DEFERRABLE INITIALLY DEFERRED"] {
      let database = try TenantFixture.database(
        """
        CREATE TABLE note (
          id INTEGER PRIMARY KEY, text, projectId INTEGER REFERENCES project(id) \(constraint));
        """, model: model)
      let answers = try [5, 999].map { project in
        try database.send(.post, "/notes", #"{"projectId":\#(project)}"#, headers: TenantFixture.member)
      }
      #expect(answers.map(\.status) == [409, 409], "\(constraint)")
      #expect(answers[0].text == answers[1].text)
      #expect(answers[0].problem("pointer") == "#/projectId")
    }
  }

  @Test
  func `a link out of sight is refused like a missing one if its writer couldn't have made it`() throws {
    try expectAlike(403, .put, "/users/7/groups/$", outOfSight: "3", absent: "4")
    #expect(try answer(.put, "/users/1/groups/3").status == 204)
    #expect(try answer(.put, "/users/1/groups/4").status == 204, "linked already, and in sight")
    #expect(try database.stored("SELECT * FROM membership ORDER BY 1, 2") == "1|3; 1|4; 7|3")
  }

  @Test
  func `a link out of sight that its writer could have made is a conflict`() throws {
    let database = try TenantFixture.database(
      "INSERT INTO \"group\" VALUES (9, 'secret'); INSERT INTO membership VALUES (8, 9), (1, 9);")
    let taken = try database.send(.put, "/users/8/groups/9", headers: TenantFixture.member)
    #expect(taken.status == 409)
    #expect(taken.problem("detail") == "a record with this key exists already")
    #expect(try database.send(.put, "/users/7/groups/9", headers: TenantFixture.member).status == 204)
  }

  @Test
  func `a unique key reveals nothing to clients that may not have it`() throws {
    let upsert = ("Prefer", "resolution=merge-duplicates")
    let names = (outOfSight: "Merger", absent: "None")
    func alike(
      _ method: HTTPMethod, _ target: String, _ content: String, _ more: (String, String)? = nil,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try expectAlike(
        403, method, target, content, more, outOfSight: names.outOfSight, absent: names.absent,
        sourceLocation: sourceLocation)
    }
    try alike(.post, "/projects", #"{"companyId":4,"name":"$"}"#)
    try alike(.patch, "/projects/1", #"{"companyId":4,"name":"$"}"#)
    try alike(.put, "/projects/1", #"{"companyId":4,"name":"$"}"#)
    try alike(.post, "/projects", "companyId,name\r\n4,$\r\n", ("Content-Type", "text/csv"))
    try alike(.post, "/projects?onConflict=companyId,name", #"{"companyId":4,"name":"$"}"#, upsert)
    try expectAlike(
      403, .post, "/projects", #"{"companyId":$,"name":"Merger"}"#, outOfSight: "4", absent: "9")
    #expect(try answer(.post, "/projects", #"{"companyId":3,"name":"website"}"#).status == 409, "its own")
    #expect(try answer(.put, "/projects/5", #"{"companyId":3,"name":"n"}"#).status == 409)
  }

  @Test
  func `the same where what it refers to is for all`() throws {
    let database = try TenantFixture.database(
      model: TenantFixture.model.replacing(
        "access: { read: { roles: [member], rows: id = auth.company } }", with: "label: name"))
    func status(_ method: HTTPMethod, _ target: String, _ content: String, _ headers: HTTPHeaders) throws
      -> Int
    {
      try database.send(method, target, content, headers: headers).status
    }
    let merge = TenantFixture.member.with("Prefer", "resolution=merge-duplicates")
    for name in ["Merger", "None"] {
      let content = #"{"companyId":4,"name":"\#(name)"}"#
      #expect(try status(.post, "/projects", content, TenantFixture.member) == 403)
      #expect(try status(.patch, "/projects/1", content, TenantFixture.member) == 403)
      #expect(try status(.post, "/projects?onConflict=companyId,name", content, merge) == 403)
      #expect(
        try status(
          .post, "/-/batch", #"[{"method":"POST","url":"/projects","body":\#(content)}]"#,
          TenantFixture.member) == 403)
    }
    let text = AccessFixture.bearer(#"{"role":"member","sub":1,"company":"3"}"#)
    #expect(
      try status(.post, "/projects", #"{"companyId":"3","name":"WEBSITE"}"#, text) == 409,
      "compared as the columns compare it")
    #expect(try status(.patch, "/projects/1", #"{"name":"app"}"#, TenantFixture.member) == 409)
  }

  @Test
  func `what the server fills in is not the client's to refer to`() throws {
    let members = #"[{"userId":8},{"userId":1}]"#
    let database = try TenantFixture.database(
      model: TenantFixture.model.replacing(
        "userId = auth.sub or group.name = 'secret' }", with: "groupId > 0 }"))
    let answer = try database.send(
      .post, "/groups", #"{"id":20,"name":"secret","memberships":\#(members)}"#, headers: TenantFixture.member
    )
    #expect(answer.status == 201)
    #expect(try database.stored("SELECT userId FROM membership WHERE groupId = 20 ORDER BY 1") == "1; 8")
  }

  @Test
  func `records that go with others are deleted with them, under a rule too`() throws {
    let answer = try answer(.delete, "/employees?filter=companyId=3")
    #expect(answer.status == 204)
    #expect(answer.headers["X-Total-Count"] == "3")
    #expect(try database.stored("SELECT id FROM employee") == "4")
  }

  @Test
  func `many records are tested before the first is changed, and after the last`() throws {
    let database = try TenantFixture.database(
      model: TenantFixture.model.replacing(
        "write: { roles: [member], rows: companyId = auth.company }\n  users",
        with: "write: { roles: [member], rows: manager.name is null or manager.name <> 'Ada' }\n  users"))
    // Once the first is no longer Ada, the second's manager isn't either.
    let before = try database.stored("SELECT * FROM employee")
    let answer = try database.send(
      .patch, "/employees?filter=id<=2", #"{"name":"N"}"#, headers: TenantFixture.member)
    #expect(answer.status == 403)
    #expect(try database.stored("SELECT * FROM employee") == before)
  }

  @Test
  func `to take links away, the right to the links is enough`() throws {
    func allow(_ target: String) throws -> String? {
      try database.answer(target, method: .options, headers: TenantFixture.member).headers["Allow"]
    }
    #expect(try allow("/users/1/groups") == "GET, HEAD, QUERY, POST, PUT, DELETE, OPTIONS")
    #expect(try allow("/users/1/groups/4") == "GET, HEAD, QUERY, PUT, DELETE, OPTIONS")
    let answer = try answer(.delete, "/users/1/groups?filter=true")
    #expect(answer.status == 204)
    #expect(try database.stored("SELECT * FROM membership") == "7|3")
  }

  @Test
  func `of two resources of a table, each is tested by its own rules, whichever was tested first`() throws {
    let model =
      TenantFixture.model + """

          ownProjects:
            table: project
            access:
              read: { roles: [member], rows: id <> 2 }
              write: { roles: [member] }
        """
    for isReferenceFirst in [true, false] {
      let database = try TenantFixture.database(model: model)
      let headers = TenantFixture.member.with("Prefer", "resolution=merge-duplicates")
      func refers() throws {
        let answer = try database.send(
          .post, "/tasks", #"{"projectId":2,"title":"x"}"#, headers: TenantFixture.member)
        #expect(answer.status == 409, "one of the resources hides it")
      }
      if isReferenceFirst { try refers() }
      let answer = try database.send(.post, "/projects", #"{"id":2,"name":"n"}"#, headers: headers)
      #expect(answer.status == 200, "the resource itself shows it")
      try refers()
    }
  }
}
