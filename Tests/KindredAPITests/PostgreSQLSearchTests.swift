import KindredPlanning
import KindredPostgreSQLDialect
import Testing

@testable import KindredAPI

@Suite("What indexes of expressions find on PostgreSQL")
struct PostgreSQLSearchTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      "CREATE TABLE author(id INTEGER PRIMARY KEY NOT NULL, name TEXT, born DATE, seen TIMESTAMP, data JSONB);"
    )
  }

  /// Returns the conditions of a filter.
  private func conditions(_ filter: String) throws -> String {
    let plan = try database.plan("/authors?fields=id&filter=\(filter)", dialect: .postgreSQL)
    let sql = try #require(plan.nodes.first).statement.sql.replacing("\"author\".", with: "")
    let conditions = sql.split(separator: " WHERE ").last?.split(separator: " ORDER BY").first
    return String(conditions ?? "")
  }

  @Test(arguments: [
    ("data->>'a'='x'", #"("data" ->> 'a') = $1::text AND "#),
    ("'x'=data->>'a'", #"("data" ->> 'a') = $1::text AND "#),
    ("data->'a'->>'b'='x'", #"(("data" -> 'a') ->> 'b') = $1::text AND "#),
    ("json_extract(data,'$.a')='x'", #"("data" ->> 'a') = $1::text AND "#),
    ("data->>'a' in ('x','y')", #"("data" ->> 'a') IN ($1::text, $2::text) AND "#),
    ("data->>'a'=1", #"("data" -> 'a') IN (to_jsonb($1::int8), 'true', 'false') AND "#),
    (
      "data->>'a'='x' or data->>'b'='y'",
      #"(("data" ->> 'a') = $1::text OR ("data" ->> 'b') = $2::text) AND "#
    ),
  ])
  func `a member of JSON is found as the index has it, and compared as SQLite compares it`(
    filter: String, beginning: String
  ) throws {
    let conditions = try conditions(filter)
    #expect(conditions.hasPrefix(beginning) && conditions.contains("jsonb_typeof"), "\(conditions)")
  }

  @Test(arguments: [
    ("date(seen)='2026-02-03'", #"("seen" >= (timezone('UTC', "#),
    ("date(born)='2026-02-03'", #"("born" >= (timezone('UTC', "#),
    ("strftime('%25Y-%25m',seen)='2026-02'", #"("seen" >= (timezone('UTC', "#),
    ("date(seen)>'2026-02-03'", #""seen" >= (coalesce(CASE WHEN $1::text LIKE '____-__-__' THEN "#),
    ("strftime('%25Y',seen)<='2026'", #""seen" <= (coalesce(CASE WHEN $1::text LIKE '____' THEN "#),
  ])
  func `a day, a month or a year of a column is a range of it`(filter: String, beginning: String) throws {
    let conditions = try conditions(filter)
    #expect(conditions.hasPrefix(beginning) && conditions.contains("to_char"), "\(conditions)")
  }

  @Test(arguments: [
    // The value isn't a member, or has no text of one form.
    "data->>0='x'", "data->>'a b'='x'", "data->>'a''b'='x'", "data->>'a'=1.5", "data->>'a'!='x'",
    "not data->>'a'='x'", "data->>'a'=name",
    "(data->>'a') collate nocase='x'", "json_extract(data,'$.a[0]')='x'",
    // The text isn't that of one period.
    "date(seen,'%2B1 day')='2026-02-03'", "date(name)='2026-02-03'", "strftime('%25d',seen)='03'",
    "datetime(seen)='2026-02-03'", "date(seen)!='2026-02-03'",
    // Another condition may hold instead.
    "data->>'a'='x' or name='y'",
  ])
  func `other conditions stand alone`(filter: String) throws {
    let conditions = try conditions(filter)
    #expect(
      !conditions.contains(" ->> '") && !conditions.contains(" -> '")
        && !conditions.contains(#""seen" >="#),
      "\(conditions)")
  }
}
