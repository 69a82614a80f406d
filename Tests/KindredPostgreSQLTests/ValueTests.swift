import KindredHTTP
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct ValueTests {
  @Test(arguments: [
    ("int8", "9223372036854775807", "9223372036854775807"), ("numeric(10,2)", "12.5", "12.50"),
    ("numeric", "'NaN'", "null"), ("float8", "3", "3.0"),
    ("float8", "0.1::float8 + 0.2", "0.30000000000000004"),
    ("float8", "'-infinity'", "-9e999"), ("float8", "'NaN'", "null"), ("float4", "0.1", "0.1"),
    ("bool", "true", "true"), ("bytea", "'\\x00ff10'", "\"AP8Q\""), ("text", "E'a\"\\n'", #""a\"\n""#),
    ("jsonb", "'{\"b\": [1, 2], \"a\": null}'", #"{"a":null,"b":[1,2]}"#),
    ("json", "'{\"b\" : 1.0}'", #"{"b":1.0}"#),
    ("date", "'2024-01-02'", "\"2024-01-02\""), ("time", "'03:04:05.5'", "\"03:04:05.5\""),
    ("timestamp", "'2024-01-02 03:04:05.6'", "\"2024-01-02T03:04:05.6\""),
    ("timestamptz", "'2024-01-02 03:04:05+02'", "\"2024-01-02T01:04:05+00:00\""),
    ("timestamp", "'infinity'", "\"infinity\""), ("interval", "'1 day 2 hours'", "\"1 day 02:00:00\""),
    ("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\""),
    ("int[]", "'{1,NULL,3}'", "[1,null,3]"), ("text[]", "'{a,\"b,c\"}'", #"["a","b,c"]"#),
    ("text", "NULL", "null"),
    ("int4range", "'[1,5)'", "\"[1,5)\""), ("inet", "'10.0.0.1/8'", "\"10.0.0.1/8\""),
  ])
  func `values as JSON`(type: String, sql: String, json: String) throws {
    let served = try Served(
      "CREATE TABLE thing (id int PRIMARY KEY, v \(type))", "INSERT INTO thing VALUES (1, \(sql))")
    #expect(served.text("/things?fields=v") == "[{\"v\":\(json)}]")
  }

  @Test(arguments: [
    ("int8", "9223372036854775807", "9223372036854775807"), ("numeric(10,2)", "12.5", "12.50"),
    ("numeric", "3", "3"), ("numeric", "'NaN'", "null"), ("float8", "3", "3.0"),
    ("float8", "'-infinity'", "-9e999"), ("bool", "true", "true"), ("bytea", "'\\x00ff10'", #"{"b":"AP8Q"}"#),
    ("bytea", "''", #"{"b":""}"#), ("text", "'AP8Q'", #""AP8Q""#),
    ("jsonb", "'{\"a\": null}'", #""{\"a\":null}""#),
    ("timestamptz", "'2024-01-02 03:04:05+02'", "\"2024-01-02T01:04:05+00:00\""),
    ("int[]", "'{1,NULL,3}'", #""[1,null,3]""#), ("text", "NULL", "null"), ("jsonb", "NULL", "null"),
  ])
  func `values as rows`(type: String, sql: String, json: String) throws {
    let served = try Served(
      "CREATE TABLE thing (id int PRIMARY KEY, v \(type))", "INSERT INTO thing VALUES (1, \(sql))")
    #expect(
      served.text("/things?fields=v", headers: ["Accept": "application/x-ndjson;profile=rows"])
        == "[\(json)]\n")
  }

  @Test
  func `enums, domains and composites`() throws {
    let served = try Served(
      "CREATE TYPE mood AS ENUM ('sad', 'happy')", "CREATE DOMAIN price AS numeric(8,2) CHECK (VALUE >= 0)",
      "CREATE TYPE point2 AS (x int, y text)",
      "CREATE TABLE thing (id int PRIMARY KEY, m mood, p price, c point2)",
      "INSERT INTO thing VALUES (1, 'happy', 3, (1, 'a'))")
    #expect(served.text("/things/1") == #"{"id":1,"m":"happy","p":3.00,"c":{"x":1,"y":"a"}}"#)
    #expect(served.text("/things?filter=m='happy' and p>2&fields=id") == #"[{"id":1}]"#)
  }

  @Test
  func `CSV has the same values`() throws {
    let served = try Served(
      "CREATE TABLE thing (id int PRIMARY KEY, t text, b bool, a int[], z timestamptz)",
      "INSERT INTO thing VALUES (1, 'a,b', false, '{1,2}', '2024-01-02 03:04:05+00'), (2, NULL, NULL, NULL, NULL), (3, '', NULL, NULL, NULL)"
    )
    #expect(
      served.text("/things", headers: ["Accept": "text/csv"])
        == "id,t,b,a,z\r\n1,\"a,b\",false,\"[1,2]\",2024-01-02T03:04:05+00:00\r\n2,,,,\r\n3,\"\",,,\r\n")
  }
}
