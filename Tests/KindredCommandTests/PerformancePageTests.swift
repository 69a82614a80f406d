import Foundation
import KindredSQLite
import TestSupport
import Testing

@Suite("The page about performance is true")
struct PerformancePageTests {
  private let program: Program
  private let page: DocumentationPage

  init() throws {
    program = Program(directory: try TemporaryDirectory())
    page = try DocumentationPage("docs/performance.md")
  }

  private func execute(_ sql: String) throws {
    try Connection(path: program.directory.path("shop.db"), access: .readWriteCreate).execute(sql)
  }

  private func explanation(of url: String) throws -> String {
    try program.run("query", "shop.db", url, "--explain").output
  }

  @Test
  func `each request lacks the index that the page says, until it is created`() throws {
    let rows = page.text.matches(of: /\| `(\/[^`]+)` \| `(CREATE INDEX [^`]+)` \|/)
    #expect(rows.count >= 7)
    for row in rows {
      try? FileManager.default.removeItem(atPath: program.directory.path("shop.db"))
      let schema = try #require(page.blocks(of: "sql").first { $0.contains("CREATE TABLE orders") })
      try execute(schema)
      let url = String(row.1)
      let lacking = try explanation(of: url)
      #expect(lacking.contains("-- missing indexes\n\(row.2);"), "\(url)\n\(lacking)")
      #expect(lacking.components(separatedBy: "CREATE INDEX").count == 2, "\(url)")
      try execute(String(row.2))
      #expect(try !explanation(of: url).contains("-- missing indexes"), "\(url)")
    }
  }

  @Test
  func `tables without statistics are named by a check and by explain, until they are analyzed`() throws {
    try execute(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT);
      CREATE INDEX item_kind ON item (kind);
      WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 200)
      INSERT INTO item SELECT value, 'x' FROM n
      """)
    let notice = "kindred: the database has no statistics of the table item; run ANALYZE"
    #expect(try program.run("serve", "shop.db", "--check").errors.contains(notice))
    #expect(try explanation(of: "/items").contains("-- the statistics of the tables are missing\nANALYZE;"))
    try execute("ANALYZE")
    #expect(try !program.run("serve", "shop.db", "--check").errors.contains("ANALYZE"))
    #expect(try !explanation(of: "/items").contains("ANALYZE"))
  }
}
