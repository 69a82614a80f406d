import Testing

@Suite("Associations that repeat below themselves")
struct RecursionTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test("until nothing is left")
  func untilNothingIsLeft() throws {
    try expectRequest(
      #"""
      /employees?fields=name&filter=managerId is null&include=employeesByManager*\#
      &employeesByManager.fields=name
      """#, on: library,
      sql: #"""
        SELECT "employee"."name", "employee"."id" FROM "employee" WHERE "employee"."managerId" IS NULL \#
        ORDER BY "employee"."id" LIMIT ?1 + ?2
        SELECT "employee"."name", "employee"."id" FROM "employee" WHERE "employee"."managerId" = ?1 ORDER \#
        BY "employee"."id"
        SELECT "employee"."name", "employee"."id" FROM "employee" WHERE "employee"."managerId" = ?1 ORDER \#
        BY "employee"."id"
        """#,
      json: #"""
        [{"name":"Ada","employeesByManager":[{"name":"Bo","employeesByManager":[{"name":"Di",
        "employeesByManager":[]}]},{"name":"Cy","employeesByManager":[]}]}]
        """#)
  }

  @Test("to a number of levels")
  func toANumberOfLevels() throws {
    try expectRequest(
      #"""
      /employees?fields=name&filter=managerId is null&include=employeesByManager*1\#
      &employeesByManager.fields=name
      """#, on: library,
      sql: #"""
        SELECT "employee"."name", "employee"."id" FROM "employee" WHERE "employee"."managerId" IS NULL \#
        ORDER BY "employee"."id" LIMIT ?1 + ?2
        SELECT "employee"."name", "employee"."id" FROM "employee" WHERE "employee"."managerId" = ?1 ORDER \#
        BY "employee"."id"
        """#,
      json: #"""
        [{"name":"Ada","employeesByManager":[{"name":"Bo"},{"name":"Cy"}]}]
        """#)
  }

  @Test("to-one, up to the top")
  func toOneUpToTheTop() throws {
    try expectRequest(
      #"/employees/4?fields=name&include=manager*&manager.fields=name"#, on: library,
      sql: #"""
        SELECT "employee"."name", "employee"."managerId", "employee"."id" FROM "employee" WHERE \#
        "employee"."id" = ?1 ORDER BY "employee"."id" LIMIT 1
        SELECT "employee"."name", "employee"."id", "employee"."managerId" FROM "employee" WHERE \#
        "employee"."id" = ?1 ORDER BY "employee"."id" LIMIT 1
        SELECT "employee"."name", "employee"."id", "employee"."managerId" FROM "employee" WHERE \#
        "employee"."id" = ?1 ORDER BY "employee"."id" LIMIT 1
        """#,
      json: #"""
        {"name":"Di","manager":{"name":"Bo","manager":{"name":"Ada","manager":null}}}
        """#)
  }

  @Test("a cycle ends where a record would be its own ancestor")
  func aCycleEndsWhereARecordWouldBeItsOwnAncestor() throws {
    try expectRequest(
      #"/words?fields=text&include=next*&next.fields=text&filter=id<3"#, on: library,
      json: #"""
        [{"text":"a","next":{"text":"b","next":{"text":"c","next":null}}},
        {"text":"b","next":{"text":"c","next":{"text":"a","next":null}}}]
        """#)
  }
}
