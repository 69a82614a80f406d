import KindredPlanning
import KindredPostgreSQLDialect
import KindredModel
import Testing

@testable import KindredAPI

@Suite("BLOB literals")
struct BlobLiteralTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      """
      CREATE TABLE file (id INTEGER PRIMARY KEY, content BLOB, name TEXT);
      INSERT INTO file VALUES (1, x'CAFE', 'a'), (2, x'', 'b'), (3, NULL, 'c'), (4, 'text', 'd');
      """,
      modelFile: """
        resources:
          files:
            access:
              read: { rows: content is not x'' }
        """)
  }

  @Test
  func `are bound, compared and shown as BLOBs`() throws {
    try expectRequest(
      "/files?fields=id,x:x'cafe',n:length(x'00'),t:cast(x'6162' as text)&filter=content=x'CAFE'",
      on: database,
      sql: #"""
        SELECT "file"."id", ?1, length(?2), CAST(?3 AS TEXT) FROM "file" WHERE "file"."content" = ?4 \#
        ORDER BY "file"."id" LIMIT ?5 + ?6
        """#, json: #"[{"id":1,"x":"yv4=","n":1,"t":"ab"}]"#)
  }

  @Test
  func `are part of rules`() throws {
    try expectRequest("/files?fields=id", on: database, json: #"[{"id":1},{"id":3},{"id":4}]"#)
  }

  @Test
  func `requests that differ in them have answers of their own`() throws {
    for _ in 0..<2 {
      try expectRequest("/files?fields=id&filter=content=x'CAFE'", on: database, json: #"[{"id":1}]"#)
      try expectRequest("/files?fields=id&filter=content=x'CAFF'", on: database, json: "[]")
      try expectRequest("/files?fields=id&filter=content='CAFE'", on: database, json: "[]")
      try expectRequest("/files?fields=id&filter=content='text'", on: database, json: #"[{"id":4}]"#)
    }
  }

  @Test
  func `are bytea on PostgreSQL, and no texts`() throws {
    let database = try TestDatabase("CREATE TABLE file (id INTEGER PRIMARY KEY, content BYTEA, name TEXT)")
    let plan = try database.plan("/files?filter=content=x'CAFE'&fields=id", dialect: .postgreSQL)
    #expect(plan.nodes[0].statement.sql.contains(#""content" = $1::bytea"#))
    #expect(throws: RequestError.self) {
      try database.plan("/files?filter=name=x'CAFE'", dialect: .postgreSQL)
    }
  }
}
