import Testing

@testable import KindredAPI

/// What can be read stands in indexes that begin with a hidden column, from which SQLite reads the rows.
@Suite("What depends on the order of rows is in an order that the client sees")
struct RowOrderTests {
  private func database(_ salaries: [Int], sort: String = "") throws -> TestDatabase {
    let names = ["ann", "Ann", "ANN", "bob", "BOB"]
    let bonuses = ["1e16", "1.0", "-1e16", "0.1", "0.2"]
    let rows = salaries.indices.map {
      "(\($0 + 1), \($0 < 3 ? 1 : 2), '\(names[$0])', \(5 - $0), \(bonuses[$0]), \(salaries[$0]), NULL)"
    }
    return try TestDatabase(
      """
      CREATE TABLE dept (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE emp (
        id INTEGER PRIMARY KEY, deptId INTEGER REFERENCES dept(id), name TEXT COLLATE NOCASE, rank INTEGER, bonus REAL,
        salary INTEGER, pad VARCHAR(255));
      CREATE INDEX empBySalary ON emp(salary, name, bonus, rank, deptId);
      CREATE INDEX empByDept ON emp(deptId, salary, name, rank, bonus);
      CREATE VIEW note AS SELECT name, salary FROM emp;
      INSERT INTO dept VALUES (1, 'D'), (2, 'E');
      INSERT INTO emp VALUES \(rows.joined(separator: ", "));
      ANALYZE;
      """, modelFile: "resources: { emps: { hidden: [salary]\(sort) }, notes: { hidden: [salary] } }")
  }

  @Test(arguments: [
    ("/emps?fields=c:concat(id)", #"[{"c":"1,2,3,4,5"}]"#),
    ("/emps?fields=c:concat(name,'-')&having=count()>1", #"[{"c":"ann-Ann-ANN-bob-BOB"}]"#),
    (
      "/emps?fields=deptId,c:concat(name)&group=deptId",
      #"[{"deptId":1,"c":"ann,Ann,ANN"},{"deptId":2,"c":"bob,BOB"}]"#
    ),
    ("/depts?fields=id,c:emps.concat(name)&limit=1", #"[{"id":1,"c":"ann,Ann,ANN"}]"#),
    (
      "/depts?fields=id&include=emps&emps.fields=c:concat(name)&limit=1",
      #"[{"id":1,"emps":[{"c":"ann,Ann,ANN"}]}]"#
    ),
  ])
  func `the texts of a group are in the default order`(target: String, answer: String) throws {
    for salaries in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 2, 5, 4]] {
      #expect(try database(salaries).answer(target).text == answer)
    }
  }

  @Test(arguments: [
    ("/emps?fields=a:min(name),z:max(name)", #"[{"a":"ann","z":"bob"}]"#),
    ("/emps?fields=name,n:count()&group=name", #"[{"name":"ann","n":3},{"name":"bob","n":2}]"#),
    ("/emps?fields=name,r:max(rank)&group=name", #"[{"name":"ann","r":5},{"name":"bob","r":2}]"#),
    ("/emps?fields=deptId,m:max(name)&group=deptId", #"[{"deptId":1,"m":"ann"},{"deptId":2,"m":"bob"}]"#),
    ("/depts?fields=id&annotate=m:emps.min(name)&limit=1", #"[{"id":1,"m":"ann"}]"#),
  ])
  func `of equal texts the first is shown`(target: String, answer: String) throws {
    for salaries in [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 2, 5, 4]] {
      #expect(try database(salaries).answer(target).text == answer)
    }
  }

  @Test
  func `the default order is that of the resource without its hidden terms`() throws {
    let database = try database([3, 1, 2, 5, 4], sort: ", sort: \"rank\"")
    #expect(try database.answer("/emps?fields=c:concat(id)").text == #"[{"c":"5,4,3,2,1"}]"#)
    #expect(
      try database.answer("/emps?fields=name,n:count()&group=name").text
        == #"[{"name":"ANN","n":3},{"name":"BOB","n":2}]"#)
  }

  @Test(arguments: [
    "/emps?fields=s:sum(bonus)", "/emps?fields=a:avg(bonus),t:total(bonus)",
    "/depts?annotate=s:emps.sum(bonus)",
    "/emps?fields=deptId,s:sum(bonus)&group=deptId", "/notes", "/notes?sort=-name&limit=2",
    "/notes?fields=c:concat(name)", "/notes?fields=name&distinct=true",
  ])
  func `hidden values change nothing`(target: String) throws {
    let answers = try [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 1, 2, 5, 4]].map {
      try database($0).answer(target).text
    }
    #expect(Set(answers).count == 1)
  }
}
