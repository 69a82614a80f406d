import KindredModel
import KindredPostgreSQLDialect
import KindredSQLSyntax
import KindredSQLiteDialect
import Testing

@testable import KindredPlanning

@Suite("Queries with parameters")
struct ParameterizedQueryTests {
  @Test
  func `each is bound wherever it stands, and one that isn't declared is refused by its name`() throws {
    let since = QueryParameter(name: "since", kind: .integer)
    let query = try ParameterizedQuery(
      "SELECT :since, ':since', :since;", parameters: [since], syntax: .sqlite)
    #expect(query.sql { _ in "\(.parameter(0))" }.rendered().text == "SELECT ?1, ':since', ?1")
    #expect(query.text(in: Dialect.sqlite.writer) == "SELECT NULL, ':since', NULL")
    #expect(
      query.text(in: Dialect.postgreSQL.writer) == "SELECT (SELECT NULL::int8), ':since', (SELECT NULL::int8)"
    )
    let error = #expect(throws: ParameterizedQuery.UndeclaredParameter.self) {
      _ = try ParameterizedQuery("SELECT :until", parameters: [since], syntax: .sqlite)
    }
    #expect(error?.name == "until")
  }
}
