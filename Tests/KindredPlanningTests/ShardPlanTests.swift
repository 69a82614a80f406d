import KindredPostgreSQLDialect
import Testing

@testable import KindredModel
@testable import KindredPlanning

/// Tenants with tasks, which are distributed by the tenant, and tags, which are distributed otherwise.
@Suite("Plans of tables that are distributed over shards")
struct ShardPlanTests {
  private static func table(
    _ name: String, _ columns: [String], by column: String, colocation: Int64, references: [ForeignKey] = []
  ) -> Table {
    var table = Table(
      name: name, kind: .table,
      columns: columns.map {
        var column = Column(name: $0, declaredType: "bigint", isNullable: false)
        column.comparesBytes = true
        return column
      }, primaryKey: [0], uniqueKeys: [[0]], indexes: columns.map { Index(columns: [$0]) },
      foreignKeys: references)
    table.distribution = Distribution(column: column, colocation: colocation)
    return table
  }

  private static let model = Model(
    inferredFrom: Schema(
      tables: [
        table("tenant", ["id"], by: "id", colocation: 1),
        table(
          "task", ["id", "tenantId"], by: "tenantId", colocation: 1,
          references: [ForeignKey(columns: ["tenantId"], destination: "tenant", destinationColumns: ["id"])]),
        table(
          "tag", ["id", "tenantId"], by: "id", colocation: 2,
          references: [ForeignKey(columns: ["tenantId"], destination: "tenant", destinationColumns: ["id"])]),
      ]))

  private func sql(_ filter: String) throws -> String {
    try #require(Self.model.plan(of: "tenants", Node(fields: "id", filter: filter), on: .sharded).nodes.first)
      .statement.sql
  }

  @Test
  func `a condition on the distribution column is repeated for each table that is linked by it`() throws {
    #expect(
      try sql("id=3 and tasks.count>1").contains(
        #""task"."tenantId" = "tenant"."id" AND "task"."tenantId" = $1"#))
    #expect(
      try sql("id in (3,4) and tasks.count>1").contains(
        #""task"."tenantId" = "tenant"."id" AND "task"."tenantId" IN ("#))
  }

  @Test
  func `a condition that doesn't determine the shard of all records isn't`() throws {
    for filter in ["id>3 and tasks.count>1", "(id=3 or true) and tasks.count>1", "tasks.count>1"] {
      #expect(try !sql(filter).contains(#""task"."tenantId" = "tenant"."id" AND"#))
    }
  }

  @Test
  func `a table on other shards is gathered before it is linked`() throws {
    #expect(try sql("tags.count>1").contains(#"FROM (SELECT * FROM "tag" OFFSET 0) AS "tag" WHERE"#))
    #expect(try !sql("tasks.count>1").contains("OFFSET 0"))
  }
}
