import KindredSQLSyntax
import KindredSQLite
import TestSupport
import Testing

@Suite("Statements that are kept with their plan")
struct PlanStatementsTests {
  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.database("CREATE TABLE t(x)"), access: .readWrite)
  }

  @Test
  func `the next run of a plan gets its statements together, reset and without values`() throws {
    #expect(connection.cached(ofPlan: 1)?.count == nil)
    let statement = try connection.cached("SELECT ?")
    try statement.bind(Int64(7), at: 1)
    #expect(try statement.step())
    connection.release([statement, nil], ofPlan: 1)
    let kept = try #require(connection.cached(ofPlan: 1))
    #expect(kept.count == 2 && kept[0] === statement && kept[1] == nil)
    #expect(!statement.isRunning)
    #expect(try statement.step() && statement.value(0) == .null)
    // A second run during the first needs separate statements.
    #expect(connection.cached(ofPlan: 1)?.count == nil)
    #expect(try connection.cached("SELECT ?") !== statement)
  }

  @Test
  func `the statements of a plan that two runs put back are both found again`() throws {
    let statements = try [connection.cached("SELECT 1"), connection.cached("SELECT 1")]
    for statement in statements { connection.release([statement], ofPlan: 1) }
    let kept = try #require(connection.cached(ofPlan: 1))
    #expect(kept.count == 1 && kept[0] === statements[0])
    #expect(try connection.cached("SELECT 1") === statements[1])
  }

  @Test
  func `when more plans run than are kept, the statements of the first are found by their texts`() throws {
    let first = try connection.cached("SELECT 0")
    connection.release([first], ofPlan: 0)
    for number in 1...8 {
      connection.release([try connection.cached("SELECT \(number)")], ofPlan: number)
    }
    #expect(connection.cached(ofPlan: 0)?.count == nil)
    #expect(try connection.cached("SELECT 0") === first)
    #expect(connection.cached(ofPlan: 8)?.count == 1)
  }

  @Test
  func `statements that take much of the cache's space are only found by their texts`() throws {
    var configuration = ConnectionConfiguration()
    configuration.statementCacheBytes = 32_000
    let small = try Connection(path: connection.path, access: .readOnly, configuration: configuration)
    let statements = try (1...3).map { try small.cached("SELECT x, \($0) FROM t ORDER BY x") }
    small.release(statements, ofPlan: 1)
    #expect(small.cached(ofPlan: 1)?.count == nil)
    #expect(try small.cached("SELECT x, 3 FROM t ORDER BY x") === statements[2])
  }
}
