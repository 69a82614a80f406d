import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Tables that the model file removes, where others have access rules")
struct RemovedTableTests {
  /// The resources of the tenants, with their tables.
  private static let tables = [
    ("companies", "company"), ("projects", "project"), ("tasks", "task"), ("comments", "comment"),
    ("employees", "employee"), ("users", "user"), ("groups", "\"group\""), ("memberships", "membership"),
  ]

  /// Requests that write to every table in every way: at their own paths, below others, in trees, by links.
  private static let writes: [(HTTPMethod, String, String?, HTTPHeaders)] = {
    var all: [(HTTPMethod, String, String?, HTTPHeaders)] = []
    for (resource, _) in tables {
      for content in [#"{"id":90}"#, #"{"companyId":3,"projectId":1,"taskId":1,"name":"n","title":"t"}"#] {
        all += [
          (.post, "/\(resource)", content, [:]), (.post, "/\(resource)", "[\(content)]", [:]),
          (.post, "/\(resource)", content, ["Prefer": "resolution=merge-duplicates"]),
          (.post, "/\(resource)", content, ["Content-Type": "application/x-ndjson"]),
          (.put, "/\(resource)/1", content, [:]), (.patch, "/\(resource)/1", #"{"name":"x"}"#, [:]),
          (.patch, "/\(resource)?filter=true", #"{"name":"x"}"#, [:]),
        ]
      }
      all += [
        (.post, "/\(resource)", "id,name\n91,n\n", ["Content-Type": "text/csv"]),
        (.delete, "/\(resource)/1", nil, [:]), (.delete, "/\(resource)?filter=true", nil, [:]),
        (
          .post, "/-/batch",
          """
          [{"method":"POST","url":"/\(resource)","body":{"id":92}}]
          """, [:]
        ),
      ]
      for (below, _) in tables {
        all += [
          (.post, "/\(resource)/1/\(below)", #"{"id":93,"name":"n","title":"t"}"#, [:]),
          (.put, "/\(resource)/1/\(below)/3", nil, [:]), (.delete, "/\(resource)/1/\(below)/3", nil, [:]),
          (.put, "/\(resource)/7/\(below)/4", nil, [:]), (.delete, "/\(resource)/7/\(below)/3", nil, [:]),
          (.delete, "/\(resource)/7/\(below)?filter=true", nil, [:]),
          (.patch, "/\(resource)/1/\(below)?filter=true", #"{"name":"x"}"#, [:]),
          (.post, "/\(resource)", #"{"name":"n","\#(below)":[{"id":94,"name":"n","title":"t"}]}"#, [:]),
          (.patch, "/\(resource)/1", #"{"\#(below)":[{"id":95,"name":"n","title":"t"}]}"#, [:]),
        ]
      }
    }
    return all
  }()

  @Test(arguments: tables)
  func `no request writes to it`(resource: String, table: String) throws {
    let model =
      "resources:\n"
      + Self.tables.map { name, _ in
        name == resource ? "  \(name): null" : "  \(name): { access: { read: {}, write: {} } }"
      }.joined(separator: "\n")
    var succeeded = 0
    var database = try Self.database(model)
    let before = try database.stored("SELECT * FROM \(table)")
    for (method, target, content, headers) in Self.writes {
      let answer = try database.send(method, target, content, headers: headers)
      #expect(
        try database.stored("SELECT * FROM \(table)") == before, "\(method.token) \(target) \(content ?? "")")
      guard answer.status < 300 else { continue }
      succeeded += 1
      // What it has changed would change what later requests do.
      database = try Self.database(model)
    }
    #expect(succeeded > 20, "others are written")
  }

  private static func database(_ model: String) throws -> TestDatabase {
    var options = KindredService.Options()
    options.isWritable = true
    return try TestDatabase(TenantFixture.schema + TenantFixture.records, modelFile: model, options: options)
  }

  private static let withoutMemberships = """
    resources:
      users: { access: { read: {}, write: {} } }
      groups: { access: { read: {}, write: {} } }
      memberships: null
    """

  @Test
  func `as a join table it links nothing, and the client isn't told its name`() throws {
    let database = try Self.database(Self.withoutMemberships)
    for method in [HTTPMethod.put, .delete] {
      let answer = try database.send(method, "/users/7/groups/3")
      #expect(answer.status == 401)
      #expect(answer.problem("detail") == "`groups` requires another role")
    }
    #expect(
      try database.send(.options, "/users/7/groups/3").headers["Allow"] == "GET, HEAD, QUERY, PATCH, OPTIONS")
    #expect(try database.get("/users/7/groups").text == #"[{"id":3,"name":"g"}]"#, "it is still read")
    let nested = try database.send(.post, "/users", #"{"name":"u","groups":[{"id":3}]}"#)
    #expect(nested.status == 401)
    #expect(nested.problem("detail") == "linking these records requires another role")
  }

  @Test
  func `a foreign key may refer to it, as to what everybody may read`() throws {
    let database = try Self.database(
      """
      resources:
        employees: { access: { read: {}, write: {} } }
        companies: null
      """)
    #expect(try database.send(.post, "/employees", #"{"companyId":4}"#).status == 201)
    #expect(try database.send(.post, "/employees", #"{"companyId":5}"#).status == 409, "there is none")
  }

  @Test
  func `without any access rules it may be written through associations`() throws {
    let database = try Self.database("resources: { memberships: null }")
    #expect(try database.send(.put, "/users/8/groups/3").status == 204)
    #expect(try database.send(.delete, "/users/8/groups/3").status == 204)
  }
}
