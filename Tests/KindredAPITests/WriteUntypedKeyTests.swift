import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Writing records whose key has no type")
struct WriteUntypedKeyTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE flex (k PRIMARY KEY, v TEXT);
      INSERT INTO flex VALUES (1, 'one'), ('1.0', 'text'), ('01', 'zero one');
      CREATE TABLE strict (k ANY PRIMARY KEY, v TEXT) STRICT;
      INSERT INTO strict VALUES (7, 'seven'), ('07', 'text');
      CREATE TABLE real (k REAL PRIMARY KEY);
      """)
  }

  @Test(arguments: [("01", "1|one; 1.0|text"), ("1.0", "1|one; 01|zero one"), ("1", "01|zero one; 1.0|text")])
  func `a path names a number only by the text that stands for it`(key: String, rest: String) throws {
    try expectWrite(
      .delete, "/flexes/\(key)", on: database, status: 204,
      stored: ("SELECT k, v FROM flex ORDER BY typeof(k), k", rest))
  }

  @Test
  func `the location leads to the new record, and is missing where it would lead to another one`() throws {
    for (content, location) in [
      (#"{"k":"2.0"}"#, nil), (#"{"k":2}"#, "/flexes/2"), (#"{"k":2.5}"#, "/flexes/2.5"),
      (#"{"k":"1"}"#, nil),
    ] as [(String, String?)] {
      let answer = try database.send(.post, "/flexes?fields=k", content)
      #expect(answer.status == 201 && answer.text == content)
      #expect(answer.headers["Location"] == location, "\(content)")
      if let location { #expect(try database.answer("\(location)?fields=k").text == content) }
    }
  }

  @Test
  func `ANY in a STRICT table is no type`() throws {
    try expectWrite(
      .post, "/stricts", #"{"k":8}"#, on: database, status: 201, json: #"{"k":8,"v":null}"#,
      location: "/stricts/8")
    #expect(try database.answer("/stricts/8").text == #"{"k":8,"v":null}"#)
    #expect(try database.answer("/stricts?k=7").text == #"[{"k":7,"v":"seven"}]"#)
    try expectWrite(
      .put, "/stricts/9", #"{"v":"abc"}"#, on: database, status: 201, json: #"{"k":9,"v":"abc"}"#,
      location: "/stricts/9", stored: ("SELECT typeof(k) FROM strict WHERE k = 9", "integer"))
    try expectWrite(
      .delete, "/stricts/07", on: database, status: 204,
      stored: ("SELECT v FROM strict WHERE v IS NOT NULL ORDER BY v", "abc; seven"))
  }

  @Test
  func `a number beyond 64 bits is named as responses write it, also beside a column without a type`()
    throws
  {
    let database = try TestDatabase.writable("CREATE TABLE pair (a NUMERIC, b, PRIMARY KEY (a, b))")
    let new = try database.send(.post, "/pairs", #"{"a":1e20,"b":"x"}"#)
    #expect(new.text == #"{"a":1e+20,"b":"x"}"#)
    let location = try #require(new.headers["Location"])
    #expect(try database.answer(location).text == new.text)
    #expect(try database.answer(location.replacing("1e", with: "10e")).status == 404)
  }

  @Test(arguments: ["2.50", "25e-1", "+2.5", "02.5"])
  func `a number has one path`(key: String) throws {
    let database = try TestDatabase.writable(
      "CREATE TABLE price (k NUMERIC PRIMARY KEY); INSERT INTO price VALUES (2.5)")
    #expect(try database.answer("/prices/2.5").text == #"{"k":2.5}"#)
    #expect(try database.answer("/prices/\(key)").status == 404)
  }

  @Test
  func `a number of a REAL column is named as responses write it`() throws {
    try expectWrite(
      .post, "/reals", #"{"k":1}"#, on: database, status: 201, json: #"{"k":1.0}"#, location: "/reals/1.0")
    #expect(try database.answer("/reals/1.0").status == 200)
    for other in ["1", "1.00", "01.0", "1e0", "+1.0"] {
      #expect(try database.answer("/reals/\(other)").status == 404, "\(other)")
    }
  }

  @Test
  func `infinity has the path by which it is found`() throws {
    try expectWrite(
      .post, "/reals", #"{"k":1e999}"#, on: database, status: 201, json: #"{"k":9e999}"#,
      location: "/reals/9e999")
    #expect(try database.answer("/reals/9e999").status == 200)
  }
}
