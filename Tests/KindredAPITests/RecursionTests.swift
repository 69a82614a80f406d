import KindredModel
import KindredPlanning
import Testing

@Suite("Associations that repeat below themselves")
struct RecursionTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `until nothing is left`() throws {
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

  @Test
  func `to a number of levels`() throws {
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

  @Test
  func `to-one, up to the top`() throws {
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

  @Test
  func `reads the record above at each level: through a hop, and further above`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE office (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, officeId INTEGER REFERENCES office,
        bossId INTEGER REFERENCES employee);
      INSERT INTO office VALUES (1, 'Rome'), (2, 'Oslo');
      INSERT INTO employee VALUES (1, 'Ada', 1, NULL), (2, 'Bo', 2, 1), (3, 'Cy', NULL, 2), (4, 'Di', 1, 3), (5, 'Ed', 2, 1);
      """)
    try expectRequest(
      "/employees?fields=name&filter=id=1&include=s:employeesByBoss*&s.fields=name,c:../office.name&s.filter=id<5",
      on: database,
      json: """
        [{"name":"Ada","s":[{"name":"Bo","c":"Rome","s":[{"name":"Cy","c":"Oslo","s":[{"name":"Di","c":null,"s":[]}]}]}]}]
        """)
    try expectRequest(
      "/offices?filter=id=1&fields=name&include=employees,s:employees.employeesByBoss*&employees.fields=name"
        + "&employees.s.fields=name,up:../../name,n:../employeesByBoss.count&employees.s.filter=id<5&employees.filter=id=1",
      on: database,
      json: """
        [{"name":"Rome","employees":[{"name":"Ada","s":[{"name":"Bo","up":"Rome","n":2,"s":[{"name":"Cy","up":"Ada",
        "n":1,"s":[{"name":"Di","up":"Bo","n":1,"s":[]}]}]}]}]}]
        """)
    try expectRequest(
      "/employees?fields=name&filter=id=1&include=s:employeesByBoss*,s.office&s.fields=name&s.filter=id<5"
        + "&s.office.fields=name,boss:../../name", on: database,
      json: """
        [{"name":"Ada","s":[{"name":"Bo","office":{"name":"Oslo","boss":"Ada"},"s":[{"name":"Cy","office":null,
        "s":[{"name":"Di","office":{"name":"Rome","boss":"Cy"},"s":[]}]}]}]}]
        """)
  }

  @Test
  func `a record that would be its own ancestor takes no place in limit and offset`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE word (id INTEGER PRIMARY KEY, nextId INTEGER REFERENCES word(id));
      INSERT INTO word VALUES (1, 2), (2, 1), (3, 2), (4, 2);
      """)
    try expectRequest(
      "/words/1?fields=id&include=w:wordsByNext*&w.fields=id&w.limit=1", on: database,
      json: #"{"id":1,"w":[{"id":2,"w":[{"id":3,"w":[]}]}]}"#)
    try expectRequest(
      "/words/1?fields=id&include=w:wordsByNext*&w.fields=id&w.offset=1", on: database,
      json: #"{"id":1,"w":[]}"#)
    try expectRequest(
      "/words/2?fields=id&include=w:wordsByNext*&w.fields=id&w.limit=1&w.offset=1", on: database,
      json: #"{"id":2,"w":[{"id":3,"w":[]}]}"#)
    try expectRequest(
      "/words/2?fields=id&include=w:wordsByNext*&w.fields=id&w.limit=0", on: database,
      json: #"{"id":2,"w":[]}"#)
  }

  @Test
  func `results that repeat below themselves can't be told apart by their columns`() throws {
    try expectProblem(
      "/words?include=w:wordsByNext*&w.distinct=true", on: library, code: .invalidValue,
      parameter: "w.distinct")
  }

  @Test
  func `a cycle ends where a record would be its own ancestor`() throws {
    try expectRequest(
      #"/words?fields=text&include=next*&next.fields=text&filter=id<3"#, on: library,
      json: #"""
        [{"text":"a","next":{"text":"b","next":{"text":"c","next":null}}},
        {"text":"b","next":{"text":"c","next":{"text":"a","next":null}}}]
        """#)
  }
}
