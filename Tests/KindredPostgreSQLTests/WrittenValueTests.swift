import KindredHTTP
import Testing

/// What clients write, in bodies and in URLs, and how columns of PostgreSQL take it.
@Suite(.enabled(if: Cluster.isAvailable))
struct WrittenValueTests {
  private static let house = [
    "CREATE TYPE zip AS (code text, ext int)", "CREATE DOMAIN local_zip AS zip",
    "CREATE TYPE address AS (street text, zip local_zip, former zip[])",
    "CREATE TABLE house (id serial PRIMARY KEY, a address, list address[], seats smallint)",
  ]

  @Test(arguments: [
    (#"{"a":{"street":"s","stret":1}}"#, "`a` has no field `stret`; did you mean `street`?"),
    (#"{"a":{"zip":{"kode":"1"}}}"#, "`a` has no field `kode`; did you mean `code`?"),
    (#"{"a":{"former":[{"code":"1"},{"x":1}]}}"#, "`a` has no field `x`"),
    (#"{"list":[{"street":"s"},{"x":1}]}"#, "`list` has no field `x`"),
  ])
  func `a composite has no other fields than its type, at any depth`(
    content: String, detail: String
  ) throws {
    let served = try Served(contentsOf: Self.house, isWritable: true)
    for type in ["application/json", "application/x-ndjson"] {
      let answer = served.send(.post, "/houses", content, of: type)
      #expect(answer.hasPrefix("422") && answer.contains(detail), "\(answer)")
    }
    #expect(
      served.send(.post, "/houses?fields=a", #"{"a":{"zip":{"ext":2},"former":[{"code":"1"}]}}"#)
        == #"201 {"a":{"street":null,"zip":{"code":null,"ext":2},"former":[{"code":"1","ext":null}]}}"#)
  }

  @Test
  func `an integer may be written with a fraction or an exponent`() throws {
    let served = try Served(contentsOf: Self.house, isWritable: true)
    #expect(served.send(.post, "/houses?fields=seats", #"{"seats":3.0}"#) == #"201 {"seats":3}"#)
    #expect(
      served.send(
        .post, "/houses", #"{"seats":4.0}"# + "\n" + #"{"seats":50e-1}"#, of: "application/x-ndjson"
      )
      .hasPrefix("201"))
    #expect(served.send(.post, "/houses", "seats\n6.00\n7e0", of: "text/csv").hasPrefix("201"))
    #expect(
      served.text("/houses?fields=seats&sort=id")
        == #"[{"seats":3},{"seats":4},{"seats":5},{"seats":6},{"seats":7}]"#)
    #expect(served.send(.post, "/houses", #"{"seats":3.5}"#).hasPrefix("422"))
    // The second time with the plan of the first.
    for text in ["3.0", "0.3e1", "3"] {
      #expect(served.text("/houses?fields=id&seats=\(text)") == #"[{"id":1}]"#)
    }
    #expect(served.get("/houses?seats=3.5").status == .badRequest)
    #expect(served.get("/houses/1.0").status == .notFound)
  }

  @Test(
    .enabled(if: ExpressionTests.hasLooseCollations),
    arguments: [
      ("filter=name like 'NI%25'", "[1,2]"), ("filter=lower(name)||'' like 'ni%25'", "[1,2]"),
      ("filter=instr(name,'ick')>0", "[1]"), ("filter=replace(name,'i','o')='Nock'", "[1]"),
      ("filter=cast(name as integer)=0", "[1,2]"), ("filter=date(name) is null", "[1,2]"),
      ("filter=name glob 'N*'", "[1]"), ("name=nick", "[1]"),
      ("filter=coalesce(name,'x') like 'nick'", "[1]"),
    ])
  func `texts of a nondeterministic collation are searched`(parameter: String, expected: String) throws {
    let served = try Served(
      "CREATE COLLATION insensitive (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      "CREATE TABLE person (id int PRIMARY KEY, name text COLLATE insensitive)",
      "INSERT INTO person VALUES (1, 'Nick'), (2, 'nina')")
    #expect(
      served.text("/people?fields=id&sort=id&\(parameter)").replacing(/[^0-9,\[\]]/, with: "") == expected)
  }
}
