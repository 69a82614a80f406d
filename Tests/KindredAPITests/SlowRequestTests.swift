import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("What would make a request faster")
struct SlowRequestTests {
  /// 200 items of one group, of whose sums of sums of sums none ends in time.
  private static let schema = """
    CREATE TABLE grp (id INTEGER PRIMARY KEY);
    CREATE TABLE item (id INTEGER PRIMARY KEY, grpId INTEGER REFERENCES grp(id), kind TEXT);
    CREATE INDEX item_grp ON item (grpId);
    INSERT INTO grp VALUES (1);
    INSERT INTO item SELECT value, 1, 'x' FROM (
      WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200) SELECT value FROM n);
    """
  private static let endless =
    "annotate=n:grp.items.sum(grp.items.sum(grp.items.sum(grp.items.sum(grp.items.sum(id)))))"

  private func database(_ sql: String = "", showsPlans: Bool = true) throws -> TestDatabase {
    var options = KindredService.Options()
    (options.queryTime, options.showsPlans) = (0.1, showsPlans)
    return try TestDatabase(Self.schema + sql, options: options)
  }

  @Test(arguments: [
    (
      "/items?filter=kind='x'&\(endless)", "ANALYZE;", true,
      #"this would help: CREATE INDEX \"item_on_kind\" ON \"item\" (\"kind\");"#
    ),
    ("/items?\(endless)", "ANALYZE;", true, "and no index would help"),
    ("/items?\(endless)", "", true, "this would help: ANALYZE;"),
    ("/items?filter=kind='x'&\(endless)", "", false, "the request took too long; request less data\""),
  ])
  func `the problem of a slow request names what would help, for those who may see plans`(
    target: String, sql: String, showsPlans: Bool, text: String
  ) throws {
    let answer = try database(sql, showsPlans: showsPlans).get(target)
    #expect(answer.status == 503)
    #expect(answer.text.contains(text), "\(answer.text)")
  }

  @Test
  func `explain says whether the statistics of the tables are missing or old`() throws {
    let database = try TestDatabase(Self.schema)
    let other = try Connection(path: database.path, access: .readWrite)
    func state(_ target: String = "/items") throws -> String? {
      try database.get("\(target)?explain=true").text.firstMatch(of: /"statistics":"([a-z]+)"/).map {
        "\($0.1)"
      }
    }
    #expect(try state() == "missing")
    #expect(try state("/grps") == nil, "a table without an index of its own")
    try other.execute("ANALYZE")
    #expect(try state() == nil)
    try other.execute("CREATE INDEX item_kind ON item (kind)")
    #expect(try state() == "stale")
    try other.execute("ANALYZE; DELETE FROM item WHERE id > 10; ANALYZE")
    #expect(try state() == nil)
    try other.execute(
      """
      INSERT INTO item SELECT value, 1, 'y' FROM (WITH RECURSIVE n(value) AS \
      (SELECT 11 UNION ALL SELECT value + 1 FROM n WHERE value < 300) SELECT value FROM n)
      """)
    #expect(try state() == "stale", "thirty times the rows")
  }
}
