import KindredAPI
import KindredHTTP
import KindredModel
import KindredModelFile
import KindredPlanning
import KindredBackend
import Testing

@Suite(
  "The record that could not be stored, under access rules on PostgreSQL", .enabled(if: Cluster.isAvailable))
struct DraftedRecordTests {
  private static let schema = [
    "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    """
    CREATE TABLE item (
      id int PRIMARY KEY, tenant_id int, name text UNIQUE, level int DEFAULT '1', price numeric(5, 1),
      code text COLLATE nocase DEFAULT 'A', made timestamptz DEFAULT now(), tags text[], "of, all" int GENERATED ALWAYS AS (tenant_id) STORED)
    """,
    "INSERT INTO item (id, tenant_id, name) VALUES (1, 1, 'mine'), (2, 2, 'theirs')",
  ]

  private func served(under rule: String) throws -> Served {
    let text = """
      resources:
        items: { access: { read: { rows: tenant_id = 1 }, write: { rows: '\(rule.replacing("'", with: "''"))' } } }
      """
    let file = try ModelFileParser(path: "model.yaml").parse(text)
    return try Served(contentsOf: Self.schema, isWritable: true, model: { try file.model(of: $0) })
  }

  @Test(arguments: [
    "tenant_id = 1", #""of, all" = 1"#, "level <> 1", "code <> 'a'", "price = 1.25", "made < '2000-01-01'",
    "tags is not null",
  ])
  func `a record that the rule forbids is 401 without credentials, whether its key is free or taken`(
    rule: String
  ) throws {
    let served = try served(under: rule)
    for name in ["fresh", "theirs", "mine"] {
      for tenant in ["", #","tenant_id":2"#] {
        let answer = served.send(.post, "/items", #"{"id":9,"name":"\#(name)","price":1.25\#(tenant)}"#)
        #expect(answer.hasPrefix("401 "), "\(name)\(tenant): \(answer)")
      }
    }
    for name in ["fresh", "theirs"] {
      let answer = served.send(.patch, "/items/1", #"{"tenant_id":2,"name":"\#(name)"}"#)
      #expect(answer.hasPrefix("401 "), "\(name): \(answer)")
    }
  }

  @Test(arguments: [
    "tenant_id = 1", #""of, all" = 1"#, "level = 1", "code = 'a'", "price = 1.3", "made > '2000-01-01'",
    "tags is null",
  ])
  func `a record that the rule allows is 409 if its key is taken`(rule: String) throws {
    let answer = try served(under: rule).send(
      .post, "/items", #"{"id":9,"tenant_id":1,"name":"theirs","price":1.25}"#)
    #expect(answer.hasPrefix("409 "), "\(answer)")
  }
}
