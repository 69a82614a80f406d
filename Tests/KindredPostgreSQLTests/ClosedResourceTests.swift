import KindredHTTP
import KindredModelFile
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
    "CREATE TABLE vehicle (id int PRIMARY KEY, plate text)",
    "CREATE TABLE truck (load int, PRIMARY KEY (id)) INHERITS (vehicle)",
    "CREATE TABLE van () INHERITS (vehicle)",
    "CREATE TABLE tool (id int PRIMARY KEY)", "CREATE TABLE saw (PRIMARY KEY (id)) INHERITS (tool)",
    "CREATE VIEW tooled AS SELECT * FROM tool",
    "CREATE FUNCTION name_of(int) RETURNS text LANGUAGE sql STABLE AS 'SELECT name FROM project WHERE id = $1'",
    "CREATE OPERATOR !! (RIGHTARG = int, FUNCTION = name_of)",
    "CREATE TYPE badge AS (v text)",
    "CREATE FUNCTION badge_of(int) RETURNS badge LANGUAGE sql STABLE AS 'SELECT ROW(name)::badge FROM project WHERE id = $1'",
    "CREATE CAST (int AS badge) WITH FUNCTION badge_of(int)",
    "CREATE FUNCTION label(open) RETURNS text LANGUAGE sql STABLE AS 'SELECT name FROM project WHERE id = $1.id'",
    "CREATE VIEW operated AS SELECT !! id AS name FROM open",
    "CREATE VIEW running AS SELECT query_to_xml('SELECT name FROM project', true, false, '')::text AS x",
    "CREATE VIEW counting AS SELECT most_common_vals::text AS x FROM pg_stats",
  ]

  private static let definitions = [
    ("later", "SELECT * FROM indirectly"), ("indirectly", "SELECT name FROM indirect"),
    ("calling", "SELECT * FROM names() AS name"), ("parted", "SELECT value FROM measure"),
    ("operating", "SELECT !! id AS name FROM open"), ("casting", "SELECT (id::badge).v FROM open"),
    ("member", "SELECT open.label FROM open"), ("viewing", "SELECT name FROM operated"),
    ("run", "SELECT query_to_xml('SELECT name FROM project', true, false, '')::text AS x"),
    ("fixed", "SELECT 1 AS project, count(*) AS n FROM open WHERE id::text <> lower(project)"),
  ]

  private static let model =
    """
    access: { read: {} }
    resources:
      projects: { access: { read: { roles: [member] } } }
      measures: { access: { read: { roles: [member] } } }
      vehicles: { access: { read: { roles: [member] } } }
      saws: { access: { read: { roles: [member] } } }
    commonTableExpressions:

    """ + definitions.map { "  \($0.0): { sql: \"\($0.1)\" }\n" }.joined()

  @Test
  func `what shows records of a table with access rules, through whatever it reads, is closed`()
    throws
  {
    let file = try ModelFileParser(path: "model.yaml").parse(Self.model)
    let served = try Served(contentsOf: Self.schema, model: { try file.model(of: $0) })
    let closed = [
      "directs", "indirects", "beyonds", "storeds", "calleds", "measureds", "later", "indirectly", "calling",
      "parted", "trucks", "vans", "tools", "tooleds", "operateds", "runnings", "countings", "operating",
      "casting",
      "member", "viewing", "run",
    ]
    for name in closed { #expect(served.get("/\(name)").status == .unauthorized, "\(name)") }
    for name in ["opens", "harmlesses", "fixed"] {
      #expect(served.get("/\(name)").status == .ok, "\(name)")
    }
  }

  @Test
  func `what only lies behind a view is no resource, in whatever schema`() throws {
    let served = try Served(
      contentsOf: Self.schema + [
        "CREATE VIEW recent AS SELECT value FROM measure_2026",
        "INSERT INTO measure VALUES ('2026-05-01', 7)",
      ])
    #expect(served.text("/recents") == #"[{"value":7}]"#)
    for name in ["measure2026s", "measures2026", "measure_2026", "unseens"] {
      #expect(served.get("/\(name)").status == .notFound, "\(name)")
    }
  }

  @Test
  func `a foreign key to a table that isn't served can't be written, whatever is there`() throws {
    let file = try ModelFileParser(path: "model.yaml").parse("access: { read: {}, write: {} }")
    let served = try Served(
      contentsOf: [
        "CREATE SCHEMA apart", "CREATE TABLE apart.ghost (id int PRIMARY KEY)",
        "CREATE TABLE claim (id int PRIMARY KEY, ghost_id int REFERENCES apart.ghost)",
        "INSERT INTO apart.ghost VALUES (1), (2)", "INSERT INTO claim VALUES (1, 1)",
      ], isWritable: true, model: { try file.model(of: $0) })
    for ghost in [2, 99] {
      #expect(served.send(.post, "/claims", #"{"id":9,"ghost_id":\#(ghost)}"#).hasPrefix("409"))
      #expect(served.send(.patch, "/claims/1", #"{"ghost_id":\#(ghost)}"#).hasPrefix("409"))
    }
    #expect(served.send(.patch, "/claims/1", #"{"ghost_id":1}"#).hasPrefix("200"), "it stays as it is")
    #expect(served.send(.post, "/claims", #"{"id":9}"#).hasPrefix("201"))
  }
}
