import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("What is taken for content, and what is stored of it")
struct WriteContentTests {
  let samples: TestDatabase

  init() throws {
    samples = try TestDatabase.writable(
      """
      CREATE TABLE sample (
        id INTEGER PRIMARY KEY, text TEXT, whole INTEGER, real REAL, flag BOOLEAN, meta JSON, data BLOB, any,
        secret TEXT, twice AS (whole * 2));
      CREATE TABLE strict (id INTEGER PRIMARY KEY, real REAL NOT NULL CHECK (real < 100), text TEXT) STRICT;
      CREATE TABLE later (id INTEGER PRIMARY KEY, sampleId INTEGER REFERENCES sample(id) DEFERRABLE INITIALLY DEFERRED);
      """, modelFile: "resources: { samples: { hidden: [secret] } }")
  }

  @Test(arguments: [
    ("text", #""é\"\\\n😀""#, nil), ("text", #""\u0000\u0001""#, nil), ("text", #""\ud83d\ude00""#, #""😀""#),
    ("text", "1", #""1""#), ("whole", "-9223372036854775808", nil), ("whole", "9223372036854775807", nil),
    ("whole", #""12""#, "12"), ("whole", "-0", "0"), ("real", "0.1", nil), ("real", "1e400", "9e999"),
    ("real", "18446744073709551616", "1.8446744073709552e+19"), ("flag", "true", nil),
    ("flag", "false", nil),
    ("flag", "2", nil), ("whole", "true", "1"), ("any", "true", "1"), ("any", #""x""#, nil),
    ("any", "null", nil),
    ("meta", #"{"b":[1,{"a":null}],"a":"x"}"#, nil), ("meta", #""12""#, nil), ("meta", "12", nil),
    ("meta", #"{ "a" : 12345678901234567890 }"#, #"{"a":12345678901234567890}"#), ("meta", "null", nil),
    ("data", #""AAH+/w==""#, nil), ("data", #""AAH-_w""#, #""AAH+/w==""#), ("data", #""""#, nil),
  ])
  func `values come back as they were sent`(column: String, sent: String, received: String?) throws {
    let answer = try samples.send(.post, "/samples?fields=\(column)", #"{"\#(column)":\#(sent)}"#)
    #expect(answer.status == 201)
    #expect(answer.text == #"{"\#(column)":\#(received ?? sent)}"#)
  }

  @Test(arguments: [
    ("text", "true"), ("text", "[1]"), ("text", "{}"), ("text", "18446744073709551616"),
    ("whole", "9223372036854775808"), ("data", #""%%%""#), ("data", #""AAA==""#), ("data", "true"),
    ("flag", "[]"), ("twice", "2"),
  ])
  func `what a column does not take is refused, with its place`(column: String, value: String) throws {
    try expectRefusal(
      .post, "/samples", #"{"\#(column)":\#(value)}"#, on: samples, status: 422, code: .refusedValue,
      pointer: "#/\(column)")
  }

  @Test
  func `what is not UTF-8 is refused at the character where that begins`() {
    for (bytes, position) in [
      (Array(#"{"é":"ab"#.utf8) + [0xFF], 8), ([0xFF], 0), (Array("\"".utf8) + [0xE2, 0x82], 1),
    ] {
      let error = #expect(throws: JSONDocumentParser.SyntaxError.self) { try JSONDocumentParser.parse(bytes) }
      #expect(error?.position == position)
    }
  }

  @Test
  func `JSON of more than a hundred levels is refused`() throws {
    func nested(_ depth: Int) -> String {
      #"{"meta":\#(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))}"#
    }
    #expect(try samples.send(.post, "/samples", nested(100)).status == 201)
    try expectRefusal(
      .post, "/samples", nested(101), on: samples, status: 422, code: .refusedValue, pointer: "#/meta")
  }

  @Test
  func `constraints refuse values, and say which where that tells nothing of the inside`() throws {
    func refusal(_ content: String, _ pointer: String) throws {
      try expectRefusal(
        .post, "/stricts", content, on: samples, status: 422, code: .refusedValue, pointer: pointer)
    }
    try refusal(#"{"real":"hot"}"#, "#/real")
    try refusal("{}", "#/real")
    try refusal(#"{"real":101}"#, "#")
    try refusal(#"{"id":"x","real":1}"#, "#/id")
    #expect(try !samples.send(.post, "/stricts", #"{"real":101}"#).text.contains("<"))
  }

  @Test
  func `a deferred foreign key is checked at the end of the transaction`() throws {
    #expect(try samples.send(.post, "/samples", #"{"id":1}"#).status == 201)
    #expect(try samples.send(.post, "/laters", #"{"id":1,"sampleId":null}"#).status == 201)
    func refusal(_ method: HTTPMethod, _ target: String, _ content: String, _ pointer: String?) throws {
      try expectRefusal(
        method, target, content, on: samples, status: 409, code: .conflict, pointer: pointer)
    }
    try refusal(.post, "/laters", #"{"sampleId":99}"#, "#/sampleId")
    try refusal(.post, "/laters", #"[{"sampleId":1},{"sampleId":98}]"#, "#/1/sampleId")
    try refusal(.patch, "/laters/1", #"{"sampleId":99}"#, "#/sampleId")
    try refusal(.patch, "/laters?filter=true", #"{"sampleId":99}"#, "#/sampleId")
    try refusal(.put, "/laters/7", #"{"sampleId":99}"#, "#/sampleId")
    try refusal(
      .post, "/-/batch",
      #"""
      [{"method":"POST","url":"/laters","body":{"sampleId":1}},
       {"method":"POST","url":"/laters","body":{"sampleId":97}}]
      """#, "#/1/body/sampleId")
    #expect(try samples.send(.post, "/laters", #"{"id":2,"sampleId":1}"#).status == 201)
    try refusal(.delete, "/samples/1", "", nil)
  }

  @Test
  func `in a batch, a deferred foreign key may refer to a record of a later part`() throws {
    let answer = try samples.send(
      .post, "/-/batch",
      #"""
      [{"method":"POST","url":"/laters","body":{"sampleId":12}},
       {"method":"POST","url":"/samples","body":{"id":12}}]
      """#)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test
  func `unknown and hidden columns are the same, but for the suggestion`() throws {
    try expectRefusal(
      .post, "/samples", #"{"txet":"x"}"#, on: samples, status: 422, code: .unknownMember, pointer: "#/txet",
      suggestion: "text")
    let hidden = try samples.send(.post, "/samples", #"{"secret":"x"}"#)
    #expect(hidden.status == 422 && hidden.problem("suggestions") == nil)
    try expectRefusal(
      .post, "/samples", #"{"a/b~c":1}"#, on: samples, status: 422, code: .unknownMember, pointer: "#/a~1b~0c"
    )
  }

  @Test
  func `a hidden key doesn't show in Location`() throws {
    let database = try TestDatabase.writable(
      "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)",
      modelFile: "resources: { people: { hidden: [id] } }")
    let answer = try database.send(.post, "/people", #"{"name":"Ann"}"#)
    #expect(answer.status == 201 && answer.text == #"{"name":"Ann"}"# && answer.headers["Location"] == nil)
  }

  @Test
  func `PUT leaves hidden columns alone`() throws {
    try samples.pool.withWriter {
      try $0.execute("INSERT INTO sample (id, text, secret) VALUES (1, 't', 's')")
    }
    try expectWrite(
      .put, "/samples/1?fields=text", "{}", on: samples, status: 200, json: #"{"text":null}"#,
      stored: ("SELECT text, secret FROM sample", "NULL|s"))
  }

  @Test(arguments: ["12", "null", #""x""#, "[1]"])
  func `content must be an object, or for POST to many an array of objects`(content: String) throws {
    try expectRefusal(
      .post, "/samples", content, on: samples, status: 422, code: .refusedValue,
      pointer: content == "[1]" ? "#/0" : "#")
    #expect(try samples.send(.put, "/samples/1", "[{}]").status == 422)
  }

  @Test(arguments: [
    ("application/json", 201), ("Application/JSON; charset=UTF-8", 201),
    ("application/json; charset=latin1", 415),
    ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("application/merge-patch+json", 415),
    ("", 415),
  ])
  func `content must be JSON by name too, so that no form of another site can send it`(
    type: String, status: Int
  ) throws {
    let answer = try samples.send(.post, "/samples", "{}", headers: ["Content-Type": type])
    #expect(answer.status == status)
    if status == 415 { #expect(answer.headers["Accept"]?.hasPrefix("application/json, ") == true) }
  }

  @Test
  func `an encoding of the content, and another type of answer, are refused before the write`() throws {
    #expect(try samples.send(.post, "/samples", "{}", headers: ["Content-Encoding": "gzip"]).status == 415)
    #expect(try samples.send(.post, "/samples", "{}", headers: ["Accept": "text/csv"]).status == 406)
    #expect(
      try samples.send(.post, "/samples", "{}", headers: ["Accept": "text/html, */*;q=0.1"]).status == 201)
    #expect(try samples.stored("SELECT count(*) FROM sample") == "1")
  }
}

@Suite("JSON is read as RFC 8259 has it")
struct WriteJSONTests {
  @Test(arguments: [
    ("", 0), (" ", 1), ("{", 1), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), ("[1,]", 3),
    ("[1 2]", 3),
    ("{}x", 2), ("01", 1), ("1.", 2), ("-", 1), ("1e", 2), (".5", 0), ("+1", 0), ("NaN", 0), ("tru", 0),
    ("'a'", 0),
    (#""\x""#, 2), (#""\u12"#, 5), (#""é\ud800""#, 4), (#""\udc00""#, 3), (#""\ud800\u0041""#, 3),
    ("\"a\tb\"", 2),
    (#""a"#, 2), (#"{"é":1,"é":2}"#, 7), (#"{"t":1,"\u0074":2}"#, 7), ("// x\n1", 0),
  ])
  func `what is no JSON is refused, with its place in characters`(text: String, position: Int) {
    let error = #expect(throws: JSONDocumentParser.SyntaxError.self) {
      try JSONDocumentParser.parse(Array(text.utf8))
    }
    #expect(error?.position == position)
  }

  @Test
  func `names that differ only in normalisation are distinct`() throws {
    _ = try JSONDocumentParser.parse(Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
  }

  @Test
  func `neither depth nor bytes that are no text bring it down`() {
    for content in [
      [UInt8](repeating: UInt8(ascii: "["), count: 100_000),
      Array(String(repeating: #"{"a":"#, count: 100_000).utf8),
      [0xFF], [0xEF, 0xBB], Array("\"".utf8) + [0xC3], [0],
    ] {
      #expect(throws: JSONDocumentParser.SyntaxError.self) { try JSONDocumentParser.parse(content) }
    }
  }

  @Test
  func `a value keeps its own text`() throws {
    let document = try JSONDocumentParser.parse(Array("\u{FEFF} [ 1.50e+2 , {\"a\" : [ ]} ] ".utf8))
    guard case .array(let values) = document.root.content else {
      Issue.record("no array")
      return
    }
    #expect(values.map(document.text) == ["1.50e+2", #"{"a" : [ ]}"#])
  }
}
