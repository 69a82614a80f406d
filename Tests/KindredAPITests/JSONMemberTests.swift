import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Members and elements of JSON")
struct JSONMemberTests {
  private let halls: TestDatabase

  init() throws {
    halls = try TestDatabase(
      #"""
      CREATE TABLE hall (id INTEGER PRIMARY KEY, meta JSON, tags JSON, name TEXT);
      INSERT INTO hall VALUES
        (1, '{"city":"Rome","wet":true,"n":1.50,"o":{"a b":[1, 2]},"$x":"d","it''s \"q\"":7}', '["rock","jazz",[1]]', 'rock'),
        (2, '{"c\u0069ty":"Z\u00fcrich","wet":false,"o":null}', '[3, 3.0, {"k":[1,2]}]', '["rock"]'),
        (3, 'no JSON', NULL, NULL);
      """#)
  }

  @Test
  func `a member is JSON or a value, and NULL where there is none`() throws {
    try expectRequest(
      "/halls?fields=c:meta->>'city',w:meta->>'wet',n:meta->'n',o:meta->'o',t:meta->>'o',x:meta->>'$x',q:meta->>'it''s \"q\"'",
      on: halls,
      json: #"""
        [{"c":"Rome","w":true,"n":1.50,"o":{"a b":[1,2]},"t":"{\"a b\":[1,2]}","x":"d","q":7},\#
        {"c":"Zürich","w":false,"n":null,"o":null,"t":null,"x":null,"q":null},\#
        {"c":null,"w":null,"n":null,"o":null,"t":null,"x":null,"q":null}]
        """#)
    try expectRequest(
      "/halls/1?fields=a:tags->>0,b:tags->-1,c:tags->9,d:tags->-9,e:meta->'o'->'a b'->>1,f:tags->>'rock'",
      on: halls,
      json: #"{"a":"rock","b":[1],"c":null,"d":null,"e":2,"f":null}"#)
  }

  @Test(arguments: [
    ("meta->>'city'='Rome'", "1"), ("meta->>'wet'", "1"), ("meta->>'n'=1.5", "1"),
    ("contains(tags,'rock')", "1"),
    ("contains(tags,3)", "2"), ("contains(tags,'[3,{\"k\":[2]}]')", "2"),
    ("contains(tags,'[\"rock\",\"pop\"]')", ""),
    ("contains(meta,'{\"wet\":false}')", "2"), ("overlaps(tags,'[\"pop\",\"jazz\"]')", "1"),
    ("overlaps(tags,'[{\"k\":[2]}]')", ""), ("overlaps(tags,'[{\"k\":[1,2]}]')", "2"),
    ("contains(tags,name)", "1"),
    ("not contains(tags,'rock')", "2"), ("contains(meta->'o','{}')", "1"),
  ])
  func `conditions read members and elements as PostgreSQL does`(filter: String, ids: String) throws {
    try expectRequest(
      "/halls?fields=id&filter=\(filter)", on: halls,
      json: "[\(ids.split(separator: ",").map { "{\"id\":\($0)}" }.joined(separator: ","))]")
  }

  @Test(arguments: [
    "name->'a' is null", "id->>0=1", "meta->name='a'", "meta->99999999999999999999 is null",
    "contains(name,'a')",
    "contains(tags,'[1,')", "overlaps(tags,'rock')", "overlaps(tags,'{\"a\":1}')", "meta->>'a'->>'b'=1",
  ])
  func `what is no JSON is refused at its place`(filter: String) throws {
    let answer = try halls.get("/halls?filter=\(filter)")
    #expect(answer.status == 400 && answer.text.contains(#""position":"#), "\(filter): \(answer.text)")
  }

  @Test
  func `a boolean is one wherever its record is read from`() throws {
    let halls = try TestDatabase(
      #"""
      CREATE TABLE hall (id INTEGER PRIMARY KEY, hallId INT REFERENCES hall, meta JSON);
      INSERT INTO hall VALUES (1, NULL, '{"wet":true,"o":[1]}'), (2, 1, '{"wet":false}'), (3, 2, NULL);
      """#, modelFile: "resources: { halls: { columns: { wet: meta->>'wet', o: meta->>'o' } } }")
    try expectRequest(
      "/halls?fields=id,w:hall.wet&include=hall&hall.fields=wet,o", on: halls,
      json: #"""
        [{"id":1,"w":null,"hall":null},{"id":2,"w":true,"hall":{"wet":true,"o":"[1]"}},\#
        {"id":3,"w":false,"hall":{"wet":false,"o":null}}]
        """#)
    try expectRequest(
      "/halls/1?fields=id&include=hallsByHall*&hallsByHall.fields=w:../wet,o:../o&hallsByHall.filter=../wet is not null",
      on: halls,
      json: #"""
        {"id":1,"hallsByHall":[{"w":true,"o":"[1]","hallsByHall":[{"w":false,"o":null,"hallsByHall":[]}]}]}
        """#)
    try expectRequest(
      "/halls?fields=w:hall.wet,n:count()&group=hall.wet&sort=hall.wet", on: halls,
      json: #"[{"w":null,"n":1},{"w":false,"n":1},{"w":true,"n":1}]"#)
  }

  @Test
  func `groups, orders and CSV have values`() throws {
    try expectRequest(
      "/halls?fields=w:meta->>'wet',n:count()&group=meta->>'wet'&sort=-meta->>'wet'", on: halls,
      json: #"[{"w":true,"n":1},{"w":false,"n":1},{"w":null,"n":1}]"#)
    let csv = try halls.get("/halls?fields=id,c:meta->>'city'&filter=id<3", headers: ["Accept": "text/csv"])
    #expect(csv.text == "id,c\r\n1,Rome\r\n2,Zürich\r\n")
  }
}
