import KindredPlanning
import KindredPostgreSQLDialect
import Testing

@testable import KindredAPI

@Suite("Aggregates of groups on PostgreSQL, without a server")
struct PostgreSQLAggregateTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase("CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, year INTEGER);")
  }

  private func root(_ target: String) throws -> String {
    let plan = try database.plan(target, dialect: .postgreSQL)
    return try #require(plan.nodes.first).statement.sql.replacing("\"author\".", with: "")
  }

  @Test
  func `the texts of a group are concatenated in the order of its records`() throws {
    let texts = try root("/authors?group=year&fields=year,a:concat(name,'; ')")
    #expect(texts.contains(#"string_agg("name", $1::text ORDER BY "id")"#), "\(texts)")
    let distinct = try root("/authors?group=year&fields=year,a:concat(distinct name)")
    #expect(distinct.contains(#"string_agg(DISTINCT "name", ',' ORDER BY "name")"#), "\(distinct)")
  }
}
