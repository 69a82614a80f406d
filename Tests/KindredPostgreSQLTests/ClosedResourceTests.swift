import KindredModel
import KindredPlanning
import KindredHTTP
import KindredPostgreSQL
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct ClosedResourceTests {
  private static let schema = [
    "CREATE TABLE project (id int PRIMARY KEY, name text)",
    "CREATE TABLE open (id int PRIMARY KEY, project text)",
    "CREATE SCHEMA apart", "CREATE VIEW apart.unseen AS SELECT name FROM project",
    "CREATE VIEW direct AS SELECT name FROM project", "CREATE VIEW indirect AS SELECT * FROM direct",
    "CREATE VIEW beyond AS SELECT * FROM apart.unseen",
    "CREATE MATERIALIZED VIEW stored AS SELECT name FROM project",
    "CREATE VIEW harmless AS SELECT project, upper(project) AS loud FROM open",
    "CREATE FUNCTION names() RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT name FROM project'",
    "CREATE VIEW called AS SELECT names() AS name FROM open",
    """
    CREATE TABLE measure (at date, value int) PARTITION BY RANGE (at)
    """,
    "CREATE TABLE measure_2026 PARTITION OF measure FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')",
    "CREATE VIEW measured AS SELECT value FROM measure",
  ]

  private static let definitions = [
    ("later", "SELECT * FROM indirectly"), ("indirectly", "SELECT name FROM indirect"),
    ("calling", "SELECT * FROM names() AS name"), ("parted", "SELECT value FROM measure"),
    ("fixed", "SELECT 1 AS project, count(*) AS n FROM open"),
  ]

  @Test
  func `what reads a table with access rules, through views, functions or parts, is closed`() throws {
    let served = try Served(contentsOf: Self.schema, model: Self.model(of:))
    let closed = [
      "directs", "indirects", "beyonds", "storeds", "calleds", "measureds", "later", "indirectly", "calling",
      "parted",
    ]
    for name in closed { #expect(served.get("/\(name)").status == .unauthorized, "\(name)") }
    for name in ["projects", "opens", "harmlesses", "fixed"] {
      #expect(served.get("/\(name)").status == .ok, "\(name)")
    }
  }

  /// The inferred model with the definitions, in which two tables have access rules.
  @Sendable private static func model(of source: any SchemaSource) throws -> Model {
    var model = Model(inferredFrom: try source.schema())
    let tables = try source.tables(
      of: Self.definitions.map { CommonTableDefinition(name: $0.0, sql: $0.1) })
    for table in tables {
      model.tables[table.name] = table
      model.resources[table.name] = Resource(name: table.name, table: table)
    }
    for name in ["projects", "measures"] {
      model.resources[name]?.access = ResourceAccess([.read: [AccessEntry()]])
    }
    try model.closeWhatReadsRestricted(source.tables(readBy:_:))
    return model
  }
}
