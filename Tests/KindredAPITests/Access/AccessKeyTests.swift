import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Keys that the rules of access withhold")
struct AccessKeyTests {
  private static let schema = """
    CREATE TABLE company (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE member (
      id INTEGER PRIMARY KEY, companyId INTEGER REFERENCES company(id), email TEXT UNIQUE, name TEXT);
    INSERT INTO company VALUES (3, 'Ours'); INSERT INTO member VALUES (7, 3, 'ada', 'Ada');
    """
  private static let model = """
    resources:
      companies: { access: { read: { fields: [name] } } }
      members:
        access:
          read: { fields: [email, name] }
          write: { fields: [email, name] }
    """

  private func database() throws -> TestDatabase {
    try TestDatabase.writable(Self.schema, modelFile: Self.model)
  }

  @Test
  func `no content is compared with one`() throws {
    let database = try database()
    func status(_ method: HTTPMethod, _ target: String, _ content: String, _ headers: HTTPHeaders = [:])
      throws -> Int
    {
      try database.send(method, target, content, headers: headers).status
    }
    let merge: HTTPHeaders = ["Prefer": "resolution=merge-duplicates"]
    for id in [7, 9] {
      #expect(try status(.patch, "/members/email=ada", #"{"id":\#(id)}"#) == 401)
      #expect(try status(.put, "/members/email=ada", #"{"id":\#(id),"name":"A"}"#) == 401)
      #expect(try status(.post, "/members", #"{"id":\#(id),"name":"A"}"#, merge) == 400)
      #expect(try status(.post, "/members", #"{"id":\#(id),"name":"A"}"#) == 401)
    }
    for id in [3, 9] {
      #expect(try status(.post, "/companies/name=Ours/members", #"{"companyId":\#(id),"email":"b"}"#) == 401)
      #expect(try status(.put, "/companies/name=Ours/members/email=ada", #"{"companyId":\#(id)}"#) == 401)
    }
    #expect(try database.stored("SELECT * FROM member") == "7|3|ada|Ada")
  }

  @Test
  func `what the path names may be in the content`() throws {
    let database = try database()
    #expect(try database.send(.put, "/members/email=ada", #"{"email":"ada","name":"A"}"#).status == 200)
    #expect(
      try database.send(
        .post, "/members?onConflict=email", #"{"email":"ada","name":"B"}"#,
        headers: ["Prefer": "resolution=merge-duplicates"]
      ).status == 200)
    #expect(try database.stored("SELECT * FROM member") == "7|3|ada|B")
  }

  @Test
  func `Location tells the key only of a record that its writer may read`() throws {
    let database = try TestDatabase.writable(
      Self.schema,
      modelFile:
        "{ access: { read: {} }, resources: { members: { access: { read: { rows: companyId = 3 }, create: {} } } } }"
    )
    for preference in ["return=minimal", "return=representation"] {
      let headers: HTTPHeaders = ["Prefer": preference]
      let hidden = try database.send(.post, "/members", #"{"name":"x"}"#, headers: headers)
      #expect(hidden.status == 201 && hidden.headers["Location"] == nil)
      let visible = try database.send(.post, "/members", #"{"companyId":3}"#, headers: headers)
      #expect(visible.headers["Location"] != nil)
    }
  }

  @Test
  func `a rule that a record fails is distinguished from a missing role`() throws {
    let database = try TestDatabase.writable(
      Self.schema,
      modelFile:
        "resources: { members: { access: { read: {}, write: { roles: [none] } } }, companies: { access: { read: {}, write: { rows: id = 3 } } } }"
    )
    #expect(try database.send(.post, "/members", "{}").problem("detail") == "`members` requires another role")
    #expect(
      try database.send(.post, "/companies", "{}").problem("detail")
        == "the rules for `companies` don't allow this")
  }
}
