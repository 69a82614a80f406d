import KindredHTTP
import Testing

@testable import KindredAPI

/// A compound SELECT gives a column values of different types, which are the same wherever it is read.
@Suite("Views and common table expressions of several SELECTs")
struct CompoundViewTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase(
      """
      CREATE TABLE shop (id INTEGER PRIMARY KEY);
      CREATE TABLE item (shopId INTEGER, label TEXT);
      CREATE TABLE lot (shopId INTEGER, number INTEGER);
      INSERT INTO shop VALUES (1), (2);
      INSERT INTO item VALUES (1, '7'), (1, 'a'), (1, '3'), (2, 'b');
      INSERT INTO lot VALUES (1, 7), (1, 10), (2, 5);
      CREATE VIEW stock AS SELECT shopId, label FROM item UNION ALL SELECT shopId, number FROM lot;
      """,
      modelFile: """
        resources:
          shops:
            associations:
              stocks: { hasMany: stocks, foreignKey: { shopId: id } }
              goods: { hasMany: goods, foreignKey: { shopId: id } }
              last: { hasOne: stocks, foreignKey: { shopId: id }, sort: -label }
        commonTableExpressions:
          goods:
            sql: SELECT shopId, label FROM item UNION ALL SELECT shopId, number FROM lot
        """)
  }

  @Test(arguments: ["stocks", "goods"])
  func `have the same values below others and by themselves`(key: String) throws {
    try expectRequest(
      "/shops/1/\(key)?fields=label", on: database, json: Self.labels("7", "10", "\"3\"", "\"7\"", "\"a\""))
    try expectRequest(
      "/shops?fields=&include=\(key)&\(key).values=label", on: database,
      json: #"[{"\#(key)":[7,10,"3","7","a"]},{"\#(key)":[5,"b"]}]"#)
  }

  @Test(
    arguments: [
      "label>5", "label>'5'", "label in (7,'a')", "label between 3 and 7", "label<>7",
      "label=cast(7 as text)", "label>cast(5 as integer)", "shopId='1'", "max(label,6)=label",
    ], ["stocks", "goods"])
  func `are compared in the same way`(filter: String, key: String) throws {
    let records = try database.get("/shops/1/\(key)?filter=\(filter)").text
    try expectRequest(
      "/shops?filter=id=1&fields=&include=\(key)&\(key).filter=\(filter)", on: database,
      json: #"[{"\#(key)":\#(records)}]"#)
    let count = records.count { $0 == "{" }
    try expectRequest(
      "/shops?filter=id=1&fields=n:\(key).filter(\(filter)).count", on: database, json: #"[{"n":\#(count)}]"#)
  }

  @Test(arguments: ["stocks", "goods"])
  func `have pages that are the whole together, also where a value equals those of both types`(key: String)
    throws
  {
    for query in [
      "", "?sort=-label", "?filter=shopId=1", "?filter=label>5&sort=label", "?filter=label=7",
      "?filter=7=label&sort=-label", "?filter=label is 7", "?filter=label in (7)", "?label=7",
      "?filter=shopId=1 and label='7'&sort=label",
    ] {
      let whole = try database.get("/\(key)\(query)").text
      var next: String? = "/\(key)\(query)\(query.isEmpty ? "?" : "&")limit=1"
      var records: [String] = []
      while let target = next, records.count < 10 {
        let answer = try database.get(target)
        try #require(answer.status == 200, "\(answer.text)")
        records.append(String(answer.text.dropFirst().dropLast()))
        next = answer.headers["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
      }
      #expect("[\(records.joined(separator: ","))]" == whole)
    }
  }

  @Test
  func `the first of several is one of their rows`() throws {
    try expectRequest(
      "/shops?include=last", on: database,
      json: #"[{"id":1,"last":{"shopId":1,"label":"a"}},{"id":2,"last":{"shopId":2,"label":"b"}}]"#)
  }

  @Test(arguments: ["label<>'7'", "label>'5'", "label in (7,'a')", "abs(label)<8 and label<>'7'"])
  func `a rule holds for the same rows`(rule: String) throws {
    let restricted = try TestDatabase(
      """
      CREATE TABLE shop (id INTEGER PRIMARY KEY);
      CREATE TABLE item (shopId INTEGER, label TEXT);
      CREATE TABLE lot (shopId INTEGER, number INTEGER);
      INSERT INTO shop VALUES (1), (2);
      INSERT INTO item VALUES (1, '7'), (1, 'a'), (1, '3'), (2, 'b');
      INSERT INTO lot VALUES (1, 7), (1, 10), (2, 5);
      CREATE VIEW stock AS SELECT shopId, label FROM item UNION ALL SELECT shopId, number FROM lot;
      """,
      modelFile: """
        resources:
          shops:
            access: { read: {} }
            associations:
              stocks: { hasMany: stocks, foreignKey: { shopId: id } }
          stocks:
            access: { read: { rows: "\(rule)" } }
          items: { access: { read: {} } }
          lots: { access: { read: {} } }
        """)
    let records = try database.get("/shops/1/stocks?filter=\(rule)").text
    try expectRequest("/shops/1/stocks", on: restricted, json: records)
    try expectRequest(
      "/shops?filter=id=1&fields=&include=stocks", on: restricted, json: #"[{"stocks":\#(records)}]"#)
    let count = records.count { $0 == "{" }
    try expectRequest("/shops?filter=id=1&fields=n:stocks.count", on: restricted, json: #"[{"n":\#(count)}]"#)
  }

  private static func labels(_ labels: String...) -> String {
    "[\(labels.map { #"{"label":\#($0)}"# }.joined(separator: ","))]"
  }
}
